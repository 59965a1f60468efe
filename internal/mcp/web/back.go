package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"mayi/internal/mcp/frame"
)

// resumes bounds how often a broken stream is taken up again.
const resumes = 5

// Back is a connection to a server over streamable HTTP.
type Back struct {
	url    string
	header http.Header
	client *http.Client
	in     chan frame.Packet
	ctx    context.Context
	stop   context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	session string
	version string
	// greeting is open while the initialize is under way: what follows waits.
	greeting chan struct{}
	tuned    bool
}

// NewBack returns a connection to the server at url. header is sent with every
// request. Nothing is sent before the first Write.
func NewBack(url string, header http.Header) *Back {
	ctx, stop := context.WithCancel(context.Background())
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.DisableCompression = 100, true
	return &Back{
		url: url, header: header, in: make(chan frame.Packet, 64), ctx: ctx, stop: stop,
		client: &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a token is for the server that was named
		}},
	}
}

// Read implements frame.Conn.
func (b *Back) Read(ctx context.Context) (frame.Packet, error) {
	select {
	case p := <-b.in:
		return p, nil
	case <-b.ctx.Done():
		return frame.Packet{}, io.EOF
	case <-ctx.Done():
		return frame.Packet{}, ctx.Err()
	}
}

// Write implements frame.Conn. A request is on its way when it returns; what
// becomes of it is read. Anything else has arrived.
func (b *Back) Write(ctx context.Context, p frame.Packet) error {
	m, err := frame.Parse(p.Raw)
	if err != nil {
		return err
	}
	b.mu.Lock()
	wait := b.greeting
	if m.Method == "initialize" && m.Request() && wait == nil {
		b.greeting = make(chan struct{})
	}
	b.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		case <-b.ctx.Done():
			return io.ErrClosedPipe
		}
	}
	if m.Request() {
		b.work.Go(func() { b.request(m) })
		return nil
	}
	res, err := b.send(ctx, http.MethodPost, p.Raw, "")
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	res.Body.Close()
	if m.Method == "notifications/initialized" {
		b.tune()
	}
	return nil
}

// Close implements frame.Conn: it ends the session at the server.
func (b *Back) Close() error {
	b.mu.Lock()
	session := b.session
	b.mu.Unlock()
	if session != "" && b.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if res, err := b.send(ctx, http.MethodDelete, nil, ""); err == nil {
			res.Body.Close()
		}
	}
	b.stop()
	b.work.Wait()
	b.client.CloseIdleConnections()
	return nil
}

// send makes one HTTP request.
func (b *Back) send(ctx context.Context, method string, body []byte, last string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, b.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for k, v := range b.header {
		r.Header[k] = v
	}
	b.mu.Lock()
	session, version := b.session, b.version
	b.mu.Unlock()
	set := func(k, v string) {
		if v != "" {
			r.Header.Set(k, v)
		}
	}
	set(sessionField, session)
	set(versionField, version)
	set(lastField, last)
	switch method {
	case http.MethodPost:
		set("Content-Type", jsonType)
		set("Accept", jsonType+", "+streamType)
	case http.MethodGet:
		set("Accept", streamType)
	}
	return b.client.Do(r)
}

// request sends m and reads what comes of it until it is answered. Where it is
// not, the answer is an error.
func (b *Back) request(m frame.Message) {
	key := m.Key()
	fail := func(format string, args ...any) {
		b.push(frame.Packet{Raw: frame.Failure(m.ID, frame.CodeInternal, "mayi: "+fmt.Sprintf(format, args...), nil), About: key})
	}
	if m.Method == "initialize" {
		defer b.greeted()
	}
	res, err := b.send(b.ctx, http.MethodPost, m.Raw, "")
	if err != nil {
		fail("the server cannot be reached: %v", err)
		return
	}
	if m.Method == "initialize" {
		b.mu.Lock()
		b.session = res.Header.Get(sessionField)
		b.mu.Unlock()
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if media == streamType && res.StatusCode == http.StatusOK {
		if err := b.stream(res, key); err != nil {
			fail("the server's answer broke off: %v", err)
		}
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, frame.MaxMessage))
	if err != nil {
		fail("the server's answer broke off: %v", err)
		return
	}
	if answer, err := frame.Parse(body); media == jsonType && err == nil && answer.Response() && answer.Key() == key {
		b.deliver(answer.Raw, key)
		return
	}
	if _, batch := frame.Elements(body); batch && res.StatusCode == http.StatusOK {
		b.deliver(body, key)
		return
	}
	fail("the server answered with HTTP status %s", res.Status)
}
