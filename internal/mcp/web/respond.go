package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"mayi/internal/mcp/frame"
)

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
