package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"mayi/pkg/workspace"
)

// TestWithinAgreesWithTheSystem grows random trees of folders, files and links
// and compares with what the standard library makes of the same paths.
func TestWithinAgreesWithTheSystem(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		top := filepath.Join(base, "t", strings.Repeat("x", n%7+1)+string(rune('a'+n%26)))
		if err := os.RemoveAll(top); err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		step := rapid.SampledFrom([]string{"a", "b", "c", "d", "..", ".", "a", "b"})
		relative := func(label string) string {
			return strings.Join(rapid.SliceOfN(step, 1, 5).Draw(t, label), "/")
		}
		for _, dir := range []string{"a", "b"} {
			if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 10).Draw(t, "entries") {
			at := filepath.Join(top, strings.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "at"), "/"))
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				os.MkdirAll(at, 0o755)
			case 1:
				os.WriteFile(at, nil, 0o644)
			case 2:
				os.Symlink(relative("target"), at)
			case 3:
				os.Symlink(filepath.Join(top, relative("absolute target")), at)
			}
		}
		root := top + "/" + relative("root")
		path := top + "/" + relative("path")
		want, known := oracle(path, root)
		if got := workspace.Within(path, root); known && got != want {
			t.Fatalf("Within(%s, %s) = %v, the system says %v", path, root, got, want)
		}
	})
}

// oracle judges what exists with the standard library's resolver. known is
// false where something is missing, which that cannot resolve.
func oracle(path, root string) (within, known bool) {
	r, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false, looped(err)
	}
	p, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		// The last name may be missing while its folder is there, unless it is a
		// dangling link.
		if _, e := os.Lstat(path); e == nil {
			return false, false
		}
		dir, base := filepath.Split(path)
		if base == "" || base == "." || base == ".." {
			return false, false
		}
		d, e := filepath.EvalSymlinks(dir)
		if e != nil {
			return false, false
		}
		p, err = filepath.Join(d, base), nil
	}
	if err != nil {
		return false, looped(err)
	}
	rel, err := filepath.Rel(r, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../"), true
}

// looped: a loop is never inside; every other error says nothing.
func looped(err error) bool {
	return errors.Is(err, syscall.ELOOP) || strings.Contains(err.Error(), "too many links")
}
