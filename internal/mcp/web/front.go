package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
)

// The limits of a front.
const (
	maxSessions = 200
	idleAfter   = time.Hour
	keepAlive   = 25 * time.Second
)

// Front serves clients over streamable HTTP: each session is a connection that
// is handed to serve. Close ends them all.
type Front struct {
	serve func(ctx context.Context, c frame.Conn)
	ctx   context.Context
	stop  context.CancelFunc
	work  sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*frontConn
}

// NewFront returns a front. serve carries one session until it ends.
func NewFront(serve func(ctx context.Context, c frame.Conn)) *Front {
	ctx, stop := context.WithCancel(context.Background())
	return &Front{serve: serve, ctx: ctx, stop: stop, sessions: map[string]*frontConn{}}
}

// Close ends all sessions and waits for them.
func (f *Front) Close() {
	f.stop()
	f.mu.Lock()
	for _, c := range f.sessions {
		c.Close()
	}
	f.mu.Unlock()
	f.work.Wait()
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		f.post(w, r)
	case http.MethodGet:
		if c := f.session(w, r); c != nil {
			c.listen(w, r)
		}
	case http.MethodDelete:
		if c := f.session(w, r); c != nil {
			c.Close()
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "mayi: this method is not known here", http.StatusMethodNotAllowed)
	}
}

// session finds the session that the request names, or says that there is none.
func (f *Front) session(w http.ResponseWriter, r *http.Request) *frontConn {
	id := r.Header.Get(sessionField)
	if id == "" {
		http.Error(w, "mayi: the request names no session ("+sessionField+")", http.StatusBadRequest)
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.sessions[id]
	if c == nil {
		http.Error(w, "mayi: there is no such session (any more)", http.StatusNotFound)
	}
	return c
}

func (f *Front) post(w http.ResponseWriter, r *http.Request) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != jsonType {
		http.Error(w, "mayi: the content type has to be "+jsonType, http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, frame.MaxMessage))
	if err != nil {
		status := http.StatusBadRequest
		if large := new(http.MaxBytesError); errors.As(err, &large) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "mayi: the message cannot be read: "+err.Error(), status)
		return
	}
	list, batch := frame.Elements(body)
	if !batch {
		list = []json.RawMessage{body}
	}
	var asked []string
	starts := false
	for _, raw := range list {
		m, err := frame.Parse(raw)
		if err != nil {
			refuse(w, http.StatusBadRequest, frame.Failure(m.ID, frame.CodeParse, "mayi: "+err.Error(), nil))
			return
		}
		if m.Request() {
			asked = append(asked, m.Key())
			starts = starts || m.Method == "initialize"
		}
		if m.Method == "server/discover" && r.Header.Get(sessionField) == "" {
			data := map[string]any{"supported": []string{"2025-11-25", "2025-06-18", "2025-03-26"}}
			refuse(w, http.StatusBadRequest, frame.Failure(m.ID, frame.CodeVersion, "mayi: only versions with sessions are spoken here", data))
			return
		}
	}
	var c *frontConn
	if r.Header.Get(sessionField) == "" && starts {
		if c = f.start(); c == nil {
			http.Error(w, "mayi: there are too many sessions", http.StatusServiceUnavailable)
			return
		}
	} else if c = f.session(w, r); c == nil {
		return
	}
	c.post(w, r, list, asked)
}

func refuse(w http.ResponseWriter, status int, message []byte) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_, _ = w.Write(message)
}

// start opens a session; nil where there are too many.
func (f *Front) start() *frontConn {
	c := newFrontConn("mcp-" + approval.NewID())
	f.mu.Lock()
	if len(f.sessions) >= maxSessions || f.ctx.Err() != nil {
		f.mu.Unlock()
		return nil
	}
	f.sessions[c.id] = c
	f.work.Add(1)
	f.mu.Unlock()
	go func() {
		defer f.work.Done()
		idle := time.AfterFunc(idleAfter, func() { c.closeIdle() })
		defer idle.Stop()
		c.touch = func() { idle.Reset(idleAfter) }
		close(c.begun)
		f.serve(f.ctx, c)
		c.Close()
		f.mu.Lock()
		delete(f.sessions, c.id)
		f.mu.Unlock()
	}()
	<-c.begun
	return c
}

// SessionOf is the name of the session that c, a front's connection, carries;
// "" for any other.
func SessionOf(c frame.Conn) string {
	if f, ok := c.(*frontConn); ok {
		return f.id
	}
	return ""
}

// Listen says that a server is to listen at addr only where what it offers may
// be offered there: without TLS on loopback alone.
func Listen(addr string, tls bool) error {
	host, _, err := splitAddr(addr)
	if err != nil {
		return err
	}
	if !tls && !Loopback(host) {
		return fmt.Errorf("%s is not a loopback address, and the token would cross the network unprotected; give a certificate and a key, or listen on 127.0.0.1", addr)
	}
	return nil
}
