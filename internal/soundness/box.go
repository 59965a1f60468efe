package soundness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"time"
)

// shellPath is the shell that runs the scripts.
const shellPath = "/bin/bash"

// Bounds on one run.
const (
	// maxTrace is how much of a trace is kept, in bytes; a longer one is an
	// error, since what it lacks would go unchecked.
	maxTrace = 64 << 20
	// maxBlocks is the size of the largest file that a script may write, in
	// the units of ulimit -f (1024 bytes).
	maxBlocks = "65536"
)

// hosts are the names that the closed network knows, each with an address of
// its own, so that a connection tells which name was meant.
var hosts = map[string]string{
	"example.com": "127.0.0.11", "api.example.com": "127.0.0.12", "registry.example.org": "127.0.0.13", "evil.example.net": "127.0.0.14",
}

// nameServer is asked for every other name, in vain.
const nameServer = "127.0.0.53"

// Missing says what keeps scripts from being traced here, "" where nothing
// does: it does so by tracing one.
func Missing() string {
	for _, p := range []string{"strace", "bwrap", "git", "cp"} {
		if _, err := exec.LookPath(p); err != nil {
			return p + " is not installed"
		}
	}
	dir, err := os.MkdirTemp("", "soundness-probe-")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	t := newTree(dir)
	for _, d := range []string{t.Work, t.Out, t.Bin} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err.Error()
		}
	}
	calls, out, err := trace(t, "true </dev/null", 10*time.Second)
	if err != nil {
		return fmt.Sprintf("strace around bwrap does not work here: %v: %s", err, out)
	}
	if newFamily(calls, shellPath).root < 0 {
		return "strace around bwrap reports nothing here: " + string(out)
	}
	return ""
}

// trace runs a script in the tree and returns its system calls and the
// beginning of its output. A script that takes too long is ended; what it did
// until then counts.
func trace(t *Tree, script string, limit time.Duration) ([]call, []byte, error) {
	record := filepath.Join(t.Root, "trace")
	names := filepath.Join(t.Root, "hosts")
	text := "127.0.0.1 localhost\n"
	for name, addr := range hosts {
		text += addr + " " + name + "\n"
	}
	if err := os.WriteFile(names, []byte(text), 0o644); err != nil {
		return nil, nil, err
	}
	resolver := filepath.Join(t.Root, "resolv.conf")
	if err := os.WriteFile(resolver, []byte("nameserver "+nameServer+"\noptions timeout:1 attempts:1\n"), 0o644); err != nil {
		return nil, nil, err
	}
	argv := []string{"-c", `ulimit -f ` + maxBlocks + ` -c 0; exec "$@"`, "bash",
		"strace", "-f", "-y", "-q", "--seccomp-bpf", "--decode-pids=pidns", "-s", "4096", "-e", "signal=none", "-o", record, "-e", "trace=" + tracedCalls,
		"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", scratch,
		"--ro-bind", names, "/etc/hosts", "--ro-bind", resolver, "/etc/resolv.conf", "--bind", t.Home, t.Home, "--bind", t.Out, t.Out, "--bind", t.Bin, t.Bin, "--chdir", t.Work, "--clearenv"}
	env := t.env()
	keys := make([]string, 0, len(env))
	for k := range env {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		argv = append(argv, "--setenv", k, env[k])
	}
	argv = append(argv, shellPath, "-c", script)

	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", argv...)
	together(cmd)
	cmd.WaitDelay = 2 * time.Second
	out := &clipped{left: 1 << 16}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, out.text, err
	}
	f, err := os.Open(record)
	if err != nil {
		return nil, out.text, fmt.Errorf("no trace was written: %w", err)
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > maxTrace {
		return nil, out.text, fmt.Errorf("the trace is longer than %d bytes", maxTrace)
	}
	calls, err := readTrace(f)
	return calls, out.text, err
}

// clipped keeps the beginning of what is written to it.
type clipped struct {
	text []byte
	left int
}

func (c *clipped) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.text, c.left = append(c.text, p[:n]...), c.left-n
	return len(p), nil
}

var _ io.Writer = (*clipped)(nil)
