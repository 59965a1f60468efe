package proxy

import "testing"

// FuzzHostPort: whatever is accepted as a port is digits behind the host's end.
func FuzzHostPort(f *testing.F) {
	for _, s := range []string{"a.ok:443", "[::1]:80", "a:b:c", "[::1", "", ":1", "a.ok", "[a]x:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, port := hostPort(s, true)
		if host == "" {
			return
		}
		if host+":"+port != s {
			t.Errorf("%q was read as %q and %q", s, host, port)
		}
	})
}
