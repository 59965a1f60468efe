package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// ground is a workspace in a tree of its own.
type ground struct {
	top, ws, home string
	conf          workspace.Config
}

func newGround(t testing.TB, entries ...string) *ground {
	t.Helper()
	top := tree(t, append([]string{"ws/", "home/"}, entries...)...)
	g := &ground{top: top, ws: top + "/ws", home: top + "/home"}
	g.conf = workspace.Config{
		Roots: []string{g.ws}, Home: g.home, Cwd: g.ws,
		Own: []string{g.home + "/.config/mayi", g.home + "/.local/state/mayi", g.ws + "/.mayi"},
	}
	return g
}

// name puts the ground's folders in place of $T, $W and $H.
func (g *ground) name(s string) string {
	return strings.NewReplacer("$T", g.top, "$W", g.ws, "$H", g.home).Replace(s)
}

// at resolves one effect and returns what it became.
func (g *ground) at(kind permissions.Kind, path string, more ...func(*permissions.Effect)) []permissions.Effect {
	e := permissions.Effect{Kind: kind, Path: g.name(path), Certainty: permissions.Exact}
	for _, m := range more {
		m(&e)
	}
	return workspace.New(g.conf).Resolve([]permissions.Effect{e}, nil)
}

func recursive(e *permissions.Effect) { e.Recursive = true }
func bounded(e *permissions.Effect)   { e.Certainty = permissions.Bounded }
func globbed(e *permissions.Effect)   { e.Glob, e.Certainty = true, permissions.Bounded }

const (
	in  = permissions.Inside
	out = permissions.Outside
	dev = permissions.Device
)

func TestZone(t *testing.T) {
	g := newGround(t, "ws/a/b.txt", "ws2/x", "out/secret", "extra/y", "ws/leak -> ../out", "ws/null -> /dev/null", "ws/loop -> loop",
		"ws/dangling -> $T/out/none", "ws/proc -> /proc/self/cwd")
	g.conf.Trusted = []string{g.top + "/extra"}
	for _, c := range []struct {
		path string
		zone permissions.Zone
		real string // "" where it cannot be known
	}{
		{"$W", in, "$W"},
		{"$W/a/b.txt", in, "$W/a/b.txt"},
		{"$W/new/file", in, "$W/new/file"},
		{"$T/extra/y", in, "$T/extra/y"},
		{"$T/ws2/x", out, "$T/ws2/x"},
		{"$W/../out/secret", out, "$T/out/secret"},
		{"$W/leak/secret", out, "$T/out/secret"},
		{"$W/leak/../ws/a", in, "$W/a"},
		{"$W/dangling", out, "$T/out/none"},
		{"$W/loop", out, ""},
		{"relative", out, ""},
		{"", out, ""},
		{"$W/a\x00", out, ""},
		{"/dev/null", dev, "/dev/null"},
		{"/dev//./null", dev, "/dev/null"},
		{"$W/null", dev, "/dev/null"},
		{"/dev/tty", dev, "/dev/tty"},
		{"/dev/stdin", dev, "/dev/stdin"},
		{"/dev/stdout", dev, "/dev/stdout"},
		{"/dev/stderr", dev, "/dev/stderr"},
		{"/dev/fd/0", dev, "/dev/fd/0"},
		{"/dev/fd/2", dev, "/dev/fd/2"},
		{"/dev/ptmx", dev, "/dev/ptmx"},
		{"/dev/zero", dev, "/dev/zero"},
		{"/dev/full", dev, "/dev/full"},
		{"/dev/random", dev, "/dev/random"},
		{"/dev/urandom", dev, "/dev/urandom"},
		{"/dev/fd/3", out, "/dev/fd/3"},
		{"/dev/fd", out, "/dev/fd"},
		{"/dev/sda", out, "/dev/sda"},
		{"/dev/nullx", out, "/dev/nullx"},
		{"/dev/shm/x", out, "/dev/shm/x"},
		{"/dev/null/../../home/dev/.bashrc", out, "/home/dev/.bashrc"},
		{"/dev/null/x", out, "/dev/null/x"},
		{"/dev/stdin/../../etc/passwd", out, "/proc/self/fd/0/../../etc/passwd"},
		{"/proc/self/root$W/a", in, "$W/a"},
		{"/proc/self/root/etc/passwd", out, "/etc/passwd"},
		{"/proc/self/cwd/../out/secret", out, "$T/out/secret"},
		{"/proc/self/cwd/a", out, "$W/a"},
		{"$W/proc/a", out, "$W/a"},
		{"/proc/self/environ", out, "/proc/self/environ"},
		{"/proc/self/fd/0", out, "/proc/self/fd/0"},
		{"/proc/self/exe", out, "/proc/self/exe"},
		{"/proc/thread-self/cwd/a", out, "/proc/thread-self/cwd/a"},
		{"/proc/1/root$W/a", out, "/proc/1/root$W/a"},
		{"/proc/version", out, "/proc/version"},
	} {
		want := c.real
		if strings.HasPrefix(c.path, "/dev/stdin/..") {
			want = filepath.Clean(want)
		}
		got := g.at(permissions.Read, c.path)
		if len(got) != 1 {
			t.Fatalf("%s: %d effects", c.path, len(got))
		}
		p := got[0].Place
		if p.Zone != c.zone || p.Real != g.name(want) {
			t.Errorf("%s: zone %d real %q, want %d %q", c.path, p.Zone, p.Real, c.zone, g.name(want))
		}
		if c.real == "" && p.Err == "" {
			t.Errorf("%s: no reason is given", c.path)
		}
	}
}

