package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/invoke"
	"mayi/pkg/config"
	"mayi/pkg/gate"
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
	o, err := c.flags.Config()
	var wrong invoke.Misuse
	switch {
	case errors.As(err, &wrong):
		return o, exit{exitUsage, err}
	case err != nil:
		return o, failure("change to a folder that exists", err)
	}
	return o, nil
}

func (c *command) sandboxFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.flags.Sandbox, "sandbox", "", "confine what runs: required, auto or off (default: what the settings say)")
}

// confinement is how what runs is confined.
func (c *command) confinement(app *assembly.App) (string, error) {
	mode, err := c.flags.Confinement(app.Settings.Sandbox)
	if err != nil {
		return "", exit{exitUsage, err}
	}
	return mode, nil
}

// sessionName is the session whose grants count.
func (c *command) sessionName() string { return c.flags.Name(os.Getenv("MAYI_SESSION")) }

// shellRequest is a command line as a call of the built-in shell tool.
func (c *command) shellRequest(app *assembly.App, caller, text string) gate.Request {
	return invoke.Shell(c.sessionName(), caller, app.Config.Cwd, text)
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
