package config

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// ManagedFile is where an administrator's settings lie.
const ManagedFile = "/etc/mayi/settings.json"

// Options say where the layers lie. Paths are absolute; "" means that the layer
// does not exist, save for UserFile (see there).
type Options struct {
	// Cwd is the working directory, Home and User the person's.
	Cwd, Home, User string
	// Workspace is the workspace's root; "" is looked for from Cwd upwards.
	Workspace string
	// ManagedFile, UserFile and ProjectFile are the layers' files. A project
	// file of "" is .mayi/settings.json in the workspace. Without a user file
	// the settings are broken, since the rules in it would be missed in silence.
	ManagedFile, UserFile, ProjectFile string
	// StateDir is where mayi keeps what it remembers, trust among it.
	StateDir string
	// Override is the session's settingsOverride: a JSON object, or nil.
	// OverrideName is what messages call it; "" is "<session>".
	Override     []byte
	OverrideName string
	// Mode is an executionMode for the session, over Override's; "" is none.
	Mode permissions.Mode
	// NoUser: there is no user file and that is meant so (an embedding program
	// that brings its own settings).
	NoUser bool
}

// FromEnviron finds the layers' places: from HOME, XDG_CONFIG_HOME,
// XDG_STATE_HOME, USER and the working directory. A missing
// home is no error here; [Load] says what it means.
func FromEnviron() (Options, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return Options{}, errors.Join(errors.New("the working directory cannot be found"), err)
	}
	return FromEnvironAt(cwd), nil
}

// FromEnvironAt is FromEnviron for calls that are made in the folder cwd,
// wherever this process is.
func FromEnvironAt(cwd string) Options { return fromEnviron(cwd, os.Getenv, person) }

func fromEnviron(cwd string, getenv func(string) string, current func() (*user.User, error)) Options {
	o := Options{Cwd: cwd, Home: getenv("HOME"), User: getenv("USER"), ManagedFile: ManagedFile}
	if !filepath.IsAbs(o.Home) || o.User == "" {
		if u, err := current(); err == nil {
			if !filepath.IsAbs(o.Home) {
				o.Home = u.HomeDir
			}
			if o.User == "" {
				o.User = u.Username
			}
		}
	}
	if !filepath.IsAbs(o.Home) {
		o.Home = ""
	}
	if dir := base(getenv("XDG_CONFIG_HOME"), o.Home, ".config"); dir != "" {
		o.UserFile = filepath.Join(dir, "mayi", "settings.json")
	}
	if dir := base(getenv("XDG_STATE_HOME"), o.Home, ".local/state"); dir != "" {
		o.StateDir = filepath.Join(dir, "mayi")
	}
	return o
}

// base is an XDG base directory; a relative one counts as not set.
func base(set, home, fallback string) string {
	if filepath.IsAbs(set) {
		return set
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, fallback)
}

// complete fills in what follows from the rest.
func (o Options) complete() Options {
	if o.Workspace == "" && o.Cwd != "" {
		o.Workspace = workspace.FindRoot(o.Cwd, o.Home)
	}
	if o.ProjectFile == "" && o.Workspace != "" {
		o.ProjectFile = filepath.Join(o.Workspace, ".mayi", "settings.json")
	}
	return o
}
