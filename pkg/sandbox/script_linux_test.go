//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// played plays one part in this very process: it is nothing but system calls.
func played(t *testing.T, write func(s *script)) (at int, e unix.Errno) {
	t.Helper()
	mem, err := newRegion()
	if err != nil {
		t.Fatal(err)
	}
	defer mem.free()
	s := &script{region: mem}
	write(s)
	p, err := s.done()
	if err != nil {
		t.Fatal(err)
	}
	i, failed := play(unsafe.Pointer(s.stage()), p.first, p.count)
	return int(i), failed
}

func TestPlay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	made := func(name string) bool { _, err := os.Lstat(filepath.Join(dir, name)); return err == nil }
	mkdir := func(s *script, name string) *call {
		return s.do(name, unix.SYS_MKDIRAT, unix.AT_FDCWD, filepath.Join(dir, name), 0o755)
	}
	for name, c := range map[string]struct {
		write func(s *script)
		at    int
		e     unix.Errno
		is    []string
		isNot []string
	}{
		"all": {func(s *script) { mkdir(s, "a1"); mkdir(s, "a2") }, 2, 0, []string{"a1", "a2"}, nil},
		"ends at a failure": {func(s *script) { mkdir(s, "b1"); mkdir(s, "none/x"); mkdir(s, "b2") }, 1, unix.ENOENT,
			[]string{"b1"}, []string{"b2"}},
		"passes over": {func(s *script) {
			mkdir(s, "none/x").tolerate(mayMiss, 1)
			mkdir(s, "c1")
			mkdir(s, "c2")
		}, 3, 0, []string{"c2"}, []string{"c1"}},
		"does not pass over without a failure": {func(s *script) { mkdir(s, "d1").tolerate(mayMiss, 1); mkdir(s, "d2") }, 2, 0, []string{"d1", "d2"}, nil},
		"there already":                        {func(s *script) { mkdir(s, "f").tolerate(mayExist, 0); mkdir(s, "e1") }, 2, 0, []string{"e1"}, nil},
		"there already is no licence to miss":  {func(s *script) { mkdir(s, "none/x").tolerate(mayExist, 0); mkdir(s, "e2") }, 0, unix.ENOENT, nil, []string{"e2"}},
		"a result is used": {func(s *script) {
			fd := cell(s.cell())
			s.do("", unix.SYS_OPENAT, unix.AT_FDCWD, dir, unix.O_PATH|unix.O_CLOEXEC, 0).into(fd)
			s.do("", unix.SYS_MKDIRAT, fd, "g1", 0o755)
			s.do("", unix.SYS_CLOSE, fd)
			s.do("", unix.SYS_MKDIRAT, fd, "g2", 0o755)
		}, 3, unix.EBADF, []string{"g1"}, []string{"g2"}},
		"no result": {func(s *script) { s.do("", unix.SYS_MKDIRAT, cell(s.cell()), "h", 0o755) }, 0, unix.EBADF, nil, nil},
		"too little": {func(s *script) {
			fd := cell(s.cell())
			s.do("", unix.SYS_OPENAT, unix.AT_FDCWD, file, unix.O_RDONLY|unix.O_CLOEXEC, 0).into(fd)
			s.do("", unix.SYS_READ, fd, s.at(s.take(8)), 8).least = 1
		}, 1, unix.EPIPE, nil, nil},
		"two numbers": {func(s *script) {
			a, b := s.take(8), s.take(8)
			s.do("", playSame, a, b)
			s.put64(b, 1)
			s.do("", playSame, a, b)
		}, 0, unix.ESTALE, nil, nil},
		"no place of the PATH": {func(s *script) {
			s.do("", playExec, dir+"/none", uintptr(0), uintptr(0))
			s.do("", playExec, dir+"/f/x", uintptr(0), uintptr(0))
			s.do("", playGiveUp)
		}, 2, unix.ENOENT, nil, nil},
		"not executable": {func(s *script) {
			s.do("", playExec, file, uintptr(0), uintptr(0))
			s.do("", playExec, dir+"/none", uintptr(0), uintptr(0))
			s.do("", playGiveUp)
		}, 2, unix.EACCES, nil, nil},
	} {
		at, e := played(t, c.write)
		if at != c.at || e != c.e {
			t.Errorf("%s: ended at %d with %v, wanted %d and %v", name, at, e, c.at, c.e)
		}
		for _, n := range c.is {
			if !made(n) {
				t.Errorf("%s: %s was not made", name, n)
			}
		}
		for _, n := range c.isNot {
			if made(n) {
				t.Errorf("%s: %s was made", name, n)
			}
		}
	}
}

