package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"mayi/pkg/permissions"
)

// badDisk fails as it is told to.
type badDisk struct {
	kindErr, listErr map[string]error
	links            map[string]string
}

func (d badDisk) kind(path string) (fs.FileMode, error) {
	if err := d.kindErr[path]; err != nil {
		return 0, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	if _, ok := d.links[path]; ok {
		return fs.ModeSymlink, nil
	}
	return fs.ModeDir, nil
}

func (d badDisk) readlink(path string) (string, error) {
	if t := d.links[path]; t != "" {
		return t, nil
	}
	return "", &fs.PathError{Op: "readlink", Path: path, Err: syscall.EIO}
}

func (d badDisk) list(path string, limit int) ([]fs.DirEntry, bool, error) {
	return nil, false, d.listErr[path]
}

func TestErrorsOfTheDiskAreOutside(t *testing.T) {
	for _, err := range []error{syscall.EACCES, syscall.EIO, syscall.ENAMETOOLONG, syscall.ESTALE, errors.New("odd")} {
		d := badDisk{kindErr: map[string]error{"/ws/a": err}}
		if within(d, "/ws/a/b", "/ws") || within(d, "/ws/a/../b", "/ws") || within(d, "/ws", "/ws/a") {
			t.Errorf("%v: inside", err)
		}
		if !within(d, "/ws/b", "/ws") {
			t.Errorf("%v: what has nothing to do with it is outside", err)
		}
		w := newOn(d, Config{Roots: []string{"/ws"}})
		p := w.Resolve([]permissions.Effect{{Kind: permissions.FSWrite, Path: "/ws/a/.git/config"}}, nil)[0].Place
		if p.Zone != permissions.Outside || p.Real != "" || !strings.Contains(p.Err, err.Error()) || p.Protected == "" {
			t.Errorf("%v: %+v", err, p)
		}
		w = newOn(d, Config{Roots: []string{"/ws/a"}})
		if p := w.Resolve([]permissions.Effect{{Kind: permissions.Read, Path: "/ws/a/x"}}, nil)[0].Place; p.Zone != permissions.Outside {
			t.Errorf("%v: a root that cannot be followed lets in", err)
		}
	}
	for _, err := range []error{fs.ErrNotExist, syscall.ENOENT, syscall.ENOTDIR} {
		if !within(badDisk{kindErr: map[string]error{"/ws/a": err}}, "/ws/a/b", "/ws") {
			t.Errorf("%v: what does not exist yet is outside", err)
		}
	}
	if within(badDisk{}, "/ws/a\x00", "/ws") || within(badDisk{}, "/ws/"+strings.Repeat("a/", maxPath), "/ws") {
		t.Error("a name that no kernel takes is inside")
	}
	if within(badDisk{links: map[string]string{"/ws/l": ""}}, "/ws/l", "/ws") {
		t.Error("a link that cannot be read is inside")
	}
}

func TestFortyLinksAndNoMore(t *testing.T) {
	chain := func(n int) badDisk {
		d := badDisk{links: map[string]string{}}
		for i := range n {
			d.links[fmt.Sprintf("/ws/l%d", i)] = fmt.Sprintf("l%d", i+1)
		}
		return d
	}
	if !within(chain(40), "/ws/l0", "/ws") {
		t.Error("40 links are too many")
	}
	if within(chain(41), "/ws/l0", "/ws") {
		t.Error("41 links are not too many")
	}
}

func TestUnlistableFoldersArePartial(t *testing.T) {
	d := badDisk{listErr: map[string]error{"/ws/x": syscall.EACCES}}
	w := newOn(d, Config{Roots: []string{"/ws"}})
	p := w.Resolve([]permissions.Effect{{Kind: permissions.Read, Path: "/ws/x", Recursive: true}}, []string{".env"})[0].Place
	if !p.Partial {
		t.Errorf("a folder that cannot be listed: %+v", p)
	}
	p = w.Resolve([]permissions.Effect{{Kind: permissions.Read, Path: "/ws/x/*", Glob: true}}, nil)[0].Place
	if p.Zone != permissions.Outside || p.Err == "" {
		t.Errorf("a glob in a folder that cannot be listed: %+v", p)
	}
}

func TestStrictest(t *testing.T) {
	const in, out, dev = permissions.Inside, permissions.Outside, permissions.Device
	for _, c := range []struct{ a, b, want permissions.Place }{
		{permissions.Place{Zone: in, Real: "/a"}, permissions.Place{Zone: out, Real: "/b"}, permissions.Place{Zone: out, Real: "/b"}},
		{permissions.Place{Zone: dev, Real: "/a"}, permissions.Place{Zone: in, Real: "/b"}, permissions.Place{Zone: in, Real: "/b"}},
		{permissions.Place{Zone: in, Protected: "x"}, permissions.Place{Zone: in, Own: true}, permissions.Place{Zone: in, Protected: "x", Own: true}},
		{permissions.Place{Zone: out, Real: "/a", Readable: true, Writable: true}, permissions.Place{Zone: out, Real: "/b", Readable: true},
			permissions.Place{Zone: out, Real: "/b", Readable: true}},
		{permissions.Place{Zone: out, Real: "/a", Readable: true}, permissions.Place{Zone: in, Real: "/b"}, permissions.Place{Zone: out, Real: "/a", Readable: true}},
		{permissions.Place{Below: []string{"x"}}, permissions.Place{Below: []string{"y"}, Partial: true}, permissions.Place{Below: []string{"x", "y"}, Partial: true}},
	} {
		for _, got := range []permissions.Place{strictest(c.a, c.b), strictest(c.b, c.a)} {
			if got.Zone != c.want.Zone || got.Real != c.want.Real || got.Readable != c.want.Readable || got.Writable != c.want.Writable ||
				got.Protected != c.want.Protected || got.Own != c.want.Own || got.Partial != c.want.Partial || len(got.Below) != len(c.want.Below) {
				t.Errorf("strictest(%+v, %+v) = %+v", c.a, c.b, got)
			}
		}
	}
}

func TestLookIsBounded(t *testing.T) {
	for name, limit := range map[string]limits{
		"entries": {entries: 1_000, depth: 1 << 30},
		"depth":   {entries: 1 << 30, depth: 4},
	} {
		w := newOn(endless{}, Config{Roots: []string{"/ws"}})
		w.limits = limit
		p := w.Resolve([]permissions.Effect{{Kind: permissions.FSWrite, Path: "/ws/x", Recursive: true}}, nil)[0].Place
		if !p.Partial || p.Protected == "" {
			t.Errorf("an endless tree under a limit of %s: %+v", name, p)
		}
	}
}

// endless is a disk on which every folder holds folders.
type endless struct{ badDisk }

func (endless) list(path string, limit int) ([]fs.DirEntry, bool, error) {
	var out []fs.DirEntry
	for _, n := range []string{"p", "q", "r"}[:min(3, limit)] {
		out = append(out, folderEntry(n))
	}
	return out, false, nil
}

type folderEntry string

func (f folderEntry) Name() string             { return string(f) }
func (folderEntry) IsDir() bool                { return true }
func (folderEntry) Type() fs.FileMode          { return fs.ModeDir }
func (folderEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

func TestGlobIsBounded(t *testing.T) {
	for name, shrink := range map[string]func(*limits){
		"matches": func(l *limits) { l.matches = 4 },
		"entries": func(l *limits) { l.entries = 4 },
	} {
		ws := t.TempDir()
		for i := range 5 {
			if err := os.WriteFile(fmt.Sprintf("%s/f%d", ws, i), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w := New(Config{Roots: []string{ws}})
		e := []permissions.Effect{{Kind: permissions.Read, Path: ws + "/f*", Glob: true}}
		if p := w.Resolve(e, nil)[0].Place; p.Zone != permissions.Inside || p.Partial {
			t.Errorf("%s within the limit: %+v", name, p)
		}
		shrink(&w.limits)
		if p := w.Resolve(e, nil)[0].Place; p.Zone != permissions.Outside || !p.Partial || p.Err == "" {
			t.Errorf("more %s than are looked at: %+v", name, p)
		}
	}
}
