package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html/charset"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// WebOptions make the tool web_fetch.
type WebOptions struct {
	Session *Session
	// CheckURL is asked about each redirect before it is followed; an error
	// refuses it. nil takes redirects to the session's gate.
	CheckURL func(ctx context.Context, url string) error
	// AllowPrivate reports whether the host was named by the settings, so that
	// it may be at a private or loopback address. nil allows none.
	AllowPrivate func(host string) bool
	// Proxy is the URL of an HTTP proxy, "" for none. Proxies that the
	// environment names are never used. Behind a proxy, addresses are its
	// business; hosts are still checked here.
	Proxy string
	// Timeout bounds the whole fetch; 0 is 30 seconds.
	Timeout time.Duration
	// MaxBytes bounds what is read, MaxText what is shown; 0 is 5 MiB and 100 KiB.
	MaxBytes, MaxText int
}

type webFetch struct {
	native
	opt    WebOptions
	client *http.Client
}

const maxRedirects = 10

// NewWebFetch returns the tool web_fetch. A proxy that is no URL is an error.
func NewWebFetch(o WebOptions) (Tool, error) {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 5 << 20
	}
	if o.MaxText <= 0 {
		o.MaxText = 100 << 10
	}
	if o.AllowPrivate == nil {
		o.AllowPrivate = func(string) bool { return false }
	}
	t := &webFetch{opt: o}
	if t.opt.CheckURL == nil {
		t.opt.CheckURL = t.checkAtGate
	}
	tr := &http.Transport{
		DialContext:            newGuardedDialer(o.AllowPrivate).dial,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
	if o.Proxy != "" {
		u, err := url.Parse(o.Proxy)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("web_fetch: the proxy %q is no URL", o.Proxy)
		}
		tr.Proxy = http.ProxyURL(u)
		tr.DialContext = nil
	}
	t.client = &http.Client{Transport: tr, CheckRedirect: t.redirect}
	return t, nil
}

func (t *webFetch) Name() string      { return "web_fetch" }
func (t *webFetch) Category() string  { return "web" }
func (t *webFetch) ConfigKey() string { return "" }

func (t *webFetch) Description() string {
	return "Fetches a page over http or https and shows it as text. Redirects are decided like the first address. Long pages are cut, and say so."
}

func (t *webFetch) Parameters() map[string]any {
	return object(map[string]any{"url": property("string", "the address, beginning with http:// or https://")}, "url")
}

// Execute fetches the page if the gate lets it.
func (t *webFetch) Execute(ctx context.Context, args map[string]any) *ToolResult {
	s := t.opt.Session
	r := s.request(permissions.Tool{Name: t.Name(), Builtin: true}, args, s.Cwd())
	return s.guard(ctx, r, func(ctx context.Context, _ gate.Verdict) (*ToolResult, string) {
		out, err := t.fetch(ctx, text(args, "url"))
		if err != nil {
			msg := "web_fetch: " + approval.Line(plainURLError(err))
			return ErrorResult(msg), "failed: " + msg
		}
		return textResult(out), "done"
	})
}

// checkAtGate decides a redirect's target as a call of its own. Nobody is
// asked in the middle of a fetch.
func (t *webFetch) checkAtGate(ctx context.Context, target string) error {
	s := t.opt.Session
	v := s.decide(ctx, s.request(permissions.Tool{Name: t.Name(), Builtin: true}, map[string]any{"url": target}, s.Cwd()))
	if v.Verdict != permissions.Allow {
		return errors.New(orElse(v.Reason, "not allowed"))
	}
	return nil
}

func (t *webFetch) redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if err := webURL(req.URL); err != nil {
		return fmt.Errorf("redirected to %s: %w", req.URL.Redacted(), err)
	}
	if req.URL.Scheme == "http" && via[len(via)-1].URL.Scheme == "https" {
		return fmt.Errorf("redirected from https to %s, which is not encrypted", req.URL.Redacted())
	}
	if err := t.opt.CheckURL(req.Context(), req.URL.String()); err != nil {
		return fmt.Errorf("redirected to %s, which is not allowed: %w", req.URL.Redacted(), err)
	}
	req.Header.Del("Referer")
	return nil
}

func webURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("only http and https are fetched, not %q", u.Scheme)
	case u.User != nil:
		return errors.New("a user name or password in an address is not sent")
	}
	_, err := permissions.HostOfURL(u.String())
	return err
}

func (t *webFetch) fetch(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if err := webURL(u); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("User-Agent", "mayi")
	req.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1")
	resp, err := t.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(t.opt.MaxBytes)+1))
	if err != nil {
		return "", err
	}
	return t.show(resp, body)
}

// show puts the answer into text.
func (t *webFetch) show(resp *http.Response, body []byte) (string, error) {
	cut := len(body) > t.opt.MaxBytes
	if cut {
		body = body[:t.opt.MaxBytes]
	}
	kind := resp.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(kind)
	if err != nil {
		media, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", approval.Line(resp.Request.URL.Redacted()), approval.Line(resp.Status))
	if !isText(media) || binary(body[:min(len(body), sniffBytes)]) {
		fmt.Fprintf(&b, "(%s of %s, which is not shown)\n", byteCount(len(body)), approval.Line(orElse(media, "an unknown kind")))
		return b.String(), statusError(resp, b.String())
	}
	r, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil {
		r = bytes.NewReader(body)
	}
	decoded, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	page := strings.ToValidUTF8(string(decoded), "\uFFFD")
	if media == "text/html" || media == "application/xhtml+xml" {
		page = readable(page)
	}
	shownBytes := min(len(page), t.opt.MaxText)
	b.WriteString(strings.ToValidUTF8(page[:shownBytes], ""))
	if shownBytes < len(page) {
		fmt.Fprintf(&b, "\n[… %s more of this page are not shown …]", byteCount(len(page)-shownBytes))
	}
	if cut {
		fmt.Fprintf(&b, "\n[… the page is larger than %s; the rest was not fetched …]", byteCount(t.opt.MaxBytes))
	}
	return b.String(), statusError(resp, b.String())
}

// statusError makes an answer that is no success an error that shows it.
func statusError(resp *http.Response, shown string) error {
	if resp.StatusCode < 400 {
		return nil
	}
	return errors.New(shown)
}

func isText(media string) bool {
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") ||
		media == "application/json" || media == "application/xml" || media == "application/javascript" || media == "application/yaml"
}

// plainURLError leaves out the wrapping that names the address again.
func plainURLError(err error) string {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "the server did not answer in time"
	}
	return err.Error()
}
