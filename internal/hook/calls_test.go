package hook_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the answers into the case files")

// TestCapturedCalls answers what the programs themselves send. Each file is one
// agent; a call NAME has its answer in "NAME: answer", the settings stand in
// "settings" and variables in "env".
func TestCapturedCalls(t *testing.T) {
	files, err := filepath.Glob("testdata/calls/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files of calls (%v)", len(files), err)
	}
	for _, file := range files {
		agent := strings.TrimSuffix(filepath.Base(file), ".txtar")
		agent, _, _ = strings.Cut(agent, "_")
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			settings, env := everyday, unattended()
			for i := range a.Files {
				f := &a.Files[i]
				switch {
				case f.Name == "settings":
					settings = string(f.Data)
					continue
				case f.Name == "env":
					for _, line := range strings.Fields(string(f.Data)) {
						k, v, _ := strings.Cut(line, "=")
						env[k] = v
					}
					continue
				case strings.HasSuffix(f.Name, ": answer"):
					continue
				}
				if i+1 == len(a.Files) || a.Files[i+1].Name != f.Name+": answer" {
					t.Fatalf("%s has no answer", f.Name)
				}
				want := &a.Files[i+1]
				t.Run(f.Name, func(t *testing.T) {
					p := newPlace(t, settings)
					p.env = env
					got := whole(p.run(t, agent, strings.TrimSpace(string(f.Data))+"\n"))
					if *update {
						want.Data = []byte(got)
						return
					}
					if got != string(want.Data) {
						t.Errorf("%s is answered\n%s\nwant\n%s", f.Data, got, want.Data)
					}
				})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
