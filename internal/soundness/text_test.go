package soundness

import (
	"slices"
	"strings"
	"testing"
)

func TestReadTrace(t *testing.T) {
	const text = `10 execve("/usr/bin/bwrap", ["bwrap"], 0x1 /* 3 vars */) = 0
10 clone(child_stack=NULL, flags=CLONE_NEWPID|SIGCHLD) = 11
11 execve("/bin/bash", ["/bin/bash", "-c", "a, (b)"], 0x1 /* 3 vars */) = 0
11 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
12 openat(AT_FDCWD</t/ws>, "a\303\244 \"b\"\n", O_RDONLY <unfinished ...>
11 <... clone resumed>, child_tidptr=0x7) = 3 /* 12 in strace's PID NS */
12 <... openat resumed>) = 3</t/ws/a\303\244 "b"\n>
12 unlink("x") = -1 ENOENT (No such file or directory)
12 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = -1 EINPROGRESS (x)
12 +++ exited with 0 +++
`
	calls, err := readTrace(strings.NewReader(text))
	if err != nil || len(calls) != 7 {
		t.Fatalf("%d calls, %v", len(calls), err)
	}
	f := newFamily(calls, "/bin/bash")
	if f.root != 11 || !f.inScript(12) || f.inScript(10) {
		t.Errorf("root %d", f.root)
	}
	list := observe(calls, f, func(s string) string { return s })
	var got []string
	for _, a := range list {
		got = append(got, a.kind.String()+" "+strings.Join(a.names, "|"))
	}
	want := []string{"read /t/ws/aä \"b\"\n", "write /t/ws/x", "connect 127.0.0.1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestGlobCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, name      string
		recursive, listing bool
		want               bool
	}{
		{"/w/*.txt", "/w/a.txt", false, false, true},
		{"/w/*.txt", "/w/d/a.txt", false, false, false},
		{"/w/*.txt", "/w/a.md", false, false, false},
		{"/w/[!.]*", "/w/.git", true, false, false},
		{"/w/[!.]*", "/w/src/a", true, false, true},
		{"/w/[!.]*", "/w/src/a", false, false, false},
		{"/w/**/a", "/w/x/y/a", false, false, true},
		{"/w/**/a", "/w/a", false, false, true},
		{"/w/d/**", "/w/d", false, false, true},
		{"/w/d/**/x", "/w/d", false, false, false},
		{"/w/d/*", "/w/d", false, true, true},
		{"/w/d/*", "/w/d", false, false, false},
		{"/w/d/*", "/w", false, true, true},
		{"/w/d/x", "/w/d", false, true, false},
	} {
		if got := globCovers(c.pattern, c.name, c.recursive, c.listing); got != c.want {
			t.Errorf("globCovers(%q, %q, %v, %v) = %v", c.pattern, c.name, c.recursive, c.listing, got)
		}
	}
}

// TestRandomIsRepeatable: the seed in a report leads back to the scripts.
func TestRandomIsRepeatable(t *testing.T) {
	a, b := Random(7, 50), Random(7, 50)
	if !slices.Equal(a, b) {
		t.Error("the same seed makes other scripts")
	}
	if slices.Equal(a, Random(8, 50)) {
		t.Error("another seed makes the same scripts")
	}
}
