// Package runner runs one command line with the terminal, or the files, of the
// person who typed it.
package runner

import (
	"io"
	"os"
)

// Command is one command line to run.
type Command struct {
	Text  string
	Dir   string
	Env   []string
	Stdin *os.File
	// Stdout and Stderr get the output; a file is handed on as it is. Where both
	// are the same writer, one goroutine at a time writes to it.
	Stdout, Stderr io.Writer
	// Terminal: the command shares the terminal's foreground process group, so
	// that ctrl-c and ctrl-z reach it as they would without us. Otherwise it
	// gets a process group of its own, which ends with it.
	Terminal bool
}
