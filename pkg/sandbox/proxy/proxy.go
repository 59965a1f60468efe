// Package proxy connects a confined job with the hosts that are allowed to it.
// It is apart from the sandbox because it needs the network's packages, which
// cost every process that links them time at its start.
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
	"os"
	"strconv"
	"strings"
	"time"

	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

// Options say what a proxy decides by.
type Options struct {
	// Host decides about a connection by host name. nil refuses every host. An
	// error that wraps [ErrAsk] holds the connection while the person is asked; it
	// may have a method Asks that gives the rule which says so.
	Host func(ctx context.Context, host string, port int) error
	// Private says whether a host may lead to a private, loopback or
	// link-local address, because a person named it. nil: never.
	Private func(host string) bool
}

// ErrAsk: a person has to say whether the host may be reached.
var ErrAsk = errors.New("a person has to be asked")

// New makes the proxy of one job.
func New(o Options) sandbox.Proxy { return maker{o} }

type maker struct{ o Options }

// Serve implements [sandbox.Proxy].
func (m maker) Serve(ctx context.Context, f *os.File, s sandbox.Supervisor) error {
	l, err := net.FileListener(f)
	f.Close()
	if err != nil {
		return fmt.Errorf("sandbox: proxy: %w", err)
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	newProxy(ctx, m.o, s).serve(l)
	l.Close()
	return nil
}

// proxy connects a job with the hosts that are allowed to it. It speaks HTTP
// (CONNECT and plain requests) and SOCKS 5 on the same port. A host is decided
// about by name before anything is looked up, so that a refused name does not
// leave the machine; then the name is resolved here, each address is checked,
// and it is the checked address that is dialled.
type proxy struct {
	ctx     context.Context
	host    func(ctx context.Context, host string, port int) error
	private func(host string) bool
	report  func(sandbox.Violation)
	ask     func(context.Context, sandbox.Access) bool
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	own     func() []netip.Addr
	slots   chan struct{}
}

const (
	proxyConns  = 256
	headTime    = 30 * time.Second
	dialTime    = 30 * time.Second
	maxProxyBuf = 64 << 10
	maxHead     = 1 << 20
	unlimited   = 1<<63 - 1
)

func newProxy(ctx context.Context, o Options, s sandbox.Supervisor) *proxy {
	p := &proxy{ctx: ctx, host: o.Host, private: o.Private, report: s.Report, ask: s.Ask, slots: make(chan struct{}, proxyConns), own: ownAddresses}
	p.resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	return p
}

// serve accepts until the listener is closed.
func (p *proxy) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		select {
		case p.slots <- struct{}{}:
		default:
			c.Close()
			continue
		}
		go func() {
			defer func() { <-p.slots }()
			defer c.Close()
			defer func() { _ = recover() }()
			p.one(c)
		}()
	}
}

func (p *proxy) one(c net.Conn) {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	_ = c.SetDeadline(time.Now().Add(headTime))
	head := headReader(c)
	br := bufio.NewReaderSize(head, maxProxyBuf)
	first, err := br.Peek(1)
	if err != nil {
		return
	}
	if first[0] == 5 {
		head.N = unlimited // its head is short by itself
		p.socks(ctx, c, br)
		return
	}
	p.http(ctx, c, br, head)
}

// headReader bounds what is read of r until its N is set to [unlimited]: a head
// without an end would fill the memory of the supervisor, not of the job.
func headReader(r io.Reader) *io.LimitedReader { return &io.LimitedReader{R: r, N: maxHead} }

// errRefused is what a client is told, with the reason.
type errRefused struct{ why string }

func (e errRefused) Error() string { return e.why }

