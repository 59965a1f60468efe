// Package child runs an MCP server as a program of its own that is spoken to
// over its standard input and output.
package child

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"mayi/internal/mcp/frame"
)

// How long a server has to end when its input has ended, and then when it was
// told to.
const (
	endGrace  = 3 * time.Second
	termGrace = 2 * time.Second
)

// Start starts the server argv in dir with env, whose messages the connection
// carries. What it prints on its standard error goes to stderr. Closing the
// connection ends it, with all that it started in its process group.
func Start(argv []string, dir string, env []string, stderr io.Writer) (frame.Conn, error) {
	if len(argv) == 0 {
		return nil, fmt.Errorf("there is no program to start")
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, stderr
	// A program that the server left behind may hold its standard error open.
	cmd.WaitDelay = termGrace
	own(cmd)
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	defer inR.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		inW.Close()
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	defer outW.Close()
	cmd.Stdin, cmd.Stdout = inR, outW
	if err := cmd.Start(); err != nil {
		inW.Close()
		outR.Close()
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // how it ended is for its standard error to say
	}()
	return frame.NewLines(outR, inW, func() error {
		inW.Close()
		for _, step := range []struct {
			wait time.Duration
			then func()
		}{
			{endGrace, func() { end(cmd, false) }},
			{termGrace, func() { end(cmd, true) }},
		} {
			select {
			case <-done:
			case <-time.After(step.wait):
				step.then()
			}
		}
		<-done
		end(cmd, true) // what it left behind in its group
		outR.Close()
		return nil
	}), nil
}
