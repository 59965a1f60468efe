package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/install"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// places says where the agents' settings and mayi lie.
func (c *command) places() (install.Places, config.Options, error) {
	o, err := c.configOptions()
	if err != nil {
		return install.Places{}, o, err
	}
	settings, _ := config.Load(o) // what is wrong with them is told where it matters
	o = settings.Options()
	program, err := program()
	if err != nil {
		return install.Places{}, o, failure("", err)
	}
	home := ""
	if o.UserFile != "" {
		home = filepath.Dir(filepath.Dir(o.UserFile))
	}
	timeout, _ := exec.LookPath("timeout") // without it mayi alone keeps the time
	return install.Places{
		Home: o.Home, ConfigHome: home, Workspace: o.Workspace, Cwd: o.Cwd, StateDir: o.StateDir,
		Etc: "/etc", Program: program, Timeout: timeout, Getenv: os.Getenv,
	}, o, nil
}

// proving are the places for an installer that tries hooks: it has to know what
// mayi decides about a command that does nothing.
func (c *command) proving(cmd *cobra.Command) (install.Places, config.Options, error) {
	p, o, err := c.places()
	if err != nil {
		return p, o, err
	}
	app, err := c.app()
	if err != nil {
		return p, o, err
	}
	defer app.Close()
	v := app.Gate.Decide(cmd.Context(), c.shellRequest(app, "doctor", install.Harmless))
	switch v.Verdict {
	case permissions.Allow:
	case permissions.Ask:
		p.Control.Asks = true
	default:
		p.Control.Refusal = v.Reason
	}
	return p, o, nil
}

// program is the path by which agents are to call mayi: the one on the PATH
// where that is this program, since an update may replace what it leads to.
func program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("mayi's own path cannot be found: %w", err)
	}
	if onPath, err := exec.LookPath("mayi"); err == nil {
		if abs, err := filepath.Abs(onPath); err == nil && sameProgram(abs, self) {
			self = abs
		}
	}
	if !strings.HasPrefix(filepath.Base(self), "mayi") {
		return "", fmt.Errorf("this program is called %s; name it mayi, by which its entries are recognised", filepath.Base(self))
	}
	return self, nil
}

func sameProgram(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
