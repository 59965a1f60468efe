// Package modeltest holds the suite that every provider of models passes,
// against a real HTTP server that speaks the provider's streaming format.
package modeltest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mayi/pkg/agent/model"
)

// Script is a reply for a server to stream.
type Script struct {
	Text  []string
	Calls []ScriptCall
	Stop  model.Stop
	Usage model.Usage
}

// ScriptCall is a tool call whose arguments come in pieces.
type ScriptCall struct {
	ID, Name string
	Args     []string
}

// Wire is a provider with its format.
type Wire struct {
	// New makes the provider's model.
	New func(model.Config) (model.Model, error)
	// Base is what the base URL has after the host, Path the path that a
	// request must come to.
	Base, Path string
	// Frames are the events of a whole reply, each with its blank line.
	Frames func(Script) []string
	// ErrorFrame is an error in the middle of a stream, ErrorBody the body of
	// an HTTP error.
	ErrorFrame, ErrorBody func(message string) string
	// HasKey reports whether a request carries the key.
	HasKey func(r *http.Request, key string) bool
}

const (
	testKey   = "test-key"
	testModel = "test-model"
	// guard ends a test that hangs; no test waits for it otherwise.
	guard = 20 * time.Second
)

// Run runs the suite.
func Run(t *testing.T, w Wire) {
	t.Run("replies", w.replies)
	t.Run("pieces of any size", w.anySize)
	t.Run("truncated", w.truncated)
	t.Run("error in the stream", w.errorInStream)
	t.Run("http errors", w.httpErrors)
	t.Run("no server", w.noServer)
	t.Run("no event stream", w.noEventStream)
	t.Run("cancelled", w.cancelled)
	t.Run("connection cut", w.connectionCut)
	t.Run("cut at the length limit", w.lengthLimit)
	t.Run("configuration", w.configuration)
}

// serve starts a server and returns a model on it.
func (w Wire) serve(t *testing.T, h http.HandlerFunc) model.Model {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != w.Path {
			t.Errorf("request to %s, want %s", r.URL.Path, w.Path)
		}
		if !w.HasKey(r, testKey) {
			t.Error("the request does not carry the key")
		}
		h(rw, r)
	}))
	t.Cleanup(srv.Close)
	m, err := w.New(model.Config{BaseURL: srv.URL + w.Base, Key: testKey, Model: testModel})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Stream writes the pieces to rw, each flushed for itself.
func Stream(rw http.ResponseWriter, pieces ...string) {
	rw.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	rw.WriteHeader(http.StatusOK)
	for _, p := range pieces {
		_, _ = rw.Write([]byte(p))
		rw.(http.Flusher).Flush()
	}
}

// Ask runs one turn of m and returns the reply, the streamed text and the error.
func Ask(t *testing.T, m model.Model) (model.Reply, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	var text strings.Builder
	r, err := m.Stream(ctx, model.Request{Messages: []model.Message{{Role: model.User, Text: "hello"}}}, func(ev model.Event) {
		text.WriteString(ev.Text)
	})
	return r, text.String(), err
}

// callsScript is a reply with text and two parallel calls.
func callsScript() Script {
	return Script{
		Text: []string{"I ", "look, ", "then ⟨wait⟩."},
		Calls: []ScriptCall{
			{ID: "a1", Name: "exec", Args: []string{`{"comm`, `and":"ls `, `/desktop"`, `}`}},
			{ID: "b2", Name: "read", Args: []string{`{"file_path":"a é.txt"}`}},
		},
		Stop: model.StopTools, Usage: model.Usage{Input: 11, Output: 7},
	}
}

func (w Wire) replies(t *testing.T) {
	for name, s := range map[string]Script{
		"text":       {Text: []string{"Hel", "lo"}, Stop: model.StopEnd, Usage: model.Usage{Input: 3, Output: 2}},
		"calls":      callsScript(),
		"a bad call": {Calls: []ScriptCall{{ID: "x", Name: "exec", Args: []string{`{"command":`}}}, Stop: model.StopTools},
		"no args":    {Calls: []ScriptCall{{ID: "x", Name: "ls"}}, Stop: model.StopTools},
		"cut text":   {Text: []string{"and so"}, Stop: model.StopLength},
	} {
		t.Run(name, func(t *testing.T) {
			m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { Stream(rw, w.Frames(s)...) })
			r, streamed, err := Ask(t, m)
			if err != nil {
				t.Fatal(err)
			}
			Same(t, r, s)
			if streamed != r.Text {
				t.Errorf("streamed %q, reply %q", streamed, r.Text)
			}
		})
	}
}

