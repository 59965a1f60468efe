package archtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTheFrontLinksNothingHeavy: every hook and every confined command starts
// the front, so what it links is paid for each time, used or not.
func TestTheFrontLinksNothingHeavy(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "mayi/cmd/front")
	list.Env = append(os.Environ(), "GOOS=linux") // there is no front for others
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if len(linked) < 50 {
		t.Fatalf("go list found only %d packages", len(linked))
	}
	for _, p := range linked {
		for _, heavy := range []string{
			"net", "net/http", "crypto/tls", "debug/elf", "text/template", "html/template", "database/sql", "go/parser",
			"mayi/pkg/store", "mayi/pkg/tools", "mayi/pkg/agent", "mayi/cmd/mayi", "mayi/internal/assembly", "mayi/internal/mcp", "mayi/internal/acp",
			"modernc.org", "github.com/spf13", "github.com/openai", "github.com/anthropics", "github.com/modelcontextprotocol", "github.com/coder", "charm.land", "github.com/jackc",
		} {
			if p == heavy || strings.HasPrefix(p, heavy+"/") && heavy != "net" {
				t.Errorf("the front links %s", p)
			}
		}
	}
}
