package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Server plays one script to whoever asks. It is safe for concurrent use.
type Server struct {
	http *httptest.Server
	dump string

	mu      sync.Mutex
	script  []Call
	begun   int // calls whose Before has run
	seen    int
	results []string
	tools   []string
}

// protocol reads one kind of request and writes one kind of answer.
type protocol interface {
	read(body map[string]any, path string) asked
	// write answers with call, or with words where call is nil. n counts the
	// calls from one.
	write(w *answer, call *Call, n int)
}

// New starts a server without a script: it answers everything with a word. With
// dump, every request is kept in that folder.
func New(dump string) *Server {
	s := &Server{dump: dump}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Play makes script what the next run plays: one call each turn, then a closing
// word. What was recorded before is forgotten.
func (s *Server) Play(script []Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.begun, s.results, s.tools = script, 0, nil, nil
}

// URL is the server's address without a path.
func (s *Server) URL() string { return s.http.URL }

// Close ends the server.
func (s *Server) Close() { s.http.CloseClientConnections(); s.http.Close() }

// Results is what the agent reported for each scripted call so far, in the
// script's order. A call that has no result yet has no entry.
func (s *Server) Results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.results...)
}

// Tools is what the agent offered the model in the scripted conversation.
func (s *Server) Tools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.tools...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.keep(r, raw)
	path := r.URL.Path
	if r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	if strings.HasSuffix(path, "count_tokens") || strings.HasSuffix(path, ":countTokens") {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"input_tokens":10,"totalTokens":10}`)
		return
	}
	var p protocol
	switch {
	case strings.HasSuffix(path, "/messages"):
		p = messages{}
	case strings.HasSuffix(path, "/responses"):
		p = responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		p = completions{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		p = generate{}
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{}`)
		return
	}
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q := p.read(body, path)
	call, n := s.next(q)
	p.write(&answer{w: w, stream: q.stream}, call, n)
}

// next is the call for a conversation with that many results: the conversation
// itself says how far it is, so a repeated request gets the same answer.
func (s *Server) next(q asked) (*Call, int) {
	if !q.marked || len(q.tools) == 0 {
		return nil, 0
	}
	call, n, first := s.advance(q)
	if first && call.Before != nil {
		call.Before()
	}
	return call, n
}

// advance records what q says and finds the call, nil at the script's end.
// first is true for the first request that gets this call.
func (s *Server) advance(q asked) (call *Call, n int, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(q.results) >= len(s.results) {
		s.results = q.results
	}
	if len(q.tools) > len(s.tools) {
		s.tools = q.tools
	}
	n = len(q.results)
	if n >= len(s.script) {
		return nil, 0, false
	}
	first = n == s.begun
	if first {
		s.begun++
	}
	return &s.script[n], n + 1, first
}

func (s *Server) keep(r *http.Request, raw []byte) {
	if s.dump == "" {
		return
	}
	s.mu.Lock()
	s.seen++
	n := s.seen
	s.mu.Unlock()
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s\n", r.Method, r.URL)
	if json.Indent(&out, raw, "", " ") != nil {
		out.Write(raw)
	}
	// For a person who looks; a dump that cannot be written changes nothing.
	_ = os.WriteFile(filepath.Join(s.dump, fmt.Sprintf("request-%03d.txt", n)), out.Bytes(), 0o600)
}

// answer writes one answer, as one object or as a stream of events.
type answer struct {
	w      http.ResponseWriter
	stream bool
}

func (a *answer) object(v any) {
	a.w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(a.w).Encode(v)
}

// event writes one server-sent event; name may be empty.
func (a *answer) event(name string, v any) {
	a.w.Header().Set("Content-Type", "text/event-stream")
	data, err := json.Marshal(v)
	if err != nil {
		panic("an event is plain JSON: " + err.Error())
	}
	if name != "" {
		fmt.Fprintf(a.w, "event: %s\n", name)
	}
	fmt.Fprintf(a.w, "data: %s\n\n", data)
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// closing is what the model says when the script is over.
const closing = "done"
