package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mayi/pkg/workspace"
)

// tree makes files, folders (name ends in "/") and links ("name -> target") in
// a fresh folder and returns its canonical path. "$T" in a target stands for it.
func tree(t testing.TB, entries ...string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	grow(t, top, entries...)
	return top
}

func grow(t testing.TB, top string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		name, target, link := strings.Cut(e, " -> ")
		full := filepath.Join(top, name)
		parent := filepath.Dir(full)
		if strings.HasSuffix(name, "/") {
			parent = full
		}
		if err := os.MkdirAll(parent, 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case link:
			err = os.Symlink(strings.ReplaceAll(target, "$T", top), full)
		case !strings.HasSuffix(name, "/"):
			err = os.WriteFile(full, []byte("x\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWithin(t *testing.T) {
	top := tree(t,
		"ws/a/b.txt", "ws/docs/", "ws2/secret", "out/secret", "out/deep/",
		"ws/in -> a", "ws/leak -> ../out", "ws/leakfile -> $T/out/secret",
		"ws/dangling -> $T/out/none", "ws/danglingin -> $T/ws/none",
		"ws/loop -> loop", "ws/ping -> pong", "ws/pong -> ping",
		"ws/deep -> ../out/deep", "back -> ws", "ws/abs -> /", "ws/chain -> in/../leak",
	)
	ws := top + "/ws"
	for _, c := range []struct {
		path, root string
		want       bool
		why        string
	}{
		{ws, ws, true, "the root itself"},
		{ws + "/", ws, true, "a trailing slash"},
		{ws + "//a/./b.txt", ws, true, "an unclean spelling"},
		{ws + "/a/b.txt", ws, true, "a file inside"},
		{ws + "/a/new/file", ws, true, "what does not exist yet"},
		{ws + "/..notes", ws, true, "two dots are the beginning of a name"},
		{ws + "/in/b.txt", ws, true, "a link that stays inside"},
		{ws + "2/secret", ws, false, "the root's name is only a prefix"},
		{top + "/w", ws, false, "a prefix of the root"},
		{ws + "/../out/secret", ws, false, "climbing out"},
		{ws + "/a/../../out", ws, false, "climbing out from below"},
		{ws + "/leak/secret", ws, false, "a link to a folder outside"},
		{ws + "/leak", ws, false, "the link itself leads outside"},
		{ws + "/leakfile", ws, false, "a link to a file outside"},
		{ws + "/leak/new", ws, false, "a new file behind a link"},
		{ws + "/dangling", ws, false, "a dangling link to the outside"},
		{ws + "/danglingin", ws, true, "a dangling link to the inside"},
		{ws + "/deep/../secret", ws, false, "link/.. is the target's parent"},
		{ws + "/deep/../../ws/a", ws, true, "out and back in as the kernel goes"},
		{ws + "/chain/secret", ws, false, "links in a link's target"},
		{ws + "/abs" + ws + "/a", ws, true, "through a link to / and back"},
		{ws + "/loop", ws, false, "a loop"},
		{ws + "/ping/x", ws, false, "a loop of two"},
		{ws + "/loop/../a", ws, false, "a loop on the way"},
		{top + "/back/a", ws, true, "a link from outside into the workspace"},
		{ws + "/a", top + "/back", true, "the root is a link"},
		{top + "/out", top + "/back", false, "the root is a link, the path elsewhere"},
		{ws + "/a", ws + "/loop", false, "the root is a loop"},
		{"ws/a", ws, false, "a relative path"},
		{ws + "/a", "ws", false, "a relative root"},
		{"", ws, false, "no path"},
		{ws, "", false, "no root"},
		{ws + "/a\x00b", ws, false, "a NUL byte"},
		{ws, ws + "\x00", false, "a NUL byte in the root"},
		{"/etc/passwd", "/", true, "everything is in /"},
		{"/", "/", true, "/ is in itself"},
		{"/", ws, false, "/ is in nothing else"},
		{ws + "/" + strings.Repeat("a/", 3000), ws, false, "longer than the kernel takes"},
		{"/proc/self/cwd", "/", false, "where that leads depends on who asks"},
	} {
		if got := workspace.Within(c.path, c.root); got != c.want {
			t.Errorf("%s: Within(%q, %q) = %v", c.why, c.path, c.root, got)
		}
	}
}