// dial decides about a host and connects to it.
func (p *proxy) dial(ctx context.Context, host, port string) (net.Conn, error) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return nil, errRefused{fmt.Sprintf("%q is no port", port)}
	}
	name, err := permissions.NormalizeHost(host)
	if err != nil {
		return nil, errRefused{err.Error()}
	}
	if p.host == nil {
		return nil, p.refuse(name, int(n), "no host is allowed")
	}
	err = p.host(ctx, name, int(n))
	if errors.Is(err, ErrAsk) && p.ask != nil && p.ask(ctx, sandbox.Access{Op: sandbox.OpConnect, Host: name, Port: int(n), Proxied: true, Asks: asking(err)}) {
		err = nil
	}
	if err != nil {
		return nil, p.refuse(name, int(n), err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	var addrs []netip.Addr
	if a, err := netip.ParseAddr(name); err == nil {
		addrs = []netip.Addr{a}
	} else if addrs, err = p.resolve(ctx, name); err != nil {
		return nil, fmt.Errorf("cannot find %s: %w", name, err)
	}
	open := p.private != nil && p.private(name)
	var last error
	for _, a := range addrs {
		a = a.Unmap().WithZone("")
		if !open {
			if why := reserved(a, p.own()); why != "" {
				last = p.refuse(name, int(n), fmt.Sprintf("%s leads to %s, %s", name, a, why))
				continue
			}
		}
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", netip.AddrPortFrom(a, uint16(n)).String())
		if err == nil {
			return c, nil
		}
		last = err
	}
	if last == nil {
		last = fmt.Errorf("%s has no address", name)
	}
	return nil, last
}

// asking is the rule that an error tells of, "" for none.
func asking(err error) string {
	var told interface{ Asks() string }
	if errors.As(err, &told) {
		return told.Asks()
	}
	return ""
}

func (p *proxy) refuse(host string, port int, why string) error {
	if p.report != nil {
		v := sandbox.Refusal(sandbox.Access{Op: sandbox.OpConnect, Host: host, Port: port})
		v.Text += " (" + why + ")"
		p.report(v)
	}
	return errRefused{why}
}

// http answers one request. Each connection carries one: what follows would
// have to be decided about again, and clients open another.
func (p *proxy) http(ctx context.Context, c net.Conn, br *bufio.Reader, head *io.LimitedReader) {
	req, err := http.ReadRequest(br)
	head.N = unlimited
	if err != nil {
		answer(c, http.StatusBadRequest, "the request cannot be read")
		return
	}
	if req.URL.User != nil {
		answer(c, http.StatusBadRequest, "an address with a user name is refused")
		return
	}
	host, port := hostPort(req.URL.Host, req.Method == http.MethodConnect)
	if host == "" || req.Method != http.MethodConnect && req.URL.Scheme != "http" {
		answer(c, http.StatusBadRequest, "not a request for a proxy")
		return
	}
	_ = c.SetDeadline(time.Time{})
	up, err := p.dial(ctx, host, port)
	if err != nil {
		code := http.StatusBadGateway
		var no errRefused
		if errors.As(err, &no) {
			code = http.StatusForbidden
		}
		answer(c, code, "mayi: "+err.Error())
		return
	}
	defer up.Close()
	defer context.AfterFunc(ctx, func() { up.Close() })()
	if req.Method == http.MethodConnect {
		if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
			join(c, br, up)
		}
		return
	}
	forward(c, req, up)
}

// hostPort splits an authority without guessing: a name, or an address in
// brackets, and digits.
func hostPort(s string, needPort bool) (host, port string) {
	if strings.HasPrefix(s, "[") {
		i := strings.IndexByte(s, ']')
		if i < 0 {
			return "", ""
		}
		host, port = s[:i+1], strings.TrimPrefix(s[i+1:], ":")
		if len(s) > i+1 && s[i+1] != ':' {
			return "", ""
		}
	} else {
		var ok bool
		if host, port, ok = strings.Cut(s, ":"); ok && strings.Contains(port, ":") {
			return "", ""
		}
	}
	if port == "" {
		if needPort {
			return "", ""
		}
		port = "80"
	}
	return host, port
}

// forward passes one plain request on. The server is told the name that was
// decided about, whatever the Host field said.
func forward(c net.Conn, req *http.Request, up net.Conn) {
	req.Host = req.URL.Host
	for _, h := range strings.Split(req.Header.Get("Connection"), ",") {
		req.Header.Del(strings.TrimSpace(h))
	}
	for _, h := range []string{"Connection", "Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "Te", "Trailer", "Upgrade"} {
		req.Header.Del(h)
	}
	req.Close = true
	go func() { _ = req.Write(up) }()
	head := headReader(up)
	br := bufio.NewReader(head)
	for {
		resp, err := http.ReadResponse(br, req)
		head.N = unlimited
		if err != nil {
			answer(c, http.StatusBadGateway, "mayi: the server's answer cannot be read")
			return
		}
		resp.Close = true
		err = resp.Write(c)
		resp.Body.Close()
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return
		}
		head.N = maxHead
	}
}

func answer(c net.Conn, code int, text string) {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n",
		code, http.StatusText(code), len(text)+1, text)
}

// join passes bytes both ways until both sides have ended.
func join(c net.Conn, from io.Reader, up net.Conn) {
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(up, from)
		closeWrite(up)
		close(done)
	}()
	_, _ = io.Copy(c, up)
	closeWrite(c)
	<-done
}

func closeWrite(c net.Conn) {
	if t, ok := c.(interface{ CloseWrite() error }); ok {
		_ = t.CloseWrite()
		return
	}
	c.Close()
}
