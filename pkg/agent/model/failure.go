package model

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Failure is an error of a provider, worded for people: what went wrong, where,
// and what to do.
type Failure struct {
	// Where is the provider and its address.
	Where string
	// What says what went wrong, Hint what to do about it ("" where nothing is
	// known to help).
	What, Hint string
	// Status is the HTTP status, 0 where there was none.
	Status int
	// Temporary: the same request may well succeed later. RetryAfter is how
	// long the server asked to be left alone, 0 where it did not say.
	Temporary  bool
	RetryAfter time.Duration
	// Err is the cause, where there was one.
	Err error
}

// Error implements error.
func (f *Failure) Error() string {
	s := f.Where + ": " + f.What
	if f.Hint != "" {
		s += "; " + f.Hint
	}
	return s
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// FromStatus words an HTTP error. detail is the server's own explanation.
func FromStatus(where, name string, status int, detail string, header http.Header) *Failure {
	f := &Failure{Where: where, Status: status}
	switch {
	case status == http.StatusUnauthorized:
		f.What, f.Hint = "the API key was not accepted (401)", "check the key and that it belongs to this address"
	case status == http.StatusForbidden:
		f.What, f.Hint = "the key may not use this (403)", "check what the key and the account are allowed to use"
	case status == http.StatusNotFound:
		f.What = fmt.Sprintf("there is no model %q, or no such API, at this address (404)", name)
		f.Hint = "check the model's name and the base URL"
	case status == http.StatusTooManyRequests:
		f.What, f.Temporary = "too many requests, or the quota is used up (429)", true
		f.RetryAfter = retryAfter(header, time.Now())
		f.Hint = "try again later"
		if f.RetryAfter > 0 {
			f.Hint = fmt.Sprintf("try again in %s", f.RetryAfter.Round(time.Second))
		}
	case status >= 500:
		f.What, f.Temporary = fmt.Sprintf("the server failed (%d)", status), true
		f.RetryAfter = retryAfter(header, time.Now())
		f.Hint = "try again in a moment"
	default:
		f.What = fmt.Sprintf("the request was refused (%d)", status)
	}
	if d := oneLine(detail); d != "" {
		f.What += ": " + d
	}
	return f
}

// FromTransport words an error that came before or instead of an HTTP answer,
// or in the middle of a stream. An end of ctx is returned as it is.
func FromTransport(ctx context.Context, where string, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	f := &Failure{Where: where, Err: err}
	var dns *net.DNSError
	var unknownCA x509.UnknownAuthorityError
	var wrongHost x509.HostnameError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		f.What, f.Hint = "nothing is listening there (connection refused)", "start the server or check the base URL"
	case errors.As(err, &dns):
		f.What = fmt.Sprintf("the host %q was not found", dns.Name)
		f.Hint = "check the base URL and the network"
	case errors.As(err, &unknownCA), errors.As(err, &wrongHost):
		f.What, f.Hint = "the server's certificate was not accepted", "check the base URL and the system's certificates"
	case errors.As(err, &record):
		f.What, f.Hint = "the server does not speak TLS", "check whether the base URL should begin with http://"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return Truncated(where, err)
	case errors.As(err, &timeout) && timeout.Timeout():
		f.What, f.Hint, f.Temporary = "the server did not answer in time", "try again", true
	default:
		f.What = oneLine(err.Error())
	}
	return f
}

// Truncated is the failure of a stream that broke off before its end.
func Truncated(where string, cause error) *Failure {
	return &Failure{
		Where:     where,
		What:      "the reply broke off before its end; nothing of it was executed",
		Hint:      "try again",
		Temporary: true,
		Err:       cause,
	}
}

// Malformed is the failure of a reply that is not what the API promises.
func Malformed(where, what string, cause error) *Failure {
	if cause != nil {
		what += ": " + oneLine(cause.Error())
	}
	return &Failure{
		Where: where,
		What:  "the reply cannot be read (" + what + "); nothing of it was executed",
		Hint:  "check that the base URL is that of a compatible API",
		Err:   cause,
	}
}

// oneLine brings a foreign text to one line of bearable length; what is cut is
// marked.
func oneLine(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%s… (%d characters more)", string(r[:most]), len(r)-most)
	}
	return s
}

// retryAfter reads how long the server asks to wait: seconds, milliseconds or a
// date. 0 where it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// Interrupted is the failure of a stream in which the server itself reported an
// error.
func Interrupted(where, detail string, cause error) *Failure {
	return &Failure{
		Where:     where,
		What:      "the server broke off the reply: " + oneLine(detail) + "; nothing of it was executed",
		Hint:      "try again",
		Temporary: true,
		Err:       cause,
	}
}

// Client returns the HTTP client for a provider. It follows no redirect: the
// key must not be taken to a host that nobody chose.
func Client() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// CheckEventStream refuses an answer that is no event stream, such as a redirect
// or the page of a web server at a wrong address.
func CheckEventStream(where string, resp *http.Response) error {
	if resp == nil {
		return Malformed(where, "there is none", nil)
	}
	if resp.StatusCode >= 300 {
		return &Failure{
			Where: where, Status: resp.StatusCode,
			What: fmt.Sprintf("the server sends on to %q (%d), where the key is not taken", oneLine(resp.Header.Get("Location")), resp.StatusCode),
			Hint: "if that is right, use it as the base URL",
		}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "" || kind == "text/event-stream" {
		return nil
	}
	return Malformed(where, "it is "+kind+", not an event stream", nil)
}
