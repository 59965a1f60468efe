package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"mayi/internal/mcp/web"
)

// TestGuard: only with the token, and only under a name of this server's.
func TestGuard(t *testing.T) {
	within := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	h := web.Guard(token, []string{"mayi.example"}, within)
	for _, c := range []struct {
		host, origin, auth string
		want               int
	}{
		{"127.0.0.1:8722", "", "Bearer " + token, 204},
		{"localhost:8722", "", "bearer " + token, 204},
		{"[::1]:8722", "", "Bearer " + token, 204},
		{"mayi.example:8722", "", "Bearer " + token, 204},
		{"MAYI.example", "", "Bearer " + token, 204},
		{"127.0.0.1:8722", "http://127.0.0.1:8722", "Bearer " + token, 204},
		{"127.0.0.1:8722", "", "", 401},
		{"127.0.0.1:8722", "", "Bearer", 401},
		{"127.0.0.1:8722", "", "Bearer " + token + "x", 401},
		{"127.0.0.1:8722", "", "Basic " + token, 401},
		{"evil.example:8722", "", "Bearer " + token, 403},
		{"127.0.0.1.evil.example", "", "Bearer " + token, 403},
		{"", "", "Bearer " + token, 403},
		{"127.0.0.1:8722", "http://evil.example", "Bearer " + token, 403},
		{"127.0.0.1:8722", "http://localhost:3000", "Bearer " + token, 403},
		{"127.0.0.1:8722", "null", "Bearer " + token, 403},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.auth != "" {
			r.Header.Set("Authorization", c.auth)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("host %q, origin %q, %q: %d, want %d", c.host, c.origin, c.auth, w.Code, c.want)
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer ")
	web.Guard("", nil, within).ServeHTTP(w, r)
	if w.Code != 401 {
		t.Errorf("no token at all: %d", w.Code)
	}
}

func TestListenOnLoopbackAlone(t *testing.T) {
	for addr, ok := range map[string]bool{"127.0.0.1:1": true, "localhost:1": true, "[::1]:1": true, "0.0.0.0:1": false, ":1": false, "192.0.2.1:1": false, "x": false} {
		if err := web.Listen(addr, false); (err == nil) != ok {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if err := web.Listen("0.0.0.0:1", true); err != nil {
		t.Error(err)
	}
}