func TestNoRootsNothingInside(t *testing.T) {
	g := newGround(t, "ws/a", "extra/y")
	g.conf.Roots, g.conf.Trusted = nil, []string{g.top + "/extra"}
	for _, path := range []string{"$W/a", "$T/extra/y", "/"} {
		if p := g.at(permissions.Read, path)[0].Place; p.Zone != out {
			t.Errorf("%s is inside of no workspace", path)
		}
	}
	g.conf.Roots = []string{"relative", ""}
	if p := g.at(permissions.Read, "$W/a")[0].Place; p.Zone != out {
		t.Error("roots that mean nothing let something in")
	}
	g.conf.Roots = []string{"/"}
	if p := g.at(permissions.Read, "/etc/passwd")[0].Place; p.Zone != in {
		t.Error("a root of / holds everything")
	}
}

func TestStandingGrants(t *testing.T) {
	g := newGround(t, "lib/include/a.h", "lib/link -> $T/out", "out/secret", "home/notes/x.md", "home/notes/y.txt", "alias -> lib", "w/f")
	g.conf.ReadPaths = []string{g.top + "/alias/include", "~/notes/*.md", g.top + "/lib/link/../none"}
	g.conf.WritePaths = []string{g.top + "/w"}
	for _, c := range []struct {
		path        string
		read, write bool
	}{
		{"$T/lib/include/a.h", true, false},
		{"$T/alias/include/new.h", true, false},
		{"$T/lib/include", true, false},
		{"$T/lib/include2", false, false},
		{"$T/lib/include/../link/secret", false, false},
		{"$H/notes/x.md", true, false},
		{"$H/notes/y.txt", false, false},
		{"$T/w/f", true, true},
		{"$T/w/../out/secret", false, false},
		{"$T/none/x", true, false}, // where lib/link/../none leads
		{"$T/lib/none", false, false},
	} {
		p := g.at(permissions.Read, c.path)[0].Place
		if p.Zone != out || p.Readable != c.read || p.Writable != c.write {
			t.Errorf("%s: zone %d readable %v writable %v", c.path, p.Zone, p.Readable, p.Writable)
		}
	}
}

