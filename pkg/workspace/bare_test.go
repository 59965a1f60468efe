package workspace_test

import (
	"testing"

	"mayi/pkg/workspace"
)

func TestBareRepository(t *testing.T) {
	g := newGround(t,
		"ws/.git/HEAD", "ws/src/a",
		"ws/bare/HEAD", "ws/bare/objects/", "ws/bare/refs/heads/",
		"ws/common/HEAD", "ws/common/commondir", "ws/common/below/a",
		"ws/half/HEAD", "ws/half/refs/",
		"ws/file/HEAD", "ws/file/objects", "ws/file/refs/",
		"ws/nested/.git/HEAD", "ws/nested/HEAD", "ws/nested/objects/", "ws/nested/refs/",
		"ws/empty/.git/", "ws/empty/HEAD", "ws/empty/objects/", "ws/empty/refs/",
		"ws/worktree/.git", "ws/worktree/HEAD", "ws/worktree/objects/", "ws/worktree/refs/",
		"ws/linked -> bare",
		"plain/.git/HEAD", "plain/a/b",
	)
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
