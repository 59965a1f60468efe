package proxy

import (
	"context"
	"sync"
	"time"

	"mayi/internal/mcp/frame"
)

// most is how many bytes may wait for one side before the other side's messages
// have to wait, too.
const most = 16 << 20

// outbox writes to one side, in order. Nothing that is put into it waits for
// that side, unless too much does already: two sides that wait for one another
// would stand still.
type outbox struct {
	conn frame.Conn
	// broken is closed when the side cannot be written to.
	broken chan struct{}
	done   chan struct{}

	mu     sync.Mutex
	change *sync.Cond
	list   []*letter
	size   int
	over   bool
	failed bool
}

// letter is one message in its turn. One that is open holds up those behind it.
type letter struct {
	raw  []byte
	open bool
}

func newOutbox(conn frame.Conn) *outbox {
	o := &outbox{conn: conn, broken: make(chan struct{}), done: make(chan struct{})}
	o.change = sync.NewCond(&o.mu)
	go o.run()
	return o
}

// put gives a message of mayi's own its turn.
func (o *outbox) put(raw []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&letter{raw: raw})
}

// pass gives a message of the other side its turn, and waits where too much waits
// already, unless for what the other side itself has to say.
func (o *outbox) pass(raw []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > most && !o.failed && !o.over && !o.list[0].open {
		o.change.Wait()
	}
	o.add(&letter{raw: raw})
}

// reserve takes a turn for a message that is not known yet.
func (o *outbox) reserve() *letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := &letter{open: true}
	o.add(l)
	return l
}

// fill puts the message in its turn; without one the turn is given up. Only the
// first call counts.
func (o *outbox) fill(l *letter, raw []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !l.open {
		return
	}
	l.raw, l.open = raw, false
	o.size += len(raw)
	o.change.Broadcast()
}

func (o *outbox) add(l *letter) {
	if o.failed {
		return
	}
	o.list = append(o.list, l)
	o.size += len(l.raw)
	o.change.Broadcast()
}

func (o *outbox) run() {
	defer close(o.done)
	for {
		o.mu.Lock()
		for !o.failed && (len(o.list) == 0 && !o.over || len(o.list) > 0 && o.list[0].open && !o.over) {
			o.change.Wait()
		}
		if o.failed || len(o.list) == 0 {
			o.mu.Unlock()
			return
		}
		next := o.list[0]
		o.mu.Unlock()
		err := error(nil)
		if !next.open {
			err = o.conn.Write(context.Background(), frame.Packet{Raw: next.raw})
		}
		o.mu.Lock()
		switch {
		case o.failed:
		case err != nil:
			o.fail()
		default:
			o.list = o.list[1:]
			o.size -= len(next.raw)
		}
		o.change.Broadcast()
		o.mu.Unlock()
	}
}

// fail gives up what is left; mu is held.
func (o *outbox) fail() {
	o.failed, o.list, o.size = true, nil, 0
	close(o.broken)
}

// finish writes what is left, for at most limit.
func (o *outbox) finish(limit time.Duration) {
	o.mu.Lock()
	o.over = true
	o.change.Broadcast()
	o.mu.Unlock()
	select {
	case <-o.done:
	case <-time.After(limit):
		o.mu.Lock()
		if !o.failed {
			o.fail()
		}
		o.change.Broadcast()
		o.mu.Unlock()
	}
}
