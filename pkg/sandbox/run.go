package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Command is what is to be run under a [Spec].
type Command struct {
	// Args are the program and its arguments; a program without a slash is
	// looked for in the job's PATH.
	Args []string
	// Shell is run by bash (sh where there is none) when Args is empty.
	Shell string
	// Env is the caller's environment as KEY=value; the Spec's masks and the
	// proxy's variables are applied to it. nil is an empty one.
	Env []string

	// Stdin is /dev/null when nil. A file is handed on for reading only.
	Stdin *os.File
	// Stdout and Stderr are dropped when nil. Writes to them are serialised
	// where both are the same file or value.
	Stdout, Stderr io.Writer
	// Tty, where set, is the caller's terminal: the job gets one of its own,
	// with the same size, that is connected to it. Stdin, Stdout and Stderr
	// are then not used. While a question is open the terminal is the
	// person's: nothing typed goes to the job.
	Tty *os.File
	// Rows and Cols, where set without Tty, ask for a terminal whose master
	// is [Job.Master].
	Rows, Cols uint16

	// Ask is called when the job reaches for something that was not granted;
	// the system call waits for the answer. It may be called from several
	// goroutines; the same question is not asked twice at a time. nil: refuse.
	// Its context ends with the job.
	Ask func(context.Context, Access) Answer
	// AskTime is how long one question may stay open; 0 is five minutes.
	AskTime time.Duration
	// Proxy carries the job's connections where the Spec has a network; see
	// pkg/sandbox/proxy. nil is no network.
	Proxy Proxy
	// Signals: SIGINT, SIGQUIT, SIGTERM and SIGHUP that this process gets while the
	// job runs are passed on to it, and do nothing else.
	Signals bool
	// Prepared is a helper that was started ahead, or nil. Start takes it
	// over, also when it fails.
	Prepared *Prepared
	// Report is called for each thing that was refused; see also
	// [Result.Violations].
	Report func(Violation)

	// here: the calling goroutine may have to do the job's work, see [Run].
	here bool
}

// Proxy decides about a job's connections and carries them.
type Proxy interface {
	// Serve takes over the listening socket on the job's own loopback and
	// serves it until ctx ends. It is called at most once for a job, on a
	// goroutine of its own, when the first connection waits: a job that
	// connects to nobody costs nothing.
	Serve(ctx context.Context, l *os.File, s Supervisor) error
}

// Supervisor is the job's side of what its proxy decides.
type Supervisor struct {
	// Report is told of what was refused.
	Report func(Violation)
	// Ask brings a connection to the person as [Command.Ask] does; true is a yes.
	Ask func(context.Context, Access) bool
}

// Result is how a job ended.
type Result struct {
	// Code is the exit code as a shell gives it: 126 not executable, 127 not
	// found, 128+n ended by signal n, 125 the sandbox could not be set up.
	Code int
	// Stopped says in plain words why the job was stopped from outside: a
	// limit, the time, a cancelled context. "" when it ended by itself.
	Stopped string
	// Cut is the number of bytes of output that were not passed on.
	Cut int64
	// Violations are the things that were refused, each once, in order.
	Violations []Violation
}

// Level is one of the layers that can hold a job.
type Level string

// The levels, from the outside in.
const (
	LevelTree    Level = "namespaces"        // mount, pid, net, ipc, uts and user namespaces with a tree of its own
	LevelFence   Level = "landlock"          // Landlock, version 3 or newer
	LevelFilter  Level = "seccomp"           // the static filter
	LevelAsking  Level = "user-notification" // the supervisor
	LevelNetwork Level = "network"           // no network but the proxy
)

// ErrNotEnforced is returned (wrapped, with the missing levels) where a
// required level cannot be had.
var ErrNotEnforced = errors.New("the sandbox cannot be enforced here")

// environment is what the job gets: the caller's without what is masked.
func environment(env []string, e Environment) []string {
	masks := make([]nameMask, 0, len(e.Mask))
	for _, m := range e.Mask {
		masks = append(masks, maskOf(m))
	}
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || strings.IndexByte(kv, 0) >= 0 {
			continue
		}
		if !slices.Contains(e.Keep, name) && (masked(strings.ToUpper(name), masks) || len(masks) > 0 && hasLogin(value)) {
			continue
		}
		out = append(out, kv)
	}
	return out
}

// hasLogin says whether a value is an address with a password in it, as of a
// database or a package index.
func hasLogin(value string) bool {
	for rest := value; ; {
		_, after, ok := strings.Cut(rest, "://")
		if !ok {
			return false
		}
		end := strings.IndexAny(after, "/?# \t\n")
		if end < 0 {
			end = len(after)
		}
		if at := strings.LastIndexByte(after[:end], '@'); at > 0 {
			if _, password, ok := strings.Cut(after[:at], ":"); ok && password != "" {
				return true
			}
		}
		rest = after
	}
}

// nameMask is one entry of [Environment.Mask].
type nameMask struct {
	core       string
	head, tail bool
}

func maskOf(m string) nameMask {
	return nameMask{strings.ToUpper(strings.Trim(m, "*")), strings.HasPrefix(m, "*"), strings.HasSuffix(m, "*")}
}

func masked(name string, masks []nameMask) bool {
	for _, m := range masks {
		switch {
		case m.head && m.tail && strings.Contains(name, m.core),
			m.head && !m.tail && strings.HasSuffix(name, m.core),
			!m.head && m.tail && strings.HasPrefix(name, m.core),
			!m.head && !m.tail && name == m.core:
			return true
		}
	}
	return false
}

// withoutTemp drops the names of folders for temporary files that the job
// cannot write to; programs then use /tmp, which it has.
func withoutTemp(env []string, grants []grant) []string {
	j := judge{grants: grants}
	return slices.DeleteFunc(env, func(kv string) bool {
		name, dir, _ := strings.Cut(kv, "=")
		switch name {
		case "TMPDIR", "TMP", "TEMP", "TEMPDIR":
			g := j.cover(path.Clean(dir))
			return g == nil || g.Access&canWrite == 0
		}
		return false
	})
}

// setenv puts or replaces one variable.
func setenv(env []string, name, value string) []string {
	for i, kv := range env {
		if strings.HasPrefix(kv, name+"=") {
			env[i] = name + "=" + value
			return env
		}
	}
	return append(env, name+"="+value)
}