func TestProtected(t *testing.T) {
	g := newGround(t, "ws/.git/config", "ws/.git/HEAD", "ws/sub/.git/hooks/x", "ws/vscode/settings.json", "ws/.idea -> vscode",
		"home/dotfiles/bashrc", "home/.bashrc -> dotfiles/bashrc", "ws/normal/config", "ws/bare/HEAD", "ws/bare/objects/", "ws/bare/refs/", "ws/bare/config",
		"ws/half/HEAD", "ws/half/refs/", "ws/link -> .git/hooks",
		"alias -> ws", "ws/by/x.toml", "ws/via -> by", "ws/young/.git/HEAD", "ws/young/.git/refs/")
	g.conf.Protected = []string{"via/x.toml", "*.lock", "/etc/ours/**", "~/vault", "conf/x.toml", "**/deploy/*.yaml"}
	for _, c := range []struct {
		path, want string // "" for none, "*" for any
	}{
		{"$W/.git/config", ".git/config"},
		{"$W/.git/HEAD", ""},
		{"$W/.git/hooks/pre-commit", ".git/hooks"},
		{"$W/.git/hooks", ".git/hooks"},
		{"$W/.git", ".git"},
		{"$W/new/.git", ".git"},
		{"$W/new/.git/commondir", ".git/commondir"},
		{"$W/.git/info/attributes", ".git/info/attributes"},
		{"$W/.git/modules/a/b/hooks/x", ".git/modules/**/hooks"},
		{"$W/.git/worktrees/w/commondir", ".git/worktrees/*/commondir"},
		{"$W/sub/.git/hooks/y", ".git/hooks"},
		{"$W/link/x", ".git/hooks"},
		{"$W/.gitattributes", ".gitattributes"},
		{"$W/.gitignore", ""},
		{"$W/.envrc", ".envrc"},
		{"$W/sub/.envrc", ""},
		{"$W/.envrc.example", ""},
		{"$W/.bashrc", ".bashrc"},
		{"$H/.bashrc", ".bashrc"},
		{"$H/dotfiles/bashrc", ".bashrc"},
		{"$H/.config/fish/config.fish", ".config/fish"},
		{"$H/.ssh/authorized_keys", ".ssh"},
		{"$W/.vscode/tasks.json", ".vscode/tasks.json"},
		{"$W/.vscode/extensions.json", ""},
		{"$W/.idea/new.xml", ".idea"},
		{"$W/vscode/new.xml", ".idea"}, // where .idea leads
		{"$W/.mcp.json", ".mcp.json"},
		{"$W/.claude/settings.local.json", ".claude"},
		{"$W/.github/hooks/x", ".github/hooks"},
		{"$W/.github/ISSUE_TEMPLATE.md", ""},
		{"$W/opencode.jsonc", "opencode.jsonc"},
		{"$W/normal/config", ""},
		{"$W/bare/config", "bare git repository"},
		{"$W/bare/hooks/post-update", "bare git repository"},
		{"$W/bare/objects/aa/x", ""},
		{"$W/half/objects/x", "bare git repository"},
		{"$W/half/config", ""},
		{"$W/young/.git/objects/x", ""},
		{"$T/alias/via/x.toml", "via/x.toml"},
		{"$W/by/x.toml", ""},
		{"$W/go.lock", "*.lock"},
		{"$W/a/b/go.lock", "*.lock"},
		{"/etc/ours/x", "/etc/ours/**"},
		{"$H/vault/key", "~/vault"},
		{"$W/conf/x.toml", "conf/x.toml"},
		{"$W/b/conf/x.toml", ""},
		{"$W/b/deploy/prod.yaml", "**/deploy/*.yaml"},
		{"$W/a.txt", ""},
		// The same names in other spellings.
		{"$W/.GIT/Config", ".git/config"},
		{"$W/.gIt/HOOKS/x", ".git/hooks"},
		{"$W/.g\u200cit/config", ".git/config"},
		{"$W/.git\u200b/hooks/x", ".git/hooks"},
		{"$W/.ｇｉｔ/config", ".git/config"},
		{"$W/．git/config", ".git/config"},
		{"$W/.git./config", ".git/config"},
		{"$W/.git /config", ".git/config"},
		{"$W/git~1/config", ".git/config"},
		{"$W/.git::$INDEX_ALLOCATION/config", ".git/config"},
		{"$W/.gіt/config", ".git/config"}, // Cyrillic i
		{"$W/.cUrSoR/mcp.json", ".cursor"},
		{"$W/.ba\u017fhrc", ".bashrc"}, // long s
		{"$W/.en\ufe0fvrc", ".envrc"},
		{"$W/.MCP.JSON", ".mcp.json"},
		{"$W/x/../.envrc", ".envrc"},
		{"$W/GO.LOCK", "*.lock"},
	} {
		p := g.at(permissions.FSWrite, c.path)[0].Place
		if c.want == "*" && p.Protected != "" {
			continue
		}
		if p.Protected != c.want {
			t.Errorf("%s: protected by %q, want %q", c.path, p.Protected, c.want)
		}
	}
}

