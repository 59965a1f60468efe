package permissions

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The decision is pure: it imports nothing that reads the world.
func TestImportsArePure(t *testing.T) {
	pure := []string{"cmp", "encoding/json", "errors", "fmt", "maps", "net/netip", "net/url", "path", "slices", "strings", "unicode/utf8", "golang.org/x/net/idna"}
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(pure, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
