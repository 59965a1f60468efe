package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDirNameIsTheOpenedDirectory: a program starts in the directory that was
// opened, whatever its name has come to mean.
func TestDirNameIsTheOpenedDirectory(t *testing.T) {
	base := canonicalDir(t)
	d, other := filepath.Join(base, "d"), filepath.Join(base, "other")
	write(t, filepath.Join(d, "right"), "")
	write(t, filepath.Join(other, "wrong"), "")
	f, err := os.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(d, d+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, d); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/ls")
	cmd.Dir = dirName(f, d)
	out, err := cmd.Output()
	if err != nil || string(out) != "right\n" {
		t.Errorf("it started among %q (%v)", out, err)
	}
}
