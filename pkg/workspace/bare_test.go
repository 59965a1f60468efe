package workspace_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mayi/pkg/workspace"
)

func TestBareRepository(t *testing.T) {
	g := newGround(t,
		"ws/.git/objects/", "ws/.git/refs/", "ws/src/a",
		"ws/bare/HEAD", "ws/bare/objects/", "ws/bare/refs/heads/",
		"ws/common/HEAD", "ws/common/commondir", "ws/common/below/a",
		"ws/half/HEAD", "ws/half/refs/",
		"ws/file/HEAD", "ws/file/objects", "ws/file/refs/",
		"ws/nested/.git/objects/", "ws/nested/.git/refs/", "ws/nested/HEAD", "ws/nested/objects/", "ws/nested/refs/",
		"ws/empty/.git/", "ws/empty/HEAD", "ws/empty/objects/", "ws/empty/refs/",
		"ws/worktree/.git", "ws/worktree/HEAD", "ws/worktree/objects/", "ws/worktree/refs/",
		"ws/linked -> bare",
		"plain/.git/HEAD", "plain/a/b",
	)
	for _, dir := range []string{"/.git", "/nested/.git"} {
		if err := os.WriteFile(g.ws+dir+"/HEAD", []byte("ref: refs/heads/main\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		dir  string
		glob bool
		want string
	}{
		{"/", false, ""},
		{"/src", false, ""},
		{"/bare", false, "/bare"},
		{"/bare/refs/heads", false, "/bare"},
		{"/bare/objects/..", false, "/bare"},
		{"/linked", false, "/bare"},
		{"/common", false, "/common"},
		{"/common/below", false, "/common"},
		{"/half", false, ""},
		{"/file", false, ""},
		{"/nested", false, ""},
		{"/empty", false, "/empty"},
		{"/worktree", false, ""},
		{"/.git", false, ""},
		{"/missing", false, ""},
		{"/*", true, "/bare"},
		{"/s*", true, ""},
		{"/n*", true, ""},
		{"/**", true, "/**"},
		{"/[", true, "/["},
		{"/../plain/*", true, ""},
	} {
		want := c.want
		if want != "" {
			want = g.ws + want
		}
		if got := workspace.BareRepository(g.ws+c.dir, c.glob); got != want {
			t.Errorf("%s: %q, want %q", c.dir, got, want)
		}
	}
	for dir, want := range map[string]string{"/src": "", "/bare": "/bare", "/nested": "", "/common": "/common", "/missing": "/missing"} {
		if want != "" {
			want = g.ws + want
		}
		if got := workspace.BareRepositoryBelow(g.ws + dir); got != want {
			t.Errorf("below %s: %q, want %q", dir, got, want)
		}
	}
	if workspace.BareRepositoryBelow(g.ws) == "" {
		t.Error("nothing found below the workspace")
	}
}

// TestBareRepositoryBehindGit: whether a .git stops git is for git to say. It runs
// what the settings of the folder around it name where it passes over the .git.
func TestBareRepositoryBehindGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here: ", err)
	}
	const id = "0123456789abcdef0123456789abcdef01234567"
	for name, head := range map[string]string{
		"a reference": "ref: refs/heads/main\n", "spaces": "ref: \t refs/heads/main\n", "a commit": id + "\n", "no end": id,
		"empty": "", "garbage": "x\n", "another place": "ref: heads/main\n", "too short": id[1:] + "\n", "no hex": "z" + id[1:] + "\n",
		"long": "ref: refs/heads/" + strings.Repeat("x", 300) + "\n", "link:a reference": "refs/heads/none", "link:elsewhere": "../../HEAD",
	} {
		for _, without := range []string{"", "objects", "refs"} {
			t.Run(name+" without "+without, func(t *testing.T) {
				g := newGround(t, "ws/HEAD", "ws/objects/", "ws/refs/", "ws/config", "ws/.git/objects/", "ws/.git/refs/", "ws/.git/config", "ws/a/b")
				write := func(file, text string) {
					t.Helper()
					if err := os.WriteFile(g.ws+"/"+file, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				write("HEAD", "ref: refs/heads/main\n")
				write("config", "[core]\n\tbare = false\n\tworktree = .\n[alias]\n\tplanted = !echo PLANTED\n")
				write(".git/config", "[core]\n\tbare = false\n")
				if strings.HasPrefix(name, "link:") {
					if err := os.Symlink(head, g.ws+"/.git/HEAD"); err != nil {
						t.Fatal(err)
					}
				} else {
					write(".git/HEAD", head)
				}
				if without != "" {
					if err := os.Remove(g.ws + "/.git/" + without); err != nil {
						t.Fatal(err)
					}
				}
				cmd := exec.Command(git, "planted")
				cmd.Dir, cmd.Env = g.ws, []string{"HOME=" + g.home, "PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + g.top}
				text, _ := cmd.CombinedOutput()
				runs, found := strings.Contains(string(text), "PLANTED"), workspace.BareRepository(g.ws, false)
				if runs && found == "" {
					t.Errorf("git runs what the folder's settings name, and nothing is found:\n%s", text)
				}
				if !runs && found != "" && name != "long" {
					t.Errorf("%q is found, and git says:\n%s", found, text)
				}
			})
		}
	}
}
