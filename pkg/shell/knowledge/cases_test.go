package knowledge

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what the cases expect")

// TestCases reads testdata/cases/*.txt: a line "$ argv", then the lines that
// the description has to show, then a blank line.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	b := Load()
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, block := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
			var want []string
			command, note := "", ""
			for _, line := range strings.Split(block, "\n") {
				switch {
				case strings.HasPrefix(line, "#"):
					note += line + "\n"
				case strings.HasPrefix(line, "$ "):
					command = line[2:]
				case line != "":
					want = append(want, line)
				}
			}
			got := strings.Join(show(b.Describe(words(command))), "\n")
			if *update {
				out.WriteString(note)
				if command != "" {
					out.WriteString("$ " + command + "\n" + got + "\n")
				}
				out.WriteString("\n")
				continue
			}
			if command != "" && got != strings.Join(want, "\n") {
				t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", filepath.Base(f), command, got, strings.Join(want, "\n"))
			}
		}
		if *update {
			if err := os.WriteFile(f, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
