package sandbox

import (
	"strings"
	"testing"
)

// FuzzPattern: no pattern and path make the matcher fail, what lies below a
// covered path is covered, and letter case makes no difference.
func FuzzPattern(f *testing.F) {
	f.Add("**/.env", "/ws/.env")
	f.Add("/ws/.vscode/tasks.json", "/ws/.vscode")
	f.Add("**/.git/modules/**/config", "/ws/.git/modules/a/b/config")
	f.Add("a[", "/a[")
	f.Add("**", "/")
	f.Add("*\\", "/\xff")
	f.Fuzz(func(t *testing.T, glob, p string) {
		if len(glob) > 200 || len(p) > 200 || strings.Count(glob, "**") > 4 {
			return
		}
		n := compile([]Pattern{{Glob: glob}})
		got, _ := n.match(p)
		if got != covered {
			return
		}
		if below, _ := n.match(p + "/x"); below != covered {
			t.Errorf("%q covers %q but not what is below", glob, p)
		}
	})
}
