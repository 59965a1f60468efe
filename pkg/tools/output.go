package tools

import (
	"fmt"
	"strings"
	"sync"

	"mayi/pkg/approval"
)

// output collects what a program prints, in bounded memory: the first and the
// last bytes for a run's result, and the bytes since the last look for a
// session. Safe for concurrent use.
type output struct {
	mu    sync.Mutex
	limit int
	head  []byte
	tail  []byte
	total int
	// seen is how much of total a session's reader has taken.
	seen int
}

func newOutput(limit int) *output { return &output{limit: limit} }

// Write never fails.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	o.total += n
	if room := o.limit/2 - len(o.head); room > 0 {
		k := min(room, len(p))
		o.head = append(o.head, p[:k]...)
		p = p[k:]
	}
	o.tail = append(o.tail, p...)
	// Cut only when twice the room is used, so that a byte costs one copy.
	if keep := o.limit - o.limit/2; len(o.tail) > 2*keep {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-keep:]...)
	}
	return n, nil
}

// String is all of it where it fits, otherwise head and tail with a line
// between them that says how much was cut.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.since(0)
}

// next returns what was printed since the last call of next.
func (o *output) next() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.since(o.seen)
	o.seen = o.total
	return s
}

func (o *output) unread() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total - o.seen
}

// since returns the bytes from offset on; mu is held.
func (o *output) since(offset int) string {
	head, tail := o.head, o.tail
	if keep := o.limit - o.limit/2; len(tail) > keep {
		tail = tail[len(tail)-keep:]
	}
	tailAt := o.total - len(tail)
	head = head[min(offset, len(head)):]
	from := max(offset, len(o.head))
	cut := max(0, tailAt-from)
	tail = tail[max(0, min(len(tail), from-tailAt)):]
	var b strings.Builder
	b.WriteString(strings.ToValidUTF8(string(head), "\uFFFD"))
	if cut > 0 {
		fmt.Fprintf(&b, "\n[… %s bytes of output left out here …]\n", approval.Thousands(cut))
	}
	b.WriteString(strings.ToValidUTF8(string(tail), "\uFFFD"))
	return b.String()
}