// TestRegionIsFull: too much is an error, and nothing is written behind the end.
func TestRegionIsFull(t *testing.T) {
	mem, err := newRegion()
	if err != nil {
		t.Fatal(err)
	}
	defer mem.free()
	s := &script{region: mem}
	s.do("", unix.SYS_EXECVE, strings.Repeat("x", regionSize))
	s.words([]string{"a", strings.Repeat("y", regionSize/2)})
	if _, err := s.done(); err == nil {
		t.Fatal("no error")
	}
	can(t)
	ws, _ := space(t)
	if r := run(t, spec(ws), Command{Args: []string{"true", strings.Repeat("x", regionSize)}}); r.Code != 126 {
		t.Errorf("%d %v", r.Code, r.err)
	}
}

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		file, path string
		want       []string
	}{
		{"./a", "/bin", []string{"./a"}},
		{"/x/a", "", []string{"/x/a"}},
		{"a", "/bin:/usr/bin", []string{"/bin/a", "/usr/bin/a"}},
		{"a", "/bin::sub", []string{"/bin/a", "./a", "sub/a"}},
	} {
		if got := candidates(c.file, []string{"X=1", "PATH=" + c.path}); !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: %q, wanted %q", c.file, c.path, got, c.want)
		}
	}
}

// TestBeyond: what was set up ahead is used only where nothing is put over it
// and nothing of it is missing.
func TestBeyond(t *testing.T) {
	made := []step{{Do: doBind, Path: "/usr"}, {Do: doTmp, Path: "/tmp", Size: 1}, {Do: doBind, Path: "/run/a/b"}}
	ws := step{Do: doBind, Path: "/ws", Write: true}
	for name, c := range map[string]struct {
		all  []step
		ok   bool
		rest []step
	}{
		"as usual":             {append(slices.Clone(made), ws), true, []step{ws}},
		"nothing more":         {made, true, nil},
		"below":                {append(slices.Clone(made), step{Do: doBind, Path: "/usr/local", Write: true}), true, []step{{Do: doBind, Path: "/usr/local", Write: true}}},
		"the root":             {append(slices.Clone(made), step{Do: doBind, Path: "/"}), false, nil},
		"over one":             {append(slices.Clone(made), step{Do: doBind, Path: "/usr", Write: true}), false, nil},
		"above one":            {append(slices.Clone(made), step{Do: doBind, Path: "/run"}), false, nil},
		"another size":         {[]step{made[0], {Do: doTmp, Path: "/tmp", Size: 2}, made[2], ws}, false, nil},
		"one is missing":       {[]step{made[0], made[1], ws}, false, nil},
		"where it is built":    {append(slices.Clone(made), step{Do: doBind, Path: "/proc/x"}), false, nil},
		"taken from there":     {append(slices.Clone(made), step{Do: doBind, Path: "/x", From: "/proc/x"}), false, nil},
		"a longer name beside": {append(slices.Clone(made), step{Do: doBind, Path: "/us"}), true, []step{{Do: doBind, Path: "/us"}}},
	} {
		rest, ok := beyond(c.all, made)
		if ok != c.ok || ok && !slices.Equal(rest, c.rest) {
			t.Errorf("%s: %v %v", name, rest, ok)
		}
	}
}

// TestOtherTrees: plans that what was set up ahead does not fit.
func TestOtherTrees(t *testing.T) {
	can(t)
	ws, out := space(t)
	for name, change := range map[string]func(s *Spec){
		"everything readable":     func(s *Spec) { s.Read = []string{"/"} },
		"above a system folder":   func(s *Spec) { s.Read = []string{"/var"} },
		"another limit on memory": func(s *Spec) { s.Limits.Memory, s.Read = 256<<20, []string{out} },
	} {
		s := spec(ws)
		change(&s)
		for _, p := range []*Prepared{nil, Prepare()} {
			r := run(t, s, Command{Shell: "cat " + out + "/secret && echo x > f && cat f; echo x > " + out + "/victim; cat /etc/shadow; test $(ls /proc | grep -c '^[0-9]') -lt 9", Prepared: p})
			if r.Code != 0 || !strings.Contains(r.out, "CANARY") || !strings.Contains(r.out, "x\n") || strings.Contains(r.out, "root:") {
				t.Errorf("%s: %d %q %v", name, r.Code, r.out, r.err)
			}
		}
	}
	if b, err := os.ReadFile(out + "/victim"); err != nil || strings.Contains(string(b), "x\n") {
		t.Errorf("the victim: %q %v", b, err)
	}
}
