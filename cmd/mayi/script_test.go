package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mayi/internal/clitest"
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
	testscript.Run(t, clitest.Params("testdata/script", os.Getenv("PATH"), "../.."))
}
