package model

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestInput(t *testing.T) {
	for args, want := range map[string]string{
		"":                  "map[]",
		"  ":                "map[]",
		`{}`:                "map[]",
		`{"a":"b"}`:         "map[a:b]",
		`{"a":"b"`:          "error",
		`{"a":"b"} {}`:      "error",
		`null`:              "error",
		`[]`:                "error",
		`"x"`:               "error",
		"{\"a\":\"b\"}\x00": "error",
	} {
		in, err := Call{Args: args}.Input()
		got := fmt.Sprint(in)
		if err != nil {
			got = "error"
			if in != nil {
				t.Errorf("%q: an error with input %v", args, in)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
}

// failing answers with each of its errors in turn, then with a reply.
type failing struct {
	errs  []error
	text  string
	calls int
}

func (f *failing) Name() string { return "failing" }

func (f *failing) Stream(_ context.Context, _ Request, emit func(Event)) (Reply, error) {
	f.calls++
	if f.text != "" {
		emit(Event{Text: f.text})
	}
	if f.calls <= len(f.errs) {
		return Reply{}, f.errs[f.calls-1]
	}
	return Reply{Text: "ok"}, nil
}

func TestRetry(t *testing.T) {
	busy := &Failure{Where: "w", What: "busy", Temporary: true}
	soon := &Failure{Where: "w", What: "busy", Temporary: true, RetryAfter: 5 * time.Second}
	late := &Failure{Where: "w", What: "busy", Temporary: true, RetryAfter: time.Minute}
	wrong := &Failure{Where: "w", What: "bad key"}
	for name, c := range map[string]struct {
		m     failing
		calls int
		err   error
		waits string
	}{
		"nothing wrong":       {failing{}, 1, nil, "[]"},
		"passes":              {failing{errs: []error{busy, busy}}, 3, nil, "[1s 2s]"},
		"as long as asked":    {failing{errs: []error{soon}}, 2, nil, "[5s]"},
		"not too long":        {failing{errs: []error{late}}, 1, late, "[]"},
		"not too often":       {failing{errs: []error{busy, busy, busy}}, 3, busy, "[1s 2s]"},
		"not in vain":         {failing{errs: []error{wrong}}, 1, wrong, "[]"},
		"not after its words": {failing{errs: []error{busy}, text: "half"}, 1, busy, "[]"},
	} {
		var waits []time.Duration
		var notices int
		r := &retrying{Model: &c.m, wait: func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}}
		_, err := r.Stream(t.Context(), Request{}, func(ev Event) {
			if ev.Notice != "" {
				notices++
			}
		})
		if c.m.calls != c.calls || !errors.Is(err, c.err) || fmt.Sprint(waits) != c.waits || notices != len(waits) {
			t.Errorf("%s: %d calls, error %v, waits %v, %d notices", name, c.m.calls, err, waits, notices)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Retry(&failing{errs: []error{busy}}).Stream(ctx, Request{}, func(Event) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled wait: %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "17", 17 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		{"Retry-After", now.Add(-time.Second).Format(http.TimeFormat), 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "1e300", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
	} {
		if got := retryAfter(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s %q: %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

func TestTransport(t *testing.T) {
	for want, err := range map[string]error{
		"connection refused": &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		`"no.such.host"`:     &net.DNSError{Name: "no.such.host", Err: "no such host"},
		"certificate":        fmt.Errorf("get: %w", x509.UnknownAuthorityError{}),
		"broke off":          fmt.Errorf("read: %w", io.ErrUnexpectedEOF),
		"in time":            &net.OpError{Op: "read", Err: timeoutError{}},
		"something else":     errors.New("something\n else"),
	} {
		got := FromTransport(t.Context(), "here", err)
		if !strings.HasPrefix(got.Error(), "here: ") || !strings.Contains(got.Error(), want) || !errors.Is(got, err) {
			t.Errorf("%v: %v, want %q", err, got, want)
		}
	}
	long := FromStatus("here", "m", 418, strings.Repeat("é", 1000), nil)
	if n := len([]rune(long.Error())); n > 400 || !strings.Contains(long.Error(), "700 characters more") {
		t.Errorf("a long detail: %s", long)
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func TestCollectorBound(t *testing.T) {
	c := NewCollector(nil)
	for range 17 {
		c.Text(strings.Repeat("x", 1<<20))
	}
	if c.Err() == nil {
		t.Error("a reply without an end has no bound")
	}
	if len(c.Partial().Calls) != 0 {
		t.Error("a partial reply has calls")
	}
}

func TestNamesInPieces(t *testing.T) {
	c := NewCollector(nil)
	c.Call(0, "a", "web_", "")
	c.Call(0, "", "fetch", `{}`)
	r, err := c.Reply("w", StopTools, Usage{})
	if err != nil || len(r.Calls) != 1 || r.Calls[0] != (Call{ID: "a", Name: "web_fetch", Args: "{}"}) {
		t.Errorf("%+v, %v", r, err)
	}
	c = NewCollector(nil)
	c.Call(0, "a", "", "{}")
	if r, err := c.Reply("w", StopTools, Usage{}); err == nil || len(r.Calls) != 0 {
		t.Errorf("a call without a name: %+v, %v", r, err)
	}
}
