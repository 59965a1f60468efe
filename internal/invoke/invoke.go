// Package invoke is what the front and the engine have in common in how they
// read their command line: the global flags, and what follows from them.
package invoke

import (
	"fmt"
	"os"
	"path/filepath"

	"mayi/internal/confine"
	"mayi/internal/session"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Flags are the flags that steer a decision, as they were typed; "" where they
// were not.
type Flags struct {
	Workspace, Cwd, Session, Mode, Settings, Sandbox string
}

// Misuse is an error in how the command was called.
type Misuse struct{ text string }

func (m Misuse) Error() string { return m.text }

func misuse(format string, args ...any) error { return Misuse{fmt.Sprintf(format, args...)} }

// Config are the layers' places, with the flags laid over them. The error is a
// [Misuse], or says that there is no working directory.
func (f Flags) Config() (config.Options, error) {
	o, err := config.FromEnviron()
	if err != nil {
		return o, err
	}
	if f.Cwd != "" {
		if o.Cwd, err = folder("--cwd", f.Cwd); err != nil {
			return o, err
		}
	}
	if f.Workspace != "" {
		if o.Workspace, err = folder("--workspace", f.Workspace); err != nil {
			return o, err
		}
	}
	if f.Settings != "" {
		o.Override, o.OverrideName = []byte(f.Settings), "--settings"
	}
	o.Mode = permissions.Mode(f.Mode)
	if f.Mode != "" && !o.Mode.Valid() {
		return o, misuse("--mode %q is not a mode; it is plan, accept-edits or auto", f.Mode)
	}
	return o, nil
}

func folder(flag, name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", misuse("%s %q: %v", flag, name, err)
	}
	st, err := os.Stat(abs)
	if err != nil {
		return "", misuse("%s %q: %v", flag, name, err)
	}
	if !st.IsDir() {
		return "", misuse("%s %q is not a folder", flag, name)
	}
	return abs, nil
}

// Confinement is how what runs is confined: as the flag says, but never less
// than settings that require it.
func (f Flags) Confinement(set string) (string, error) {
	switch f.Sandbox {
	case "":
		return set, nil
	case confine.Required, confine.Auto, confine.Off:
		if set == confine.Required {
			return set, nil
		}
		return f.Sandbox, nil
	}
	return "", misuse("--sandbox %q is not known; it is required, auto or off", f.Sandbox)
}

// Name is the session whose grants count: the flag's, else that of the
// environment (MAYI_SESSION), else the terminal's; "" remembers nothing.
func (f Flags) Name(environment string) string {
	switch {
	case f.Session != "":
		return f.Session
	case environment != "":
		return environment
	}
	return session.Terminal()
}

// Shell is a command line as a call of the built-in shell tool.
func Shell(name, caller, cwd, text string) gate.Request {
	return gate.Request{
		Session: name, Caller: caller, Cwd: cwd,
		Tool:  permissions.Tool{Name: "bash", Builtin: true},
		Input: map[string]any{"command": text},
	}
}
