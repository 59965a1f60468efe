//go:build unix

package config_test

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mayi/pkg/config"
)

// TestUnreadableFiles: a file that is there but cannot be read breaks the
// policy; one that is not there does not.
func TestUnreadableFiles(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(w *world)
	}{
		{"a folder", "not a regular file", func(w *world) { must(w.t, os.MkdirAll(w.UserFile, 0o755)) }},
		{"a link to itself", "symbolic links", func(w *world) { link(w.t, w.UserFile, w.UserFile) }},
		{"a dangling link", "does not exist", func(w *world) { link(w.t, w.Home+"/nothing", w.UserFile) }},
		{"a FIFO that nobody writes", "not a regular file", func(w *world) {
			must(w.t, os.MkdirAll(filepath.Dir(w.UserFile), 0o755))
			must(w.t, syscall.Mkfifo(w.UserFile, 0o600))
		}},
		{"a device that never ends", "not a regular file", func(w *world) { link(w.t, "/dev/zero", w.UserFile) }},
		{"a very large file", "larger than", func(w *world) { w.write(w.UserFile, "{}"+strings.Repeat(" ", 1<<20)) }},
	} {
		w := newWorld(t)
		c.make(w)
		s, err := config.Load(w.Options)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), w.UserFile) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if len(s.Policy().Broken) == 0 {
			t.Errorf("%s: the policy is not broken", c.name)
		}
	}
}

func TestMissingFilesAreFine(t *testing.T) {
	w := newWorld(t)
	w.load()
	// A file where the folder would be: nothing can lie below it.
	w.write(w.Home+"/.config", "x")
	w.load()
}

func TestNoHome(t *testing.T) {
	w := newWorld(t)
	w.Home, w.UserFile, w.StateDir = "", "", ""
	s, err := config.Load(w.Options)
	if err == nil || !strings.Contains(err.Error(), "set HOME") || len(s.Policy().Broken) == 0 {
		t.Errorf("without a home: %v", err)
	}
	w.NoUser = true
	w.load()
	if err := config.AddRuleTo(w.Options, "user", 0, "command(ls)"); err == nil {
		t.Error("a rule was added to no file")
	}
}

func TestByteOrderMark(t *testing.T) {
	w := newWorld(t)
	w.write(w.UserFile, "\ufeff{\n  \"executionMode\": \"plan\"\n}\n")
	if s := w.load(); s.ExecutionMode != "plan" {
		t.Errorf("mode = %s", s.ExecutionMode)
	}
}

func TestFromEnviron(t *testing.T) {
	nobody := func() (*user.User, error) { return nil, errors.New("no such user") }
	dev := func() (*user.User, error) { return &user.User{Username: "dev", HomeDir: "/home/dev"}, nil }
	for _, c := range []struct {
		name    string
		env     map[string]string
		current func() (*user.User, error)
		home    string
		file    string
		state   string
	}{
		{"home alone", map[string]string{"HOME": "/h", "USER": "u"}, nobody, "/h", "/h/.config/mayi/settings.json", "/h/.local/state/mayi"},
		{"XDG", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}, nobody, "/h", "/c/mayi/settings.json", "/s/mayi"},
		{"a relative XDG counts for nothing", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "./s"}, nobody, "/h", "/h/.config/mayi/settings.json", "/h/.local/state/mayi"},
		{"no HOME, the system knows", nil, dev, "/home/dev", "/home/dev/.config/mayi/settings.json", "/home/dev/.local/state/mayi"},
		{"a relative HOME", map[string]string{"HOME": "h"}, dev, "/home/dev", "/home/dev/.config/mayi/settings.json", "/home/dev/.local/state/mayi"},
		{"nothing at all", nil, nobody, "", "", ""},
	} {
		o := config.FromLookup("/w", func(k string) string { return c.env[k] }, c.current)
		if o.Home != c.home || o.UserFile != c.file || o.StateDir != c.state || o.Cwd != "/w" || o.ManagedFile != config.ManagedFile {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// TestStartedInTheRoot: the whole machine is a workspace only where somebody
// says so.
func TestStartedInTheRoot(t *testing.T) {
	o := config.Options{Cwd: "/", NoUser: true, ProjectFile: "/nonexistent/settings.json"}
	s, err := config.Load(o)
	if err != nil || len(s.Policy().Workspace) != 0 || len(s.Notices) != 1 {
		t.Errorf("started in /: workspace %v, notices %v, %v", s.Policy().Workspace, s.Notices, err)
	}
	o.Workspace = "/"
	if s, err := config.Load(o); err != nil || len(s.Policy().Workspace) != 1 {
		t.Errorf("/ was chosen, but the workspace is %v, %v", s.Policy().Workspace, err)
	}
}