func TestGitConfigNamesFiles(t *testing.T) {
	g := newGround(t, "ws/conf/git", "ws/hooks/", "wt/")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(g.ws+"/.git/worktrees/wt", 0o755))
	must(os.WriteFile(g.ws+"/.git/config", []byte("[core]\n\thooksPath = hooks\n\tfsmonitor = true\n[include]\n\tpath = ../conf/git\n[includeIf \"gitdir:x\"] path = \"~/gitinc\"\n"), 0o644))
	must(os.WriteFile(g.ws+"/.git/worktrees/wt/commondir", []byte("../..\n"), 0o644))
	must(os.WriteFile(g.top+"/wt/.git", []byte("gitdir: "+g.ws+"/.git/worktrees/wt\n"), 0o644))
	for _, c := range []struct {
		root, path string
		want       bool
	}{
		{"$W", "$W/conf/git", true}, {"$W", "$W/hooks/pre-commit", true}, {"$W", "$H/gitinc", true}, {"$W", "$W/true", false}, {"$W", "$W/conf/other", false},
		{"$T/wt", "$T/wt/hooks/pre-commit", true}, {"$T/wt", "$W/conf/git", true},
	} {
		g.conf.Roots = []string{g.name(c.root)}
		if p := g.at(permissions.FSWrite, c.path)[0].Place; (p.Protected != "") != c.want {
			t.Errorf("root %s: %s is protected by %q", c.root, c.path, p.Protected)
		}
	}
}

func TestOwn(t *testing.T) {
	g := newGround(t, "home/.config/mayi/settings.json", "home/.local/state/mayi/x.db", "ws/.mayi/settings.json", "ws/link -> $T/home/.config/mayi")
	for _, c := range []struct {
		path string
		own  bool
		more []func(*permissions.Effect)
	}{
		{"$H/.config/mayi/settings.json", true, nil},
		{"$H/.config/mayi", true, nil},
		{"$H/.config/MAYI/settings.json", true, nil},
		{"$H/.config/mayi2/x", false, nil},
		{"$W/link/settings.json", true, nil},
		{"$W/.mayi/settings.json", true, nil},
		{"$W/sub/.mayi/settings.json", true, nil},
		{"$W/.Mayi/settings.json", true, nil},
		{"$W/.mayi", true, nil},
		{"$W/a", false, nil},
		{"$H/.config", true, []func(*permissions.Effect){recursive}},
		{"$H/.config", false, []func(*permissions.Effect){recursive, bounded}},
		{"$W", true, []func(*permissions.Effect){recursive}},
		{"$W/sub", false, []func(*permissions.Effect){recursive}},
		{"$W/.m*", true, []func(*permissions.Effect){globbed}},
		{"$H/.local/state/m*/x.db", true, []func(*permissions.Effect){globbed}},
	} {
		got := g.at(permissions.FSWrite, c.path, c.more...)
		own := slices.ContainsFunc(got, func(e permissions.Effect) bool { return e.Place.Own })
		if own != c.own {
			t.Errorf("%s: own = %v", c.path, own)
		}
	}
	// What may or may not touch mayi's own files is asked about.
	if p := g.at(permissions.FSWrite, "$W", recursive, bounded)[0].Place; p.Own || p.Protected == "" {
		t.Errorf("a bounded write of everything: %+v", p)
	}
}

func TestBelow(t *testing.T) {
	g := newGround(t, "ws/a/.env", "ws/a/b/.env", "ws/a/x.txt", "ws/.env", "ws/leak -> $T/out", "out/.env", "ws/c/.git/config", "ws/d/x", "ws/secrets/k1",
		"ws/dir.txt/.git/config")
	w := workspace.New(g.conf)
	for _, c := range []struct {
		kind  permissions.Kind
		path  string
		glob  bool
		watch []string
		below []string
		guard bool
	}{
		{permissions.Read, "$W/a", false, []string{".env"}, []string{"$W/a/.env", "$W/a/b/.env"}, false},
		{permissions.Read, "$W", false, []string{"/ws/.env", "secrets/**"}, []string{"$W/secrets"}, false},
		{permissions.Read, "$W/d", false, []string{".env"}, nil, false},
		{permissions.Read, "$W", false, nil, nil, false},
		{permissions.Read, "$W/d", false, []string{"a/.env"}, nil, false},
		{permissions.Read, "$W/leak", false, []string{".env"}, []string{"$T/out/.env"}, false},
		{permissions.FSWrite, "$W/c", false, nil, nil, true},
		{permissions.FSWrite, "$W/d", false, nil, nil, false},
		{permissions.FSWrite, "$W", false, nil, nil, true},
		{permissions.Read, "$W/a/.e*", true, []string{".env"}, []string{"$W/a/.env"}, false},
		{permissions.Read, "$W/a/*", true, []string{".env"}, nil, false},
		{permissions.Read, "$W/**/.env", true, []string{".env"}, []string{"$T/out/.env", "$W/.env", "$W/a/.env", "$W/a/b/.env"}, false},
		{permissions.FSWrite, "$W/**/*.txt", true, nil, nil, false},
		{permissions.FSWrite, "$W/**/config", true, nil, nil, true},
	} {
		e := permissions.Effect{Kind: c.kind, Path: g.name(c.path), Recursive: !c.glob, Glob: c.glob, Certainty: permissions.Bounded}
		p := w.Resolve([]permissions.Effect{e}, c.watch)[0].Place
		var want []string
		for _, b := range c.below {
			want = append(want, g.name(b))
		}
		slices.Sort(p.Below)
		if !slices.Equal(p.Below, want) || (p.Protected != "") != c.guard || p.Partial {
			t.Errorf("%d %s watching %v: below %v protected %q partial %v", c.kind, c.path, c.watch, p.Below, p.Protected, p.Partial)
		}
	}
}

