package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/confine"
	"mayi/internal/session"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// app puts the gate together for this process, under the global flags.
func (c *command) app() (*assembly.App, error) {
	o, err := c.configOptions()
	if err != nil {
		return nil, err
	}
	app, err := assembly.Open(assembly.Options{Config: o, Env: config.ByName(environment())})
	if err != nil {
		return nil, failure("", err)
	}
	return app, nil
}

// environment is what commands run in, and so what the gate has to know: that
// of this process without what would make bash run or mean something else than
// the command line says (BASH_ENV, exported functions, …).
func environment() []string {
	list, _ := config.Environ()
	return tools.ChildEnv(list)
}

// configOptions are the layers' places, with the flags laid over them.
func (c *command) configOptions() (config.Options, error) {
	o, err := config.FromEnviron()
	if err != nil {
		return o, failure("change to a folder that exists", err)
	}
	if c.flags.cwd != "" {
		if o.Cwd, err = folder("--cwd", c.flags.cwd); err != nil {
			return o, err
		}
	}
	if c.flags.workspace != "" {
		if o.Workspace, err = folder("--workspace", c.flags.workspace); err != nil {
			return o, err
		}
	}
	return o, c.override(&o)
}

func folder(flag, name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", usage("%s %q: %v", flag, name, err)
	}
	st, err := os.Stat(abs)
	if err != nil {
		return "", usage("%s %q: %v", flag, name, err)
	}
	if !st.IsDir() {
		return "", usage("%s %q is not a folder", flag, name)
	}
	return abs, nil
}

// override fills in the session's layer: --settings, with --mode over it.
func (c *command) override(o *config.Options) error {
	if c.flags.settings != "" {
		o.Override = []byte(c.flags.settings)
	}
	o.Mode = permissions.Mode(c.flags.mode)
	if c.flags.mode != "" && !o.Mode.Valid() {
		return usage("--mode %q is not a mode; it is plan, accept-edits or auto", c.flags.mode)
	}
	return nil
}

func (c *command) sandboxFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.flags.sandbox, "sandbox", "", "confine what runs: required, auto or off (default: what the settings say)")
}

// confinement is how what runs is confined: as the flag says, but never less
// than settings that require it.
func (c *command) confinement(app *assembly.App) (string, error) {
	switch set := app.Settings.Sandbox; c.flags.sandbox {
	case "":
		return set, nil
	case confine.Required, confine.Auto, confine.Off:
		if set == confine.Required {
			return set, nil
		}
		return c.flags.sandbox, nil
	}
	return "", usage("--sandbox %q is not known; it is required, auto or off", c.flags.sandbox)
}

// sessionName is the session whose grants count.
func (c *command) sessionName() string {
	if c.flags.session != "" {
		return c.flags.session
	}
	if s := os.Getenv("MAYI_SESSION"); s != "" {
		return s
	}
	return session.Terminal()
}

// shellRequest is a command line as a call of the built-in shell tool.
func (c *command) shellRequest(app *assembly.App, caller, text string) gate.Request {
	return gate.Request{
		Session: c.sessionName(), Caller: caller, Cwd: app.Config.Cwd,
		Tool:  permissions.Tool{Name: "bash", Builtin: true},
		Input: map[string]any{"command": text},
	}
}

// notices prints what the person should know about the settings, once.
func (c *command) notices(app *assembly.App) {
	style := c.style(c.err)
	for _, p := range app.Settings.Problems {
		fmt.Fprintln(c.err, style.Red("settings: ")+p.Error())
	}
	for _, n := range app.Settings.Notices {
		fmt.Fprintln(c.err, style.Yellow("settings: ")+n.String())
	}
}
