package shell

import (
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The analysis looks at nothing but its arguments: it imports neither the
// system nor the packages that come after it.
func TestImports(t *testing.T) {
	allowed := []string{"fmt", "maps", "math", "net/url", "slices", "strconv", "strings", "sync", "unicode", "unicode/utf8",
		"mayi/pkg/permissions", "mayi/pkg/shell/knowledge", "mayi/pkg/shell/value", "mvdan.cc/sh/v3/syntax"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range append(files, "value/value.go", "value/join.go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if path, _ := strconv.Unquote(imp.Path.Value); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}