func TestGlobs(t *testing.T) {
	g := newGround(t, "ws/a.txt", "ws/b.txt", "ws/sub/c.txt", "ws/leak.txt -> $T/out/secret", "out/secret", "ws/dir -> $T/out", "ws/ok -> a.txt",
		"ws/.hidden -> $T/out", "etc/a.conf", "etc/b.conf -> $T/out/secret", "ws/q[1]", "ws/in/x.log", "ws/in/y.log")
	for _, c := range []struct {
		path string
		zone permissions.Zone
		// outs are the real places of the effects outside.
		outs []string
	}{
		{"$W/b*", in, nil},
		{"$W/*.md", in, nil},
		{"$W/*.txt", out, []string{"$T/out/secret"}},
		{"$W/*/secret", out, []string{"$T/out/secret"}},
		{"$W/d*", out, []string{"$T/out"}},
		{"$W/o*", in, nil},
		{"$W/?.txt", in, nil},
		{"$W/[ab].txt", in, nil},
		{"$W/[!dl]*", in, nil},
		{"$W/[^dl]*", in, nil},
		{"$W/[A-E]ir", out, []string{"$T/out"}},
		{"$W/d[[:alpha:]]r", out, []string{"$T/out"}},
		{"$W/.h*", out, []string{"$T/out"}},
		{"$W/h*", in, nil},
		{"$W/in/*.log", in, nil},
		{"$T/etc/*.conf", out, []string{"$T/etc/*.conf", "$T/out/secret"}},
		{"$W/*/../../out/secret", out, []string{"$T/out/secret"}},
		{"$W/none*/../../out", out, []string{"$T/out"}},
		{`$W/q\[1\]`, in, nil},
		{"/dev/nul*", out, []string{"/dev/nul*"}},
	} {
		got := g.at(permissions.Read, c.path, globbed)
		if got[0].Place.Zone != c.zone {
			t.Errorf("%s: zone %d", c.path, got[0].Place.Zone)
		}
		var outs, want []string
		for _, e := range got {
			if e.Place.Zone == out {
				outs = append(outs, e.Place.Real)
			}
		}
		for _, o := range c.outs {
			want = append(want, g.name(o))
		}
		slices.Sort(outs)
		slices.Sort(want)
		if !slices.Equal(outs, want) {
			t.Errorf("%s: outside %v, want %v", c.path, outs, want)
		}
	}
}

func TestGlobLimits(t *testing.T) {
	many := newGround(t)
	for i := range 40 {
		if err := os.Symlink(fmt.Sprintf("/nowhere/%d", i), fmt.Sprintf("%s/l%d", many.ws, i)); err != nil {
			t.Fatal(err)
		}
	}
	got := many.at(permissions.Read, "$W/l*", globbed)
	last := got[len(got)-1].Place
	if len(got) > 20 || last.Zone != out || last.Real != "" || last.Err == "" {
		t.Errorf("%d effects, the last one %+v", len(got), last)
	}
}

