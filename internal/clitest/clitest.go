// Package clitest runs the scripts that test the command line, against the
// engine alone and against the file that people install.
package clitest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"mayi/pkg/sandbox"
)

// Params run the scripts of a folder as a person's shell would, each in a home
// and a project of its own. path is the PATH that they find programs in, root
// the project's root folder. The condition [confines] says that this machine
// has every level of confinement.
func Params(folder, path, root string) testscript.Params {
	return testscript.Params{
		Dir: folder,
		Condition: func(cond string) (bool, error) {
			if cond != "confines" {
				return false, fmt.Errorf("the condition %q is not known", cond)
			}
			return !slices.ContainsFunc(sandbox.Probes(), func(p sandbox.Probe) bool { return !p.OK }), nil
		},
		Setup: func(e *testscript.Env) error { return furnish(e, path, root) },
	}
}

func furnish(e *testscript.Env, path, root string) error {
	home, project := e.WorkDir+"/home", e.WorkDir+"/project"
	for _, d := range []string{home, project, e.WorkDir + "/desktop"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"client.py", "client.mjs"} { // the clients that the documentation shows
		text, err := os.ReadFile(filepath.Join(root, "examples", "rpc", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(project+"/"+name, text, 0o644); err != nil {
			return err
		}
	}
	e.Setenv("HOME", home)
	e.Setenv("XDG_CONFIG_HOME", home+"/config")
	e.Setenv("XDG_STATE_HOME", home+"/state")
	e.Setenv("USER", "dev")
	e.Setenv("PATH", path)
	e.Cd = project
	return nil
}
