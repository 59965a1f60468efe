package e2e

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var (
	agentsDir = flag.String("agents", "", "folder with the agents' node_modules; without it every test is skipped")
	mayiPath  = flag.String("mayi", "", "the mayi under test, as it is shipped")
	keep      = flag.String("keep", "", "keep each world (home, workspace, requests) in this folder, for a look")
)

// mayiCopy is the program under test on the file system where the worlds are,
// so that each can have it as a file of its own: an installed hook may name
// mayi by its resolved path.
var mayiCopy string

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == probeArg {
		os.Exit(serveProbe(os.Args[2], os.Stdin, os.Stdout))
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if *mayiPath != "" {
		dir, err := os.MkdirTemp("", "mayi-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		mayiCopy = filepath.Join(dir, "mayi")
		if err := copyProgram(mayiCopy, *mayiPath); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.Run()
	shown.print(os.Stdout)
	return code
}

func copyProgram(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if cerr := dst.Close(); err == nil {
		err = cerr
	}
	return err
}
