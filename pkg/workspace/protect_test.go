package workspace_test

import (
	"os"
	"slices"
	"testing"

	"mayi/pkg/permissions"
)

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
		{"$W/half/commondir", "commondir"},
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
		{"$W/.github/copilot/settings.local.json", ".github/copilot"},
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
		{"$W/.mayi/*", true, []func(*permissions.Effect){globbed}},
		{"$W/.[m]ayi", true, []func(*permissions.Effect){globbed}},
		{"$W/.[!g]*", false, []func(*permissions.Effect){globbed}},
		{"$W/.*", false, []func(*permissions.Effect){globbed}},
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
	if !slices.ContainsFunc(g.at(permissions.FSWrite, "$W/.[!g]*", globbed), func(e permissions.Effect) bool { return e.Place.Protected != "" }) {
		t.Error("a glob that sweeps mayi's own files up is not asked about")
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
