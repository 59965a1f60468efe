//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Shell is the shell that command lines are read for and run by, by absolute
// path: a PATH of the caller's choosing must not pick another.
func Shell() (string, error) {
	for _, p := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash", "/run/current-system/sw/bin/bash"} {
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", errors.New("no bash was found in the system's folders; install it (Debian: apt-get install bash)")
}

// Run runs c and returns its exit code as a shell gives it: 128 + n where
// signal n ended it. An error means that it could not be started.
func Run(ctx context.Context, c Command) (int, error) {
	shell, err := Shell()
	if err != nil {
		return 127, err
	}
	cmd := exec.Command(shell, "-c", c.Text)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	var out outputs
	defer out.close()
	if cmd.Stdout, err = out.file(c.Stdout); err != nil {
		return 126, err
	}
	if same(c.Stdout, c.Stderr) {
		cmd.Stderr = cmd.Stdout
	} else if cmd.Stderr, err = out.file(c.Stderr); err != nil {
		return 126, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !c.Terminal}

	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 126, fmt.Errorf("the command could not be started: %w", err)
	}
	target := cmd.Process.Pid
	if !c.Terminal {
		target = -target
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	ended := ctx.Done()
	// Stopped at the end: the number may name another process group by then.
	var kill *time.Timer
	defer func() {
		if kill != nil {
			kill.Stop()
		}
	}()
	for {
		select {
		case s := <-signals:
			// In the terminal's own group the kernel has sent the keyboard's
			// signals to the command already.
			if c.Terminal && (s == syscall.SIGINT || s == syscall.SIGQUIT) {
				continue
			}
			_ = syscall.Kill(target, s.(syscall.Signal))
		case <-ended:
			ended = nil
			_ = syscall.Kill(target, syscall.SIGTERM)
			kill = time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(target, syscall.SIGKILL) })
		case err := <-done:
			if !c.Terminal {
				// What the command left behind in its group ends with it.
				_ = syscall.Kill(target, syscall.SIGKILL)
			}
			out.drain()
			return code(cmd.ProcessState, err)
		}
	}
}

func code(st *os.ProcessState, err error) (int, error) {
	if st == nil {
		return 126, err
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return st.ExitCode(), nil
}