func TestLinksOfTheCallCount(t *testing.T) {
	g := newGround(t, "out/secret", "ws/dir/", "ws/safe/x", "ws/old -> $T/out")
	link := func(path, target string) permissions.Effect {
		return permissions.Effect{Kind: permissions.FSWrite, Path: g.name(path), LinkTo: g.name(target), Certainty: permissions.Exact}
	}
	read := func(path string) permissions.Effect {
		return permissions.Effect{Kind: permissions.Read, Path: g.name(path), Certainty: permissions.Exact}
	}
	w := workspace.New(g.conf)
	for _, c := range []struct {
		name    string
		effects []permissions.Effect
		real    string
		zone    permissions.Zone
	}{
		{"a link to the outside", []permissions.Effect{link("$W/e", "$T/out"), read("$W/e/secret")}, "$T/out/secret", out},
		{"a relative one", []permissions.Effect{link("$W/e", "../out"), read("$W/e/secret")}, "$T/out/secret", out},
		{"into a folder", []permissions.Effect{link("$W/dir", "$T/out"), read("$W/dir/out/secret")}, "$T/out/secret", out},
		{"one that stays inside", []permissions.Effect{link("$W/e", "safe"), read("$W/e/x")}, "$W/e/x", in},
		{"two steps", []permissions.Effect{link("$W/e", "f"), link("$W/f", "$T/out"), read("$W/e/secret")}, "$T/out/secret", out},
		{"set right again, perhaps in vain", []permissions.Effect{link("$W/e", "$T/out"), link("$W/e", "safe"), read("$W/e/secret")}, "$T/out/secret", out},
		{"an old link replaced, perhaps in vain", []permissions.Effect{link("$W/old", "safe"), read("$W/old/x")}, "$T/out/x", out},
		{"a loop that the call makes", []permissions.Effect{link("$W/e", "f"), link("$W/f", "e"), read("$W/e/x")}, "", out},
		{"a link to itself opens nothing", []permissions.Effect{link("$W/e", "e"), read("$W/e/x")}, "$W/e/x", in},
		{"to a folder beside it", []permissions.Effect{link("$W/e", "safe"), link("$W/e/safe", "safe"), read("$W/e"), read("$W/e/safe")}, "$W/e", in},
		{"later links do not count before", []permissions.Effect{read("$W/e/secret"), link("$W/e", "$T/out")}, "$W/e/secret", in},
		{"a glob through it", []permissions.Effect{link("$W/e", "$T/out"), {Kind: permissions.Read, Path: g.name("$W/e*/secret"), Glob: true}}, "$T/out/secret", out},
	} {
		got := w.Resolve(c.effects, nil)
		found := slices.ContainsFunc(got, func(e permissions.Effect) bool {
			return e.Kind == permissions.Read && e.Place.Zone == c.zone && e.Place.Real == g.name(c.real)
		})
		strict := slices.ContainsFunc(got, func(e permissions.Effect) bool { return e.Kind == permissions.Read && e.Place.Zone == out })
		if !found && c.real != "" || strict != (c.zone == out) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestResolveLeavesTheRestAlone(t *testing.T) {
	g := newGround(t)
	effects := []permissions.Effect{
		{Kind: permissions.NetRead, Host: "example.org"},
		{Kind: permissions.Exec, Program: "make"},
		{Kind: permissions.FSWrite, Why: "a variable"},
	}
	got := workspace.New(g.conf).Resolve(effects, nil)
	if len(got) != 3 || got[0].Place.Err != "" || got[1].Place.Err != "" || got[2].Place.Err == "" || got[2].Place.Zone != out {
		t.Errorf("%+v", got)
	}
	if effects[2].Place.Err != "" {
		t.Error("the caller's effects were changed")
	}
}

// TestWholeFoldersAreProtectedBeforehand: what writes a whole workspace or home
// can make the protected files that are not there yet.
func TestWholeFoldersAreProtectedBeforehand(t *testing.T) {
	g := newGround(t, "ws/src/a")
	for path, want := range map[string]bool{"$W": true, "$H": true, "$T": true, "$W/src": false, "$W/.vscode": true} {
		if p := g.at(permissions.FSWrite, path, recursive)[0].Place; (p.Protected != "") != want {
			t.Errorf("%s: protected by %q", path, p.Protected)
		}
		if p := g.at(permissions.Read, path, recursive)[0].Place; path == "$W" && p.Protected != "" {
			t.Errorf("reading %s: protected by %q", path, p.Protected)
		}
	}
}
