package workspace_test

import (
	"os"
	"testing"

	"mayi/pkg/workspace"
)

func TestFindRoot(t *testing.T) {
	g := newGround(t, "home/proj/.git/HEAD", "home/proj/a/b/", "home/other/.mayi/settings.json", "home/other/x/", "home/plain/x/",
		"home/.git/HEAD", "home/outer/.git/HEAD", "home/outer/inner/.mayi/", "home/outer/inner/y/", "home/wt/.git", "home/wt/z/", "link -> home/proj/a")
	for _, c := range []struct{ cwd, want string }{
		{"$H/proj/a/b", "$H/proj"},
		{"$H/proj", "$H/proj"},
		{"$H/other/x", "$H/other"},
		{"$H/outer/inner/y", "$H/outer/inner"},
		{"$H/wt/z", "$H/wt"},
		{"$H/plain/x", "$H/plain/x"}, // ~/.git does not make the home a workspace
		{"$H", "$H"},
		{"$T/link/b", "$H/proj"},
		{"/", "/"},
	} {
		if got := workspace.FindRoot(g.name(c.cwd), g.home); got != g.name(c.want) {
			t.Errorf("FindRoot(%s) = %s, want %s", c.cwd, got, g.name(c.want))
		}
	}
}

// TestFindRootOfSomebodyElse: whoever owns the folder above could widen the
// workspace by putting a .git there.
func TestFindRootOfSomebodyElse(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	g := newGround(t, "shared/.git/HEAD", "shared/mine/")
	if err := os.Chown(g.top+"/shared", 4711, 4711); err != nil {
		t.Fatal(err)
	}
	if got := workspace.FindRoot(g.top+"/shared/mine", g.home); got != g.top+"/shared/mine" {
		t.Errorf("FindRoot = %s", got)
	}
}
