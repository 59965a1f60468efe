package tools

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// site is a real server with one page for each case.
func site(t *testing.T) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var hits atomic.Int32
	mux := http.NewServeMux()
	page := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			hits.Add(1)
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		})
	}
	page("/html", "text/html; charset=utf-8", `<html><head><title>The title</title><style>p{}</style><script>evil()</script></head>
<body><h1>Head &amp; more</h1><p>Some <b>bold</b>   text,
wrapped. <a href="/next">a link</a></p><ul><li>first<li>second</ul><pre>  kept
   as is</pre><div hidden>unseen</div><img alt="a picture" src=x></body></html>`)
	page("/latin", "text/html; charset=iso-8859-1", "<p>caf\xe9</p>")
	page("/json", "application/json", `{"a":1}`)
	page("/binary", "image/png", "\x89PNG\x00\x00")
	page("/zeros", "text/plain", "a\x00b")
	page("/long", "text/plain", strings.Repeat("x", 10_000))
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such page", 404) })
	mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.UserAgent(), r.Referer(), r.Header["Cookie"])
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("u"), http.StatusFound)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s, &hits
}

func newFetch(t *testing.T, b *bench, change func(*WebOptions)) Tool {
	t.Helper()
	o := WebOptions{Session: b.session, AllowPrivate: func(h string) bool { return h == "127.0.0.1" }, MaxText: 1000, MaxBytes: 5000}
	if change != nil {
		change(&o)
	}
	tool, err := NewWebFetch(o)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestWebFetch(t *testing.T) {
	s, _ := site(t)
	other, otherHits := site(t)
	b := newBench(t)
	b.gate.deny = "json?forbidden"
	tool := newFetch(t, b, nil)
	redirect := func(to string) string { return s.URL + "/to?u=" + url.QueryEscape(to) }
	for _, tt := range []struct {
		name, url string
		want, not []string
		isError   bool
	}{
		{"html", s.URL + "/html", []string{"200 OK", "The title", "# Head & more", "Some bold text, wrapped. a link (/next)", "- first\n- second", "  kept\n   as is", "[a picture]"}, []string{"evil", "p{}", "unseen"}, false},
		{"another charset", s.URL + "/latin", []string{"café"}, nil, false},
		{"json", s.URL + "/json", []string{`{"a":1}`}, nil, false},
		{"binary", s.URL + "/binary", []string{"6 bytes of image/png"}, []string{"PNG\x00"}, false},
		{"text with zeros", s.URL + "/zeros", []string{"not shown"}, nil, false},
		{"too long", s.URL + "/long", []string{"4,000 bytes more of this page", "larger than 5,000 bytes"}, nil, false},
		{"not found", s.URL + "/gone", []string{"404", "no such page"}, nil, true},
		{"a redirect", redirect("/json"), []string{s.URL + "/json", `{"a":1}`}, nil, false},
		{"a redirect that the gate refuses", redirect(s.URL + "/json?forbidden"), []string{"redirected", "not allowed"}, []string{`{"a":1}`}, true},
		{"a redirect to a file", redirect("file:///etc/passwd"), []string{"only http and https"}, []string{"root:"}, true},
		{"a redirect with a password", redirect("http://u:p@127.0.0.1/"), []string{"user name or password"}, []string{":p@"}, true},
		{"a redirect to a private name", redirect("http://localhost" + other.URL[strings.LastIndexByte(other.URL, ':'):] + "/json"), []string{"not a public one"}, nil, true},
		{"a redirect to an odd number", redirect("http://2130706433/"), nil, nil, true},
		{"a redirect without end", s.URL + "/to?u=" + url.QueryEscape("/to?u=%2Fto"), nil, nil, true},
		{"refused by the gate", s.URL + "/json?forbidden", []string{"not allowed"}, nil, true},
		{"loopback by name", "http://localhost" + other.URL[strings.LastIndexByte(other.URL, ':'):] + "/json", []string{"127.0.0.1", "not a public one"}, nil, true},
		{"another scheme", "ftp://example.com/", []string{"only http and https"}, nil, true},
		{"a file", "file:///etc/passwd", nil, []string{"root:"}, true},
		{"a password", "http://u:p@127.0.0.1/", []string{"user name or password"}, nil, true},
		{"no address", "::", nil, nil, true},
		{"says who asks, and nothing else", redirect(s.URL + "/agent"), []string{"mayi[]"}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := tool.Execute(t.Context(), map[string]any{"url": tt.url})
			wantText(t, "ForLLM", res.ForLLM, tt.want...)
			for _, n := range tt.not {
				if strings.Contains(res.ForLLM, n) {
					t.Errorf("%q holds %q", res.ForLLM, n)
				}
			}
			if res.IsError != tt.isError {
				t.Errorf("IsError = %v: %q", res.IsError, res.ForLLM)
			}
		})
	}
	if otherHits.Load() != 0 {
		t.Error("a private server was reached")
	}
}