// Same fails where r is not the reply of s.
func Same(t *testing.T, r model.Reply, s Script) {
	t.Helper()
	if want := strings.Join(s.Text, ""); r.Text != want {
		t.Errorf("text %q, want %q", r.Text, want)
	}
	if r.Stop != s.Stop {
		t.Errorf("stop %q, want %q", r.Stop, s.Stop)
	}
	if r.Usage != s.Usage {
		t.Errorf("usage %+v, want %+v", r.Usage, s.Usage)
	}
	if len(r.Calls) != len(s.Calls) {
		t.Fatalf("%d calls, want %d: %+v", len(r.Calls), len(s.Calls), r.Calls)
	}
	for i, c := range s.Calls {
		want := model.Call{ID: c.ID, Name: c.Name, Args: strings.Join(c.Args, "")}
		if r.Calls[i] != want {
			t.Errorf("call %d: %+v, want %+v", i, r.Calls[i], want)
		}
	}
}

func (w Wire) anySize(t *testing.T) {
	all := strings.Join(w.Frames(callsScript()), "")
	for _, size := range []int{1, 7, len(all)} {
		m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
			var pieces []string
			for rest := all; rest != ""; {
				n := min(size, len(rest))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			Stream(rw, pieces...)
		})
		r, _, err := Ask(t, m)
		if err != nil {
			t.Fatalf("pieces of %d bytes: %v", size, err)
		}
		Same(t, r, callsScript())
	}
}

// truncated ends the stream after each of its events but the last ones: never a
// call, always an error that can be tried again.
func (w Wire) truncated(t *testing.T) {
	frames := w.Frames(callsScript())
	ends := 0
	for n := range frames {
		m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { Stream(rw, frames[:n]...) })
		r, _, err := Ask(t, m)
		if err == nil {
			// The end has been said; only an end marker or the usage is missing.
			if n < len(frames)-2 {
				t.Errorf("%d of %d events count as a whole reply", n, len(frames))
			}
			ends++
			continue
		}
		if len(r.Calls) != 0 {
			t.Errorf("%d of %d events: an error with calls %+v", n, len(frames), r.Calls)
		}
		wantFailure(t, err, "broke off", true)
	}
	if ends > 2 {
		t.Errorf("%d shortened streams count as whole", ends)
	}
}

func (w Wire) errorInStream(t *testing.T) {
	frames := w.Frames(callsScript())
	m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		Stream(rw, append(frames[:len(frames)-3:len(frames)-3], w.ErrorFrame("the engine is overloaded"))...)
	})
	r, _, err := Ask(t, m)
	if len(r.Calls) != 0 {
		t.Errorf("an error with calls %+v", r.Calls)
	}
	wantFailure(t, err, "the engine is overloaded", true)
}

func (w Wire) httpErrors(t *testing.T) {
	for _, c := range []struct {
		status    int
		header    string
		want      []string
		temporary bool
	}{
		{401, "", []string{"401", "key", "says the server"}, false},
		{403, "", []string{"403"}, false},
		{404, "", []string{"404", testModel, "base URL"}, false},
		{400, "", []string{"400", "says the server"}, false},
		{429, "17", []string{"429", "try again in 17s"}, true},
		{429, "", []string{"429", "try again"}, true},
		{500, "", []string{"500"}, true},
		{529, "", []string{"529"}, true},
	} {
		n := 0
		m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
			n++
			rw.Header().Set("Content-Type", "application/json")
			if c.header != "" {
				rw.Header().Set("Retry-After", c.header)
			}
			rw.WriteHeader(c.status)
			_, _ = rw.Write([]byte(w.ErrorBody("says the server")))
		})
		_, _, err := Ask(t, m)
		for _, word := range c.want {
			wantFailure(t, err, word, c.temporary)
		}
		if err != nil && strings.Contains(err.Error(), testKey) {
			t.Errorf("status %d: the error shows the key", c.status)
		}
		if n != 1 {
			t.Errorf("status %d: %d requests", c.status, n)
		}
	}
}

