package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/web"
)

// mirror is a front whose session answers each request with its method, after a
// notification about it.
func mirror(t *testing.T) *httptest.Server {
	front := web.NewFront(func(ctx context.Context, c frame.Conn) {
		for {
			p, err := c.Read(ctx)
			if err != nil {
				return
			}
			m, err := frame.Parse(p.Raw)
			if err != nil || !m.Request() {
				continue
			}
			about := m.Key()
			if m.Method == "unrelated" {
				about = ""
			}
			_ = c.Write(ctx, frame.Packet{Raw: frame.Call("", "note", nil), About: about})
			_ = c.Write(ctx, frame.Packet{Raw: frame.Success(m.ID, m.Method), About: m.Key(), Answer: true})
		}
	})
	s := httptest.NewServer(front)
	t.Cleanup(func() { front.Close(); s.Close() })
	return s
}

func send(t *testing.T, url, method, session, accept, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", accept)
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(raw)
}

const (
	both  = "application/json, text/event-stream"
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize"}`
)

func TestTheFrontsManners(t *testing.T) {
	s := mirror(t)
	res, body := send(t, s.URL, "POST", "", both, hello)
	session := res.Header.Get("Mcp-Session-Id")
	if res.StatusCode != 200 || session == "" || !strings.Contains(body, `"method":"note"`) || !strings.Contains(body, `"result":"initialize"`) {
		t.Fatalf("%d %q: %s", res.StatusCode, session, body)
	}
	for _, c := range []struct {
		method, session, accept, body string
		status                        int
		says                          string
	}{
		{"POST", session, both, `{"jsonrpc":"2.0","method":"n"}`, 202, ""},
		{"POST", session, "application/json", `{"jsonrpc":"2.0","id":"a","method":"m"}`, 200, `{"jsonrpc":"2.0","id":"a","result":"m"}`},
		{"POST", session, "application/json", `[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"n"}]`, 200, `[{"jsonrpc":"2.0","id":1,"result":"m"},{"jsonrpc":"2.0","id":2,"result":"n"}]`},
		{"POST", session, "*/*", `{"jsonrpc":"2.0","id":1,"method":"m"}`, 200, "data: "},
		{"POST", session, both, `[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":1,"method":"n"}]`, 400, "under way"},
		{"POST", session, both, `{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, 400, "twice"},
		{"POST", session, both, `nothing`, 400, "not JSON"},
		{"POST", "", both, `{"jsonrpc":"2.0","id":1,"method":"m"}`, 400, "names no session"},
		{"POST", "another", both, `{"jsonrpc":"2.0","id":1,"method":"m"}`, 404, "no such session"},
		{"POST", "", both, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, 400, `"code":-32022`},
		{"GET", "", "text/event-stream", "", 400, "names no session"},
		{"GET", session, "application/json", "", 406, "accept"},
		{"PUT", session, both, "", 405, "not known"},
		{"DELETE", "another", both, "", 404, ""},
		{"DELETE", session, both, "", 204, ""},
	} {
		res, body := send(t, s.URL, c.method, c.session, c.accept, c.body)
		if res.StatusCode != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.body, res.StatusCode, body, c.status, c.says)
		}
	}
}

// TestWhatBelongsToNoRequest waits for the client's own stream.
func TestWhatBelongsToNoRequest(t *testing.T) {
	s := mirror(t)
	res, _ := send(t, s.URL, "POST", "", both, hello)
	session := res.Header.Get("Mcp-Session-Id")
	if _, body := send(t, s.URL, "POST", session, both, `{"jsonrpc":"2.0","id":2,"method":"unrelated"}`); strings.Contains(body, "note") {
		t.Errorf("the answer holds what is not about it: %s", body)
	}
	r, err := http.NewRequest("GET", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	own, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Body.Close()
	for lines := bufio.NewScanner(own.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), "note") {
			return
		}
	}
	t.Error("it did not come")
}

// TestTheBackMeetsAllKindsOfServers: each answers the request m in its own way.
func TestTheBackMeetsAllKindsOfServers(t *testing.T) {
	event := func(w http.ResponseWriter, id, data string) {
		fmt.Fprintf(w, "id: %s\nretry: 1\ndata: %s\n\n", id, data)
	}
	const answer = `{"jsonrpc":"2.0","id":7,"result":"m"}`
	for _, c := range []struct {
		name string
		h    func(w http.ResponseWriter, r *http.Request, turn int)
		want []string
	}{
		{"json", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			io.WriteString(w, "{\n\"jsonrpc\":\"2.0\",\n\"id\":7,\"result\":\"m\"}")
		}, []string{`{ "jsonrpc":"2.0", "id":7,"result":"m"}`}},
		{"a batch", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `[{"jsonrpc":"2.0","method":"note"},`+answer+`]`)
		}, []string{`{"jsonrpc":"2.0","method":"note"}`, answer}},
		{"events over several lines", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": hello\r\n\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":7,\"result\":\"m\"}\r\n\r\n")
		}, []string{`{"jsonrpc":"2.0",` + "\n" + `"id":7,"result":"m"}`}},
		{"a stream that is taken up again", func(w http.ResponseWriter, r *http.Request, turn int) {
			w.Header().Set("Content-Type", "text/event-stream")
			if turn == 0 {
				event(w, "e1", `{"jsonrpc":"2.0","method":"note"}`)
				return
			}
			if r.Method != "GET" || r.Header.Get("Last-Event-ID") != "e1" {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			event(w, "e2", answer)
		}, []string{`{"jsonrpc":"2.0","method":"note"}`, answer}},
		{"a stream that ends too early", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"note\"}\n\n")
		}, []string{`{"jsonrpc":"2.0","method":"note"}`, "broke off"}},
		{"an error in JSON", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}`)
		}, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}`}},
		{"an error", func(w http.ResponseWriter, r *http.Request, _ int) { http.Error(w, "no", 500) }, []string{"HTTP status 500"}},
		{"another's answer", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":8,"result":"m"}`)
		}, []string{`"id":7,"error"`}},
		{"a redirect", func(w http.ResponseWriter, r *http.Request, turn int) {
			if turn > 0 {
				t.Error("the redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, []string{"HTTP status 307"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c.h(w, r, turn)
				turn++
			}))
			defer s.Close()
			b := web.NewBack(s.URL, nil)
			defer b.Close()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := b.Write(ctx, frame.Packet{Raw: []byte(`{"jsonrpc":"2.0","id":7,"method":"m"}`)}); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				p, err := b.Read(ctx)
				if err != nil || !strings.Contains(string(p.Raw), want) || p.About != "n7" {
					t.Fatalf("%s about %s, %v; want %s", p.Raw, p.About, err, want)
				}
			}
		})
	}
}

// TestTheBacksSession: what follows the initialize waits for the session, carries
// it and the version, and the end is told.
func TestTheBacksSession(t *testing.T) {
	seen := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, _ := frame.Parse(body)
		seen <- strings.TrimSpace(r.Method + " " + m.Method + " " + r.Header.Get("Mcp-Session-Id") + " " + r.Header.Get("Mcp-Protocol-Version") + " " + r.Header.Get("Authorization"))
		switch {
		case m.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`)
		case r.Method == "GET":
			w.WriteHeader(405)
		default:
			w.WriteHeader(202)
		}
	}))
	defer s.Close()
	b := web.NewBack(s.URL, http.Header{"Authorization": {"Bearer up"}})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, raw := range []string{hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		if err := b.Write(ctx, frame.Packet{Raw: []byte(raw)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"POST initialize   Bearer up", "POST notifications/initialized s1 2025-06-18 Bearer up", "GET  s1 2025-06-18 Bearer up"} {
		if got := <-seen; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b.Close()
	if got := <-seen; got != "DELETE  s1 2025-06-18 Bearer up" {
		t.Errorf("at the end: %q", got)
	}
	if _, err := b.Read(ctx); err != nil && err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}
