package main

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mayi/pkg/sandbox"
)

// TestMain lets scripts and pty tests run this test binary as mayi.
func TestMain(m *testing.M) {
	sandbox.Main()
	testscript.Main(m, map[string]func(){
		"mayi": func() { os.Exit(execute(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})) },
	})
}

// TestScripts runs the command as a person's shell would, in a home and a
// project of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		// [confines]: this machine has every level of confinement.
		Condition: func(cond string) (bool, error) {
			if cond != "confines" {
				return false, fmt.Errorf("the condition %q is not known", cond)
			}
			return !slices.ContainsFunc(sandbox.Probes(), func(p sandbox.Probe) bool { return !p.OK }), nil
		},
		Setup: func(e *testscript.Env) error {
			home, project := e.WorkDir+"/home", e.WorkDir+"/project"
			for _, d := range []string{home, project, e.WorkDir + "/desktop"} {
				if err := os.MkdirAll(d, 0o755); err != nil {
					return err
				}
			}
			for _, name := range []string{"client.py", "client.mjs"} {
				text, err := os.ReadFile("../../examples/rpc/" + name)
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
			e.Setenv("PATH", os.Getenv("PATH"))
			e.Cd = project
			return nil
		},
	})
}