func (w Wire) noServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	m, err := w.New(model.Config{BaseURL: "http://" + addr + w.Base, Key: testKey, Model: testModel})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Ask(t, m)
	wantFailure(t, err, "connection refused", false)
	wantFailure(t, err, addr, false)
}

func (w Wire) noEventStream(t *testing.T) {
	m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = rw.Write([]byte("<html>welcome</html>"))
	})
	_, _, err := Ask(t, m)
	wantFailure(t, err, "text/html", false)

	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the request, with the key, was taken to another host")
	}))
	defer elsewhere.Close()
	m = w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	_, _, err = Ask(t, m)
	wantFailure(t, err, elsewhere.URL, false)

	broken := w.Frames(Script{Text: []string{"x"}, Stop: model.StopEnd})
	broken[1] = strings.Replace(broken[1], "data: {", "data: {{", 1)
	m = w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { Stream(rw, broken...) })
	_, _, err = Ask(t, m)
	wantFailure(t, err, "cannot be read", false)
}

// cancelled stops a stream that the server would never end.
func (w Wire) cancelled(t *testing.T) {
	gone := make(chan struct{})
	frames := w.Frames(callsScript())
	m := w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		Stream(rw, frames[:len(frames)/2]...)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	r, err := m.Stream(ctx, model.Request{Messages: []model.Message{{Role: model.User, Text: "x"}}}, func(ev model.Event) {
		if ev.Text != "" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if len(r.Calls) != 0 {
		t.Errorf("a cancelled stream with calls %+v", r.Calls)
	}
	select {
	case <-gone:
	case <-time.After(guard):
		t.Error("the request goes on after the end of its context")
	}
}

// connectionCut drops the connection in the middle of an event.
func (w Wire) connectionCut(t *testing.T) {
	frames := w.Frames(callsScript())
	m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		half := frames[len(frames)/2]
		Stream(rw, append(frames[:len(frames)/2:len(frames)/2], half[:len(half)/2])...)
		panic(http.ErrAbortHandler)
	})
	r, _, err := Ask(t, m)
	if len(r.Calls) != 0 {
		t.Errorf("an error with calls %+v", r.Calls)
	}
	wantFailure(t, err, "broke off", true)
}

func (w Wire) lengthLimit(t *testing.T) {
	s := callsScript()
	s.Stop = model.StopLength
	m := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { Stream(rw, w.Frames(s)...) })
	r, _, err := Ask(t, m)
	if len(r.Calls) != 0 {
		t.Errorf("a reply that was cut has calls %+v", r.Calls)
	}
	wantFailure(t, err, "limit of its length", false)
}

func (w Wire) configuration(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  model.Config
		want string
	}{
		"no key":            {model.Config{Model: "m"}, "no API key"},
		"no model":          {model.Config{Key: "k"}, "no model"},
		"not a URL":         {model.Config{Key: "k", Model: "m", BaseURL: "localhost:1234"}, "http"},
		"a password":        {model.Config{Key: "k", Model: "m", BaseURL: "https://u:secret@h/v1"}, "user or password"},
		"a key in clear":    {model.Config{Key: "k", Model: "m", BaseURL: "http://example.com/v1"}, "unencrypted"},
		"a key with blanks": {model.Config{Key: "secret\n", Model: "m"}, "copy it again"},
		"negative":          {model.Config{Key: "k", Model: "m", MaxTokens: -1}, "negative"},
		"a control letter":  {model.Config{Key: "k", Model: "m", BaseURL: "http://h\x00secret/"}, "cannot be read"},
	} {
		_, err := w.New(c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := w.New(model.Config{Model: "m", BaseURL: "http://localhost:11434/v1"}); err != nil {
		t.Errorf("a server on this machine without a key: %v", err)
	}
}

// wantFailure fails where err is no failure with this text.
func wantFailure(t *testing.T, err error, text string, temporary bool) {
	t.Helper()
	var f *model.Failure
	if !errors.As(err, &f) {
		t.Errorf("error %v (%T), want a failure", err, err)
		return
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("error %q lacks %q", err, text)
	}
	if f.Temporary != temporary {
		t.Errorf("error %q: temporary %v, want %v", err, f.Temporary, temporary)
	}
}