func TestWebFetchTakesTime(t *testing.T) {
	s, _ := site(t)
	b := newBench(t)
	tool := newFetch(t, b, func(o *WebOptions) { o.Timeout = 50 * time.Millisecond })
	res := tool.Execute(t.Context(), map[string]any{"url": s.URL + "/slow"})
	wantText(t, "ForLLM", res.ForLLM, "did not answer in time")
}

func TestWebFetchProxies(t *testing.T) {
	s, hits := site(t)
	var proxied atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		proxied.Add(1)
		fmt.Fprint(w, "from the proxy")
	}))
	t.Cleanup(proxy.Close)
	// A server on another address than loopback would use it; loopback never
	// does, so the proxy that is set has to be one that counts.
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	b := newBench(t)
	res := newFetch(t, b, nil).Execute(t.Context(), map[string]any{"url": s.URL + "/json"})
	if res.IsError || hits.Load() != 1 || proxied.Load() != 0 {
		t.Errorf("the environment's proxy was used: %+v", res)
	}
	res = newFetch(t, b, nil).Execute(t.Context(), map[string]any{"url": "http://mayi-test.invalid/"})
	if !res.IsError || proxied.Load() != 0 {
		t.Errorf("the environment's proxy was used: %+v", res)
	}
	res = newFetch(t, b, func(o *WebOptions) { o.Proxy = proxy.URL }).Execute(t.Context(), map[string]any{"url": "http://mayi-test.invalid/"})
	wantText(t, "configured proxy", res.ForLLM, "from the proxy")
	if _, err := NewWebFetch(WebOptions{Session: b.session, Proxy: "::"}); err == nil {
		t.Error("made with a broken proxy")
	}
}

func TestPublicAddress(t *testing.T) {
	closed := closedNets()
	for _, tt := range []struct {
		addr   string
		public bool
	}{
		{"93.184.216.34", true}, {"8.8.8.8", true}, {"2606:2800:220:1:248:1893:25c8:1946", true}, {"2001:4860:4860::8888", true},
		{"127.0.0.1", false}, {"127.8.9.1", false}, {"0.0.0.0", false}, {"10.1.2.3", false}, {"172.16.0.1", false}, {"172.31.255.255", false}, {"172.32.0.1", true},
		{"192.168.1.1", false}, {"169.254.169.254", false}, {"100.64.0.1", false}, {"100.100.100.200", false}, {"100.128.0.1", true}, {"224.0.0.1", false},
		{"255.255.255.255", false}, {"198.18.0.1", false}, {"192.0.0.192", false},
		{"::1", false}, {"::", false}, {"fe80::1", false}, {"fe80::1%eth0", false}, {"fc00::1", false}, {"fd00:ec2::254", false}, {"ff02::1", false},
		{"::ffff:127.0.0.1", false}, {"::ffff:10.0.0.1", false}, {"::ffff:8.8.8.8", true}, {"::127.0.0.1", false},
		{"64:ff9b::7f00:1", false}, {"64:ff9b::a9fe:a9fe", false}, {"64:ff9b:1::1", false}, {"2002:7f00:1::", false}, {"2001:0:1::1", false}, {"2001:db8::1", false},
	} {
		if got := publicAddress(netip.MustParseAddr(tt.addr), closed); got != tt.public {
			t.Errorf("%s: %v", tt.addr, got)
		}
	}
	if publicAddress(netip.Addr{}, closed) {
		t.Error("the zero address is public")
	}
}

// TestDialerChecksEveryAddress: a name with one private address among public
// ones is refused, and what is dialled is what was checked.
func TestDialerChecksEveryAddress(t *testing.T) {
	d := newGuardedDialer(func(string) bool { return false })
	d.lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")}, nil
	}
	if c, err := d.dial(t.Context(), "tcp", "rebind.example:80"); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("dialled: %v, %v", c, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d.private = func(h string) bool { return h == "named.example" }
	d.lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c, err := d.dial(t.Context(), "tcp", "named.example:"+port)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	d.lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, nil }
	if _, err := d.dial(t.Context(), "tcp", "empty.example:80"); err == nil {
		t.Error("dialled a name without an address")
	}
}
