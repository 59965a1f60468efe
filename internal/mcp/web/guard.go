// Package web carries MCP messages over streamable HTTP, towards clients and
// towards servers.
package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Guard lets a request through to next only with the bearer token, and only
// where it was made for this server: its Host is a loopback name or one of
// hosts, and its Origin, where a browser sends one, is the same. A page of
// another site, or one whose name was bound to this address, gets nothing.
func Guard(token string, hosts []string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !known(r.Host, hosts) {
			http.Error(w, "mayi: this name is not one of this server's", http.StatusForbidden)
			return
		}
		for _, o := range r.Header.Values("Origin") {
			if u, err := url.Parse(o); err != nil || !strings.EqualFold(u.Host, r.Host) {
				http.Error(w, "mayi: requests of other origins are not answered", http.StatusForbidden)
				return
			}
		}
		scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(strings.TrimSpace(got)))
		if token == "" || !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="mayi"`)
			http.Error(w, "mayi: a bearer token is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// known reports whether host, as a Host header has it, names this server.
func known(host string, hosts []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if Loopback(name) {
		return true
	}
	for _, h := range hosts {
		if h != "" && strings.EqualFold(name, h) {
			return true
		}
	}
	return false
}

// Loopback reports whether host names this machine to itself.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}
