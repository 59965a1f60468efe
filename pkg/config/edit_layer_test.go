package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

const one, two = `{"permissions": {"allow": ["command(one)"]}}`, `{"permissions": {"allow": ["command(two)"]}}`

// TestReplaceLayer: what a person was shown is what is written and what counts
// afterwards, whoever writes to the file meanwhile.
func TestReplaceLayer(t *testing.T) {
	w := newWorld(t)
	_, before, err := config.ReadLayer(w.Options, "project")
	if err != nil || before != nil {
		t.Fatalf("a project without settings has %q, %v", before, err)
	}
	w.write(w.ProjectFile, one)
	if err := config.ReplaceLayer(w.Options, "project", before, []byte(two)); err == nil {
		t.Error("a file that came meanwhile was overwritten")
	}
	if s := w.load(); len(s.Allow) != 0 {
		t.Errorf("what came meanwhile counts: %v", s.Allow)
	}
	if _, _, err := config.ReadLayer(w.Options, "project"); err == nil {
		t.Error("an untrusted file can be added to")
	}
	if err := config.ReplaceLayer(w.Options, "project", []byte(one), []byte(two)); err == nil {
		t.Error("an untrusted file was replaced")
	}

	if err := os.Remove(w.ProjectFile); err != nil {
		t.Fatal(err)
	}
	if err := config.ReplaceLayer(w.Options, "project", nil, []byte(two)); err != nil {
		t.Fatal(err)
	}
	if s := w.load(); len(s.Allow) != 1 || s.Allow[0].String() != "command(two)" {
		t.Errorf("after it was written, %v counts (%v)", s.Allow, s.Notices)
	}
	w.write(w.ProjectFile, one)
	if s := w.load(); len(s.Allow) != 0 {
		t.Errorf("the trust went over to another text: %v", s.Allow)
	}

	w.write(w.UserFile, one)
	if err := config.ReplaceLayer(w.Options, "user", []byte(two), []byte(`{}`)); err == nil {
		t.Error("a file of the user's that has changed was overwritten")
	}
	if s := w.load(); len(s.Allow) != 1 || s.Allow[0].String() != "command(one)" {
		t.Errorf("the user's own settings are %v", s.Allow)
	}
}

// TestAlwaysThroughALink: a repository's link does not choose a file to be made.
func TestAlwaysThroughALink(t *testing.T) {
	w := newWorld(t)
	target := filepath.Join(w.Home, "made.json")
	if err := os.MkdirAll(filepath.Dir(w.ProjectFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, w.ProjectFile); err != nil {
		t.Fatal(err)
	}
	if err := config.AddRuleTo(w.Options, "project", permissions.ActionAllow, "command(ls)"); err == nil {
		t.Error("a rule was written through a link that leads nowhere")
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the link's target was made")
	}
}
