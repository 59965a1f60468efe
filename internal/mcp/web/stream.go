package web

import (
	"context"
	"fmt"
	"io"
	"sync"

	"mayi/internal/mcp/frame"
)

// maxWaiting bounds the messages that wait for a client that does not listen.
const maxWaiting = 10_000

// frontConn is one client's session.
type frontConn struct {
	id    string
	in    chan frame.Packet
	gone  chan struct{}
	begun chan struct{}
	once  sync.Once
	touch func()

	mu sync.Mutex
	// streams are the answers under way, by the key of each request.
	streams map[string]*stream
	// own carries what belongs to no request; nil while nobody listens, and
	// then waiting keeps it.
	own     *stream
	waiting [][]byte
}

func newFrontConn(id string) *frontConn {
	return &frontConn{
		id: id, in: make(chan frame.Packet), gone: make(chan struct{}), begun: make(chan struct{}),
		streams: map[string]*stream{}, touch: func() {},
	}
}

// stream is one HTTP response that messages are written to.
type stream struct {
	mu    sync.Mutex
	list  [][]byte
	more  chan struct{}
	left  int // requests that are not answered yet
	dead  bool
	whole bool // closed when left is 0
}

func newStream(requests int) *stream {
	return &stream{more: make(chan struct{}, 1), left: requests, whole: requests > 0}
}

// add puts a message on the stream; false where nobody reads it any more.
func (s *stream) add(raw []byte, answer bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return false
	}
	if len(raw) > 0 {
		s.list = append(s.list, raw)
	}
	if answer {
		s.left--
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
	return true
}

// take returns what is there, and whether it is all.
func (s *stream) take() (list [][]byte, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, s.list = s.list, nil
	return list, s.whole && s.left <= 0
}

func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
}

// Read implements frame.Conn.
func (c *frontConn) Read(ctx context.Context) (frame.Packet, error) {
	select {
	case p := <-c.in:
		return p, nil
	case <-c.gone:
		return frame.Packet{}, io.EOF
	case <-ctx.Done():
		return frame.Packet{}, ctx.Err()
	}
}

// Write implements frame.Conn: an answer goes to the response that waits for it,
// what is about a request to that request's, anything else to the client's own
// stream.
func (c *frontConn) Write(_ context.Context, p frame.Packet) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[p.About]
	if p.Answer {
		delete(c.streams, p.About)
		if s != nil {
			s.add(p.Raw, true)
		}
		return nil // a client that closed the response does not want it
	}
	if s != nil && s.add(p.Raw, false) || c.own != nil && c.own.add(p.Raw, false) {
		return nil
	}
	if len(c.waiting) >= maxWaiting {
		return fmt.Errorf("the client listens to nothing, and %d messages wait for it", maxWaiting)
	}
	c.waiting = append(c.waiting, p.Raw)
	return nil
}

// Close implements frame.Conn.
func (c *frontConn) Close() error {
	c.once.Do(func() { close(c.gone) })
	return nil
}

// closeIdle ends a session that nobody has a response open in.
func (c *frontConn) closeIdle() {
	c.mu.Lock()
	used := c.own != nil || len(c.streams) > 0
	c.mu.Unlock()
	if used {
		c.touch()
		return
	}
	c.Close()
}
