package shell

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mayi/pkg/shell/knowledge"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the case files anew")

// arrow stands between a case's command and what is expected of it.
const arrow = "=>\n"

// TestCases reads testdata/*.txtar. Each file in an archive is one case: the
// command, a line "=>", and the parts, effects and unread pieces as short
// lines. The home is /home/dev, the working directory /ws.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	a := New(knowledge.Load())
	env := Env{Cwd: "/ws", Home: "/home/dev", User: "dev", Vars: map[string]string{"PATH": "/usr/bin:/bin"}}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			for i, c := range ar.Files {
				command, want, ok := strings.Cut(string(c.Data), "\n"+arrow)
				if !ok && !*update {
					t.Errorf("%s: no line =>", c.Name)
					continue
				}
				command = strings.TrimSuffix(command, "\n")
				got := show(a.Analyze(command, env))
				if *update {
					ar.Files[i].Data = []byte(command + "\n" + arrow + got)
					continue
				}
				if got != want {
					t.Errorf("%s: %s\ngot:\n%swant:\n%s", c.Name, command, got, want)
				}
			}
		})
		if *update {
			if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
