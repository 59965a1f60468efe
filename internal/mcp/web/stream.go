package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

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

// post takes the messages of one request, and answers with what comes of them.
func (c *frontConn) post(w http.ResponseWriter, r *http.Request, list []json.RawMessage, asked []string) {
	c.touch()
	s := newStream(len(asked))
	c.mu.Lock()
	for i, key := range asked {
		if c.streams[key] != nil || slices.Contains(asked[:i], key) {
			c.mu.Unlock()
			refuse(w, http.StatusBadRequest, frame.Failure(nil, frame.CodeInvalid, "mayi: a request with this id is under way already", nil))
			return
		}
	}
	for _, key := range asked {
		c.streams[key] = s
	}
	c.mu.Unlock()
	for _, raw := range list {
		select {
		case c.in <- frame.Packet{Raw: raw}:
		case <-c.gone:
			http.Error(w, "mayi: the session has ended", http.StatusNotFound)
			return
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set(sessionField, c.id)
	if len(asked) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	defer s.end()
	if !accepts(r, streamType) {
		c.whole(w, r, s)
		return
	}
	c.pour(w, r, s)
}

// listen is the client's own stream.
func (c *frontConn) listen(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, streamType) {
		http.Error(w, "mayi: the request has to accept "+streamType, http.StatusNotAcceptable)
		return
	}
	if r.Header.Get(lastField) != "" {
		http.Error(w, "mayi: streams are not taken up again here", http.StatusMethodNotAllowed)
		return
	}
	c.touch()
	s := newStream(0)
	c.mu.Lock()
	if c.own != nil {
		c.mu.Unlock()
		http.Error(w, "mayi: the session has a stream of its own already", http.StatusConflict)
		return
	}
	c.own = s
	for _, raw := range c.waiting {
		s.add(raw, false)
	}
	c.waiting = nil
	c.mu.Unlock()
	defer func() {
		s.end()
		c.mu.Lock()
		c.own = nil
		rest, _ := s.take()
		c.waiting = append(rest, c.waiting...)
		c.mu.Unlock()
		c.touch()
	}()
	w.Header().Set(sessionField, c.id)
	c.pour(w, r, s)
}

// pour writes the stream's messages as events until it is over.
func (c *frontConn) pour(w http.ResponseWriter, r *http.Request, s *stream) {
	w.Header().Set("Content-Type", streamType)
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.WriteHeader(http.StatusOK)
	if http.NewResponseController(w).Flush() != nil {
		return
	}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	gone := c.gone
	for {
		list, over := s.take()
		for _, raw := range list {
			if writeEvent(w, raw) != nil {
				return
			}
		}
		if over {
			return
		}
		select {
		case <-s.more:
		case <-alive.C:
			if _, err := io.WriteString(w, ": \n\n"); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		case <-gone:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// whole answers with JSON once everything is there, for a client that takes no
// stream.
func (c *frontConn) whole(w http.ResponseWriter, r *http.Request, s *stream) {
	var all []json.RawMessage
	for {
		list, over := s.take()
		for _, raw := range list {
			if m, err := frame.Parse(raw); err == nil && !m.HasMethod {
				all = append(all, raw)
			}
		}
		if over {
			break
		}
		select {
		case <-s.more:
		case <-c.gone:
			http.Error(w, "mayi: the session has ended", http.StatusNotFound)
			return
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", jsonType)
	if len(all) == 1 {
		_, _ = w.Write(all[0])
		return
	}
	body, err := json.Marshal(all)
	if err != nil {
		http.Error(w, "mayi: the answer cannot be written", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body)
}

func splitAddr(addr string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(addr)
	if err != nil {
		return "", "", fmt.Errorf("%q is no address; it is HOST:PORT", addr)
	}
	return host, port, nil
}
