package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mayi/pkg/sandbox"
)

// rig is a proxy with a resolver and a server of its own. Names that end in
// ".ok" are allowed; what they resolve to is in the map.
type rig struct {
	t      *testing.T
	addr   string
	mu     sync.Mutex
	looked []string
	heard  []string
	port   int
}

func newRig(t *testing.T, open bool, addrs map[string][]string) *rig {
	r := &rig{t: t}
	srv, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.port = srv.Addr().(*net.TCPAddr).Port
	h := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		r.heard = append(r.heard, q.Host+" "+q.URL.String()+" "+q.Header.Get("Proxy-Authorization"))
		r.mu.Unlock()
		_, _ = io.WriteString(w, "hello")
	})}
	go func() { _ = h.Serve(srv) }()
	t.Cleanup(func() { h.Close() })
	o := Options{Host: func(_ context.Context, host string, _ int) error {
		if strings.HasSuffix(host, ".ok") {
			return nil
		}
		return errors.New("not on the list")
	}}
	if open {
		o.Private = func(string) bool { return true }
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	p := newProxy(ctx, o, sandbox.Supervisor{})
	p.own = func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("93.184.216.99")} }
	p.resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
		r.mu.Lock()
		r.looked = append(r.looked, host)
		r.mu.Unlock()
		var out []netip.Addr
		for _, a := range addrs[host] {
			out = append(out, netip.MustParseAddr(a))
		}
		return out, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go p.serve(l)
	r.addr = l.Addr().String()
	return r
}

// send writes raw bytes and gives what comes back until the end.
func (r *rig) send(text string) string {
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	_, _ = io.WriteString(c, text)
	if t, ok := c.(*net.TCPConn); ok && !strings.HasPrefix(text, "\x05") {
		_ = t.CloseWrite()
	}
	b, _ := io.ReadAll(c)
	return string(b)
}

func TestProxyPasses(t *testing.T) {
	r := newRig(t, true, map[string][]string{"a.ok": {"127.0.0.1"}})
	got := r.send(fmt.Sprintf("GET http://a.ok:%d/x HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: Basic x\r\n\r\n", r.port))
	if !strings.Contains(got, " 200 ") || !strings.HasSuffix(got, "hello") {
		t.Errorf("plain: %q", got)
	}
	got = r.send(fmt.Sprintf("CONNECT a.ok:%d HTTP/1.1\r\nHost: a.ok\r\n\r\nGET /y HTTP/1.0\r\n\r\n", r.port))
	if !strings.Contains(got, "200 Connection established") || !strings.HasSuffix(got, "hello") {
		t.Errorf("connect: %q", got)
	}
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte{5, 1, 0})
	br := bufio.NewReader(c)
	head := make([]byte, 2)
	_, _ = io.ReadFull(br, head)
	_, _ = c.Write(append([]byte{5, 1, 0, 3, 4}, append([]byte("a.ok"), byte(r.port>>8), byte(r.port))...))
	answer := make([]byte, 10)
	if _, err := io.ReadFull(br, answer); err != nil || answer[1] != 0 {
		t.Fatalf("socks: %v %v", answer, err)
	}
	_, _ = io.WriteString(c, "GET /z HTTP/1.0\r\n\r\n")
	b, _ := io.ReadAll(br)
	if !strings.HasSuffix(string(b), "hello") {
		t.Errorf("socks: %q", b)
	}
	if len(r.heard) != 3 || !strings.HasPrefix(r.heard[0], fmt.Sprintf("a.ok:%d /x ", r.port)) || strings.Contains(r.heard[0], "Basic") {
		t.Errorf("the server heard %q", r.heard)
	}
}

