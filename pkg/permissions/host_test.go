package permissions

import (
	"strings"
	"testing"
)

func TestNormalizeHost(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"example.org", "example.org"},
		{"EXAMPLE.Org.", "example.org"},
		{"bücher.example", "xn--bcher-kva.example"},
		{"BÜCHER.example", "xn--bcher-kva.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"faß.example", "xn--fa-hia.example"},
		{"example。org", "example.org"},
		{"ｅxample.org", "example.org"},
		{"localhost", "localhost"},
		{"r3---sn-abc.example", "r3---sn-abc.example"},
		{"127.0.0.1", "127.0.0.1"},
		{"127.0.0.1.", "127.0.0.1"},
		{"::1", "::1"},
		{"[::1]", "::1"},
		{"[0:0:0:0:0:0:0:1]", "::1"},
		{"::FFFF:127.0.0.1", "127.0.0.1"},
		{"[::ffff:7f00:1]", "127.0.0.1"},
		{"64:ff9b::a9fe:a9fe", "64:ff9b::a9fe:a9fe"},
		{"1e100.net", "1e100.net"},
		{"0xfun.example", "0xfun.example"},
	} {
		got, err := NormalizeHost(tc.in)
		if err != nil || got != tc.want {
			t.Errorf("%q: %q, %v, want %q", tc.in, got, err, tc.want)
		}
	}
	for _, in := range []string{
		"", ".", "..", "example..org", ".example.org", "example.org..", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.01", "1.2.3.4.5", "256.1.1.1",
		"0x7f000001", "１２７.0.0.1", "①②⑦.0.0.1", "example.org:80", "user@example.org", "a b", "a\tb", "a/b", `a\b`, "a%62", "a?b", "a#b", "[::1", "::1]", "fe80::1%eth0",
		"[127.0.0.1]", "a\x00b", "\xff", "a_b.example", "-a.example.\u202e", strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 200) + "b", strings.Repeat("a", 5000), "xn--a.example",
	} {
		if got, err := NormalizeHost(in); err == nil {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestHostOfURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://DOCS.example.org/guide/":        "docs.example.org",
		"http://docs.example.org:8080/x?y#z":     "docs.example.org",
		"HTTPS://docs.example.org":               "docs.example.org",
		"https://evil.example#@docs.example.org": "evil.example",
		"https://evil.example?@docs.example.org": "evil.example",
		"http://[::ffff:127.0.0.1]:80/":          "127.0.0.1",
		"http://[64:ff9b::a9fe:a9fe]/latest/":    "64:ff9b::a9fe:a9fe",
	} {
		if got, err := HostOfURL(in); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "docs.example.org", "//docs.example.org/", "file:///etc/passwd", "ftp://docs.example.org/", "https:docs.example.org", "https:///x",
		"https://docs.example.org@evil.example/a", "http://docs.example.org:80@127.0.0.1:6666/", "https://@docs.example.org/", `https://docs.example.org\@evil.example/`,
		"https://docs.example.org:99999999/", "https://docs.example.org:65536/", "https://docs.example.org:x/", "https://127.1/", "https://2130706433/", " https://docs.example.org/", "https://docs.example.org/\n",
		"https://docs%2eexample.org/", "https://[fe80::1%25eth0]/", "javascript:alert(1)", "https://exa mple.org/", "https://\xff/",
	} {
		if got, err := HostOfURL(in); err == nil {
			t.Errorf("%q leads to %q", in, got)
		}
	}
}

func TestHostSet(t *testing.T) {
	var s hostSet[string]
	for _, h := range []string{"example.org", "*.sub.test", "127.0.0.1", "example.org"} {
		s.add(h, h)
	}
	for host, want := range map[string]string{
		"example.org": "example.org", "a.b.example.org": "example.org", "notexample.org": "", "example.org.evil": "", "org": "",
		"sub.test": "", "a.sub.test": "*.sub.test", "127.0.0.1": "127.0.0.1", "1.127.0.0.1": "", "0.0.1": "",
	} {
		if got, ok := s.find(host); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", host, got, ok, want)
		}
	}
}

func FuzzNormalizeHost(f *testing.F) {
	for _, s := range []string{"example.org", "BÜCHER.example.", "127.0.0.1", "0x7f.1", "[::ffff:1.2.3.4]", "xn--bcher-kva.example", "１２７.0.0.1", "a..b", "ſ.example", "a\u200db.example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		host, err := NormalizeHost(in)
		if err != nil {
			if host != "" {
				t.Fatalf("%q: an error and %q", in, host)
			}
			return
		}
		again, err := NormalizeHost(host)
		if err != nil || again != host {
			t.Fatalf("%q became %q and then %q, %v", in, host, again, err)
		}
		if host != strings.ToLower(host) || strings.HasSuffix(host, ".") || strings.ContainsAny(host, "/@%\\[] ") {
			t.Fatalf("%q became %q", in, host)
		}
		for _, r := range host {
			if r > 0x7e {
				t.Fatalf("%q became %q", in, host)
			}
		}
	})
}

func FuzzHostOfURL(f *testing.F) {
	for _, s := range []string{"https://example.org/", "http://a@b/", `http://a\@b/`, "http://[::1]:80/", "https:x", "http://a#@b", "http://127.1/", "//x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		host, err := HostOfURL(in)
		if err != nil {
			return
		}
		if again, err := NormalizeHost(host); err != nil || again != host {
			t.Fatalf("%q leads to %q, which is not normal: %q, %v", in, host, again, err)
		}
		low := strings.ToLower(in)
		if !strings.HasPrefix(low, "http:") && !strings.HasPrefix(low, "https:") {
			t.Fatalf("%q is accepted", in)
		}
	})
}

func TestNamesHost(t *testing.T) {
	entries := []string{"allowed.test", "127.0.0.1", "Bücher.example"}
	for host, want := range map[string]bool{
		"allowed.test": true, "ALLOWED.test.": true, "meta.allowed.test": false, "xallowed.test": false,
		"127.0.0.1": true, "127.1": false, "xn--bcher-kva.example": true, "": false, "169.254.169.254": false,
	} {
		if got := NamesHost(entries, host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}
