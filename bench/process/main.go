//go:build linux

// Command process times whole processes: a hook and a confined command against
// what they are measured by, in turns, so that both see the same machine.
//
// Usage: process MAYI
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// turns is how often each process is started.
const turns = 200

const prints = `package main

import "fmt"

func main() { fmt.Println("hello") }
`

const payload = `{"session_id":"bench","cwd":%q,"permission_mode":"default","hook_event_name":"PreToolUse",` +
	`"tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":"t"}`

// line is the command that the limit is about.
const line = "git status && rm -rf /tmp/x"

// hooks are calls of a hook, under which settings. The last one's record is
// synced to the disk before the answer, as that of all that changes something.
var hooks = []struct{ what, command, settings string }{
	{"denied by a rule", line, `{"permissions": {"deny": ["command(rm)"]}}`},
	{"asked about", line, `{"hooks": {"confine": false}}`},
	{"asked about, made to run confined", line, `{}`},
	{"git status asked about, made to run confined", "git status", `{}`},
	{"git status allowed, made to run confined", "git status", `{"readOnlyShell": true}`},
	{"touch allowed, made to run confined", "touch a", `{"permissions": {"allow": ["command(touch)"]}}`},
}

func main() {
	if err := measure(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "process:", err)
		os.Exit(1)
	}
}

// measure prints, for a hook's call, how many times a Go program's that only
// prints its time is.
func measure(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: process MAYI")
	}
	mayi, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mayi-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	hello, err := compile(dir)
	if err != nil {
		return err
	}
	b := bench{dir: dir}
	hook := []string{mayi, "hook", "claude-code"}
	for _, c := range hooks {
		if err := b.settings(c.settings); err != nil {
			return err
		}
		b.input = fmt.Appendf(nil, payload, dir, c.command)
		if err := b.compare("a hook's call, "+c.what, hook, []string{hello}); err != nil {
			return err
		}
	}
	_, memory, err := b.once(hook)
	if err != nil {
		return err
	}
	fmt.Printf("%-80s %6.1f  MiB resident\n", "mayi hook claude-code", float64(memory)/(1<<10))
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		fmt.Println("mayi run true / bwrap: not measured, bubblewrap is not installed")
		return nil
	}
	return b.compare("mayi run true / bwrap --unshare-all true",
		[]string{mayi, "run", "true"},
		[]string{bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "true"})
}

func compile(dir string) (string, error) {
	source, program := filepath.Join(dir, "hello.go"), filepath.Join(dir, "hello")
	if err := os.WriteFile(source, []byte(prints), 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
}

type bench struct {
	dir   string
	input []byte
}

// settings writes the user's settings and begins anew with the state: a log
// that has grown is taken over by the database, which is another matter.
func (b bench) settings(text string) error {
	if err := os.RemoveAll(filepath.Join(b.dir, ".local")); err != nil {
		return err
	}
	dir := filepath.Join(b.dir, ".config", "mayi")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600)
}

// compare prints the ratio of the medians of two programs that run in turns.
func (b bench) compare(what string, one, other []string) error {
	var first, second []time.Duration
	for range turns {
		for _, r := range []struct {
			argv  []string
			times *[]time.Duration
		}{{one, &first}, {other, &second}} {
			took, _, err := b.once(r.argv)
			if err != nil {
				return err
			}
			*r.times = append(*r.times, took)
		}
	}
	x, y := median(first), median(second)
	fmt.Printf("%-80s %6.2f  (%.2f ms / %.2f ms)\n", what, float64(x)/float64(y), ms(x), ms(y))
	return nil
}

// once runs a program to its end, and returns the time that it took and the
// most memory that it had, in KiB.
func (b bench) once(argv []string) (time.Duration, int64, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = b.dir
	cmd.Env = []string{"HOME=" + b.dir, "PATH=" + os.Getenv("PATH"), "CLAUDE_CODE_SESSION_ATTENDED=1"}
	cmd.Stdin = bytes.NewReader(b.input)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		return 0, 0, fmt.Errorf("%v: %w: %s", argv, err, out)
	}
	return took, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss, nil
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