// TestProxyRefuses: none of these reaches a server, and no refused name is
// looked up.
func TestProxyRefuses(t *testing.T) {
	addrs := map[string][]string{
		"loop.ok": {"127.0.0.1"}, "six.ok": {"::1"}, "mapped.ok": {"::ffff:127.0.0.1"}, "meta.ok": {"169.254.169.254"}, "priv.ok": {"10.1.2.3"},
		"nat.ok": {"64:ff9b::7f00:1"}, "six4.ok": {"2002:7f00:1::"}, "own.ok": {"93.184.216.99"}, "zero.ok": {"0.0.0.0"}, "cg.ok": {"100.64.0.1"},
		"two.ok": {"127.0.0.1", "10.0.0.1"}, "none.ok": nil, "ula.ok": {"fd00::1"}, "link.ok": {"fe80::1"}, "teredo.ok": {"2001:0:0:0:0:0:80ff:fffe"},
	}
	r := newRig(t, false, addrs)
	var hosts []string
	for h := range addrs {
		hosts = append(hosts, h)
	}
	hosts = append(hosts, "evil.test", "127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "a.ok@127.0.0.1",
		"evil.test#.ok", "evil.test/.ok", "evil.test%00.ok", "evil.test\x00.ok", "evil.test\\.ok", "evil.test .ok", "evil.test?.ok", "[::1%25lo]", "evil。test", "169.254.169.254", "")
	for _, h := range hosts {
		for _, text := range []string{
			fmt.Sprintf("CONNECT %s:%d HTTP/1.1\r\nHost: a.ok\r\n\r\n", h, r.port),
			fmt.Sprintf("GET http://%s:%d/ HTTP/1.1\r\nHost: a.ok\r\n\r\n", h, r.port),
			"\x05\x01\x00\x05\x01\x00\x03" + string(rune(len(h)%128)) + h + string([]byte{byte(r.port >> 8), byte(r.port)}),
		} {
			if got := r.send(text); strings.Contains(got, " 200 ") || strings.Contains(got, "hello") {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: a.ok\r\n\r\n", "GET https://a.ok/ HTTP/1.1\r\n\r\n", "GET ftp://a.ok/ HTTP/1.1\r\n\r\n", "CONNECT a.ok HTTP/1.1\r\n\r\n",
		"CONNECT a.ok:0 HTTP/1.1\r\n\r\n", "CONNECT a.ok:99999 HTTP/1.1\r\n\r\n", "\x04\x01\x00\x50\x7f\x00\x00\x01\x00", "junk\r\n\r\n", strings.Repeat("x", 1<<20),
	} {
		if got := r.send(text); strings.Contains(got, " 200 ") || strings.Contains(got, "hello") {
			t.Errorf("%.40q: %q", text, got)
		}
	}
	if len(r.heard) != 0 {
		t.Errorf("the server heard %q", r.heard)
	}
	for _, l := range r.looked {
		if !strings.HasSuffix(l, ".ok") {
			t.Errorf("%q was looked up", l)
		}
	}
}

// TestProxyOneRequest: what follows a plain request on the same connection is
// not passed on, whatever it asks for.
func TestProxyOneRequest(t *testing.T) {
	r := newRig(t, true, map[string][]string{"a.ok": {"127.0.0.1"}})
	one := fmt.Sprintf("GET http://a.ok:%d/1 HTTP/1.1\r\nHost: a.ok\r\n\r\n", r.port)
	r.send(one + fmt.Sprintf("GET http://evil.test:%d/2 HTTP/1.1\r\nHost: a.ok\r\n\r\n", r.port))
	r.send(fmt.Sprintf("POST http://a.ok:%d/3 HTTP/1.1\r\nHost: a.ok\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /4 HTTP/1.1\r\nHost: evil.test\r\n\r\n", r.port))
	for _, h := range r.heard {
		if strings.Contains(h, "/2") || strings.Contains(h, "/4") {
			t.Errorf("the server heard %q", h)
		}
	}
}

// TestProxyBoundsHeads: a head has an end, on both sides; a body does not count.
func TestProxyBoundsHeads(t *testing.T) {
	r := newRig(t, true, map[string][]string{"a.ok": {"127.0.0.1"}})
	long := strings.Repeat("X: "+strings.Repeat("a", 1000)+"\r\n", 2*maxHead/1000)
	body := strings.Repeat("b", 3*maxHead)
	if got := r.send(fmt.Sprintf("POST http://a.ok:%d/2 HTTP/1.1\r\nHost: a.ok\r\nContent-Length: %d\r\n\r\n%s", r.port, len(body), body)); !strings.Contains(got, " 200 ") {
		t.Errorf("a large body: %.80q", got)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var calls atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			go func() { // one answer that is preceded by another, one without an end
				defer c.Close()
				q, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				first := "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n"
				if q.URL.Path == "/long" {
					first = "HTTP/1.1 200 OK\r\n" + long
				}
				_, _ = io.WriteString(c, first+"Content-Length: 5\r\n\r\nafter")
			}()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	if got := r.send(fmt.Sprintf("GET http://a.ok:%d/short HTTP/1.1\r\nHost: a.ok\r\n%s\r\n", port, long)); strings.Contains(got, " 200 ") || calls.Load() != 0 {
		t.Errorf("%.80q, %d calls", got, calls.Load())
	}
	if got := r.send(fmt.Sprintf("GET http://a.ok:%d/short HTTP/1.1\r\nHost: a.ok\r\n\r\n", port)); !strings.HasSuffix(got, "after") {
		t.Errorf("behind hints: %q", got)
	}
	if got := r.send(fmt.Sprintf("GET http://a.ok:%d/long HTTP/1.1\r\nHost: a.ok\r\n\r\n", port)); strings.Contains(got, " 200 ") {
		t.Errorf("an answer without an end: %.80q", got)
	}
}

func TestReserved(t *testing.T) {
	for _, a := range []string{"8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808"} {
		if why := reserved(netip.MustParseAddr(a), nil); why != "" {
			t.Errorf("%s: %s", a, why)
		}
	}
	for _, a := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "::ffff:a00:1", "::7f00:1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
		"169.254.1.1", "fe80::1", "fd00::1", "fec0::1", "0.0.0.0", "::", "0.1.2.3", "100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1",
		"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:a00:1::", "2001:0:0:0:0:0:80ff:fffe", "2400::5efe:a00:1", "93.184.216.99"} {
		if reserved(netip.MustParseAddr(a), []netip.Addr{netip.MustParseAddr("93.184.216.99")}) == "" {
			t.Errorf("%s passes", a)
		}
	}
}
