package journal

import (
	"os/exec"
	"strings"
	"testing"
)

// A process that lives for a few milliseconds must not load a database.
func TestNothingHeavyIsLoaded(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for _, p := range strings.Fields(string(out)) {
		for _, heavy := range []string{"database/sql", "modernc.org/", "net", "net/http", "text/template", "github.com/", "mayi/pkg/store"} {
			if p == heavy || strings.HasSuffix(heavy, "/") && strings.HasPrefix(p, heavy) {
				t.Errorf("%s is loaded", p)
			}
		}
	}
}
