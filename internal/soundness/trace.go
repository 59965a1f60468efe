package soundness

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// call is one system call of a traced process.
type call struct {
	pid    int
	name   string
	args   []string
	result string // what stands behind "= "
	at     int    // its place in the trace
}

// failed reports the error's name, "" for a call that succeeded.
func (c *call) failed() string {
	rest, bad := strings.CutPrefix(c.result, "-1 ")
	if !bad {
		return ""
	}
	name, _, _ := strings.Cut(rest, " ")
	return name
}

// maxLine bounds a line of the trace: a call with long arguments.
const maxLine = 1 << 20

// readTrace reads the output of strace -f. Calls that were interrupted by
// other processes' are put together again, at the place where they ended.
func readTrace(r io.Reader) ([]call, error) {
	var out []call
	begun := map[int]string{}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), maxLine)
	for in.Scan() {
		first, text, ok := strings.Cut(in.Text(), " ")
		pid, err := strconv.Atoi(first)
		if !ok || err != nil {
			continue
		}
		text = strings.TrimLeft(text, " ")
		if head, cut := strings.CutSuffix(text, " <unfinished ...>"); cut {
			begun[pid] = head
			continue
		}
		if strings.HasPrefix(text, "<... ") {
			_, tail, ok := strings.Cut(text, " resumed>")
			if !ok {
				continue
			}
			text = begun[pid] + tail
			delete(begun, pid)
		}
		name, rest, ok := strings.Cut(text, "(")
		if !ok || strings.ContainsAny(name, " +-") {
			continue
		}
		c := call{pid: pid, name: name, at: len(out)}
		c.args, rest = arguments(rest)
		if _, result, ok := strings.Cut(rest, "= "); ok {
			c.result = result
		}
		out = append(out, c)
	}
	return out, in.Err()
}
