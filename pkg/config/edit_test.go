package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

func TestAddRuleKeepsTheFile(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/edit/append.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(ar.Files); i += 2 {
		before, after := ar.Files[i], ar.Files[i+1]
		name := strings.TrimSuffix(before.Name, ".before")
		if after.Name != name+".after" {
			t.Fatalf("%s has no .after", before.Name)
		}
		for _, crlf := range []bool{false, true} {
			in, want := string(before.Data), string(after.Data)
			if crlf {
				in, want = strings.ReplaceAll(in, "\n", "\r\n"), strings.ReplaceAll(want, "\n", "\r\n")
			}
			if crlf && name == "empty" {
				continue // no line end to learn from but the last
			}
			w := newWorld(t)
			w.write(w.UserFile, in)
			if err := config.AddRule(w.UserFile, permissions.ActionAllow, "command(new)"); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got, _ := os.ReadFile(w.UserFile)
			if string(got) != want {
				t.Errorf("%s (crlf %v):\n%s\nwant:\n%s", name, crlf, got, want)
			}
			s := w.load()
			if last := s.Allow[len(s.Allow)-1].Text; last != "command(new)" {
				t.Errorf("%s: the rule does not count, allow ends with %s", name, last)
			}
		}
	}
}

func TestAddRuleMakesTheFile(t *testing.T) {
	w := newWorld(t)
	if err := config.AddRule(w.UserFile, permissions.ActionDeny, "command(rm)"); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(w.UserFile)
	if err != nil {
		t.Fatal(err)
	}
	if fi.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %o", fi.Mode().Perm())
	}
	if s := w.load(); len(s.Deny) != 1 {
		t.Errorf("deny = %v", s.Deny)
	}
}

func TestEditRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, rule string }{
		{"a file that does not parse", `{"permissions": {`, "command(ls)"},
		{"a list that is none", `{"permissions": {"allow": 3}}`, "command(ls)"},
		{"an outer object that is none", `{"permissions": []}`, "command(ls)"},
		{"a rule that cannot be read", `{}`, "command(ls"},
		{"an empty file", ``, "command(ls)"},
	} {
		w := newWorld(t)
		w.write(w.UserFile, c.text)
		if err := config.AddRule(w.UserFile, permissions.ActionAllow, c.rule); err == nil {
			t.Errorf("%s: no error", c.name)
		}
		if got, _ := os.ReadFile(w.UserFile); string(got) != c.text {
			t.Errorf("%s: the file was changed to %q", c.name, got)
		}
		left, _ := filepath.Glob(filepath.Dir(w.UserFile) + "/.mayi-*")
		if len(left) > 0 {
			t.Errorf("%s: left behind %v", c.name, left)
		}
	}
}

func TestEditKeepsModeAndLink(t *testing.T) {
	w := newWorld(t)
	real := filepath.Join(w.Home, "dotfiles", "mayi.json")
	w.write(real, "{}\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(w.UserFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, w.UserFile); err != nil {
		t.Fatal(err)
	}
	if err := config.AddRule(w.UserFile, permissions.ActionAllow, "command(ls)"); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(w.UserFile); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced by a file")
	}
	if fi, err := os.Stat(real); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("the mode was not kept: %v", fi.Mode())
	}
	if s := w.load(); len(s.Allow) != 1 {
		t.Errorf("allow = %v", s.Allow)
	}
}

func TestSet(t *testing.T) {
	w := newWorld(t)
	w.write(w.UserFile, "{\n  // mode\n  \"executionMode\": \"plan\", // strict\n}\n")
	for _, c := range []struct {
		path  []string
		value any
	}{
		{[]string{"executionMode"}, "auto"},
		{[]string{"tools", "exec", "timeout_seconds"}, 5},
		{[]string{"tools", "exec", "ask_permission"}, false},
		{[]string{"tools", "memory.store", "effects"}, []string{"state_write"}},
	} {
		if err := config.Set(w.UserFile, c.path, c.value); err != nil {
			t.Fatal(err)
		}
	}
	s := w.load()
	if s.ExecutionMode != permissions.Auto || s.Tools.Exec.TimeoutSeconds != 5 || s.Tools.Exec.AskPermission || len(s.Tools.Effects["memory.store"]) != 1 {
		t.Errorf("settings = %+v", s)
	}
	got, _ := os.ReadFile(w.UserFile)
	for _, kept := range []string{"// mode\n", "\"auto\", // strict\n"} {
		if !strings.Contains(string(got), kept) {
			t.Errorf("%q is gone from\n%s", kept, got)
		}
	}
	before := string(got)
	for _, c := range []struct {
		path  []string
		value any
	}{{[]string{"network"}, "maybe"}, {[]string{"nonsense"}, 1}, {[]string{"tools", "exec", "timeout_seconds"}, -1}} {
		if err := config.Set(w.UserFile, c.path, c.value); err == nil {
			t.Errorf("set %v to %v: no error", c.path, c.value)
		}
	}
	if got, _ := os.ReadFile(w.UserFile); string(got) != before {
		t.Errorf("a refused value was written:\n%s", got)
	}
}

func TestConcurrentEditsLoseNothing(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	words := strings.Fields("a b c d e f g h i j k l m n o p")
	for _, word := range words {
		wg.Go(func() {
			if err := config.AddRule(w.UserFile, permissions.ActionAllow, "command("+word+")"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s := w.load(); len(s.Allow) != len(words) {
		t.Errorf("%d of %d rules are there", len(s.Allow), len(words))
	}
}

func TestAlwaysInAProject(t *testing.T) {
	w := newWorld(t)
	if err := config.AddRuleTo(w.Options, "project", permissions.ActionAllow, "command(ls)"); err != nil {
		t.Fatal(err)
	}
	if s := w.load(); len(s.Allow) != 1 {
		t.Errorf("a rule in a new project file does not count: %v", s.Notices)
	}
	if err := config.AddRuleTo(w.Options, "project", permissions.ActionAllow, "command(pwd)"); err != nil {
		t.Fatal(err)
	}
	if s := w.load(); len(s.Allow) != 2 {
		t.Errorf("a rule in a trusted project file does not count: %v", s.Notices)
	}
	w.write(w.ProjectFile, `{"permissions": {"allow": ["command(rm)"]}}`)
	if err := config.AddRuleTo(w.Options, "project", permissions.ActionAllow, "command(ls)"); err == nil {
		t.Error("a rule was added to an untrusted project")
	}
	if s := w.load(); len(s.Allow) != 0 {
		t.Errorf("an untrusted project allows %v", s.Allow)
	}
	if err := config.AddRuleTo(w.Options, "managed", permissions.ActionAllow, "command(ls)"); err == nil {
		t.Error("a rule was added to the managed settings")
	}
}
