package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

func (w *world) useMayi() {
	w.t.Helper()
	to := filepath.Join(w.bin, "mayi")
	must(w.t, os.RemoveAll(to))
	if os.Link(mayiCopy, to) != nil { // kept worlds may be on another file system
		must(w.t, copyProgram(to, mayiCopy))
	}
}

// policy writes the person's own settings of mayi.
func (w *world) policy(text string) { w.write("home/.config/mayi/settings.json", text) }

// install lets mayi install itself, as a person would.
func (w *world) install() {
	w.t.Helper()
	out, err := w.command("mayi", "install", w.agent.name, "--yes").CombinedOutput()
	if err != nil {
		w.t.Fatalf("mayi install %s --yes: %v\n%s", w.agent.name, err, out)
	}
	w.t.Logf("%s", out)
}

func (w *world) uninstall() {
	w.t.Helper()
	out, err := w.command("mayi", "uninstall", w.agent.name, "--yes").CombinedOutput()
	if err != nil {
		w.t.Fatalf("mayi uninstall %s --yes: %v\n%s", w.agent.name, err, out)
	}
}

// files reads everything below a folder of the home.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	must(t, err)
	return all
}
