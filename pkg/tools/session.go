package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mayi/internal/runner"
	"mayi/pkg/gate"
	"mayi/pkg/patterns"
	"mayi/pkg/workspace"
)

// Options make an [ExecTool]. The zero value is the strictest: no working
// directory is allowed, nothing is asked, remote callers are refused.
type Options struct {
	// Session is the agent session that the tool belongs to.
	Session *Session
	// Roots are the workspace's folders; a command's working directory must
	// lie in one of them.
	Roots []string
	// AskPermission is tools.exec.ask_permission: a path outside of the
	// workspace may be asked for. Without it the boundary blocks.
	AskPermission bool
	// EnableDenyPatterns is tools.exec.enable_deny_patterns: commands that no
	// agent should run are blocked whatever the rules say.
	EnableDenyPatterns bool
	// CustomDenyPatterns block every command that one of them matches.
	CustomDenyPatterns []string
	// CustomAllowPatterns exempt a command from the built-in deny patterns;
	// they lift nothing else.
	CustomAllowPatterns []string
	// AllowRemote is tools.exec.allow_remote.
	AllowRemote bool
	// Timeout ends a command that runs longer; 0 is a minute, less is never.
	// A call can ask for less, not for more.
	Timeout time.Duration
	// MaxOutput is how many bytes of output a result holds; 0 is 64 KiB.
	MaxOutput int
	// MaxSessions bounds the running background sessions; 0 is 16.
	MaxSessions int
	// Confine runs a command inside what its verdict grants and returns when it
	// has ended; nil runs it as it is. [Confiner] makes one. An error that wraps
	// [sandbox.ErrNotEnforced] means that this machine cannot: without ConfineAll
	// the command is then run as it is, or asked about.
	Confine func(ctx context.Context, v gate.Verdict, c Confined) (code int, err error)
	// ConfineAll refuses what cannot be confined: the setting sandbox
	// "required".
	ConfineAll bool
	// Shell is the absolute path of bash; "" looks in the system's folders.
	Shell string
}

// ExecTool runs shell commands, at once or in sessions in the background. Its
// sessions belong to its agent session: no other tool can reach them. Safe
// for concurrent use.
type ExecTool struct {
	native
	opt      Options
	patterns patterns.Patterns
	env      []string

	mu       sync.Mutex
	sessions map[string]*shellSession
	running  map[*process]bool // those that a call waits for
	closed   bool
	unable   atomic.Bool    // this machine was found not to confine
	busy     sync.WaitGroup // calls that start or wait for a process
}

// NewExecTool returns the tool exec. A pattern that does not compile and a
// machine without bash are errors.
func NewExecTool(o Options) (*ExecTool, error) {
	if o.Session == nil {
		return nil, fmt.Errorf("the exec tool needs an agent session")
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = 64 << 10
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = 16
	}
	var err error
	if o.Shell, err = findShell(o.Shell); err != nil {
		return nil, err
	}
	t := &ExecTool{opt: o, env: ChildEnv(o.Session.opt.Env), sessions: map[string]*shellSession{}, running: map[*process]bool{}}
	if t.patterns, err = patterns.New(patterns.Config{Builtin: o.EnableDenyPatterns, Deny: o.CustomDenyPatterns, Allow: o.CustomAllowPatterns}); err != nil {
		return nil, err
	}
	return t, nil
}

// findShell never looks in the caller's PATH.
func findShell(named string) (string, error) {
	if named != "" {
		if !strings.HasPrefix(named, "/") {
			return "", fmt.Errorf("the shell %q has to be an absolute path", named)
		}
		return named, nil
	}
	return runner.Shell()
}

// ChildEnv is the environment that commands run in: env, given as NAME=value,
// without mayi's own variables and without those that would change what a
// command line means. The gate should know the environment in this form.
func ChildEnv(env []string) []string { return runner.ChildEnv(env) }

// workdir resolves the working directory that a call asks for and holds it to
// the workspace.
func (t *ExecTool) workdir(asked string) (string, error) {
	name := t.opt.Session.abs(asked)
	real, err := workspace.Canonical(name)
	if err != nil {
		return "", fmt.Errorf("the working directory %q cannot be used: %w", name, err)
	}
	if !slices.ContainsFunc(t.opt.Roots, func(root string) bool { return workspace.Within(real, root) }) {
		return "", fmt.Errorf("the working directory %q is outside of the workspace (%s)", real, orElse(strings.Join(t.opt.Roots, ", "), "which is empty"))
	}
	return real, nil
}

// shellSession is one command in the background.
type shellSession struct {
	id      string
	verdict gate.Verdict
	proc    *process
	typed   typing
}

// find returns the session of that id; those of other agent sessions are not
// there at all.
func (t *ExecTool) find(id string) (*shellSession, *ToolResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sessions[id]; s != nil {
		return s, nil
	}
	if id == "" {
		return nil, ErrorResult("sessionId is missing: action list shows the sessions")
	}
	return nil, ErrorResult(fmt.Sprintf("session %q not found", id))
}

// enter marks a call as busy, which Close waits for; the caller calls
// busy.Done. With background set it holds to the limit of sessions.
func (t *ExecTool) enter(background bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return fmt.Errorf("the session is closed")
	}
	t.busy.Add(1)
	if !background {
		return nil
	}
	running := 0
	for _, s := range t.sessions {
		if s.proc.running() {
			running++
		}
	}
	if running >= t.opt.MaxSessions {
		t.busy.Done()
		return fmt.Errorf("%d sessions are running, which is the limit; end one with action kill", running)
	}
	return nil
}

// await waits for a process of a call; Close ends it.
func (t *ExecTool) await(p *process) {
	t.mu.Lock()
	t.running[p] = true
	closed := t.closed
	t.mu.Unlock()
	if closed {
		p.end("the session was closed")
	}
	<-p.done
	t.mu.Lock()
	delete(t.running, p)
	t.mu.Unlock()
}

// keep adds a started session, and forgets the oldest ended ones beyond the
// limit. Where the tool was closed meanwhile the session is ended.
func (t *ExecTool) keep(s *shellSession) {
	t.mu.Lock()
	t.sessions[s.id] = s
	closed := t.closed
	for len(t.sessions) > 2*t.opt.MaxSessions {
		var oldest *shellSession
		for _, o := range t.sessions {
			if !o.proc.running() && (oldest == nil || o.proc.started.Before(oldest.proc.started)) {
				oldest = o
			}
		}
		if oldest == nil {
			break
		}
		delete(t.sessions, oldest.id)
	}
	t.mu.Unlock()
	if closed {
		s.proc.end("the session was closed")
	}
}

// all returns the sessions, oldest first.
func (t *ExecTool) all() []*shellSession {
	t.mu.Lock()
	out := make([]*shellSession, 0, len(t.sessions))
	for _, s := range t.sessions {
		out = append(out, s)
	}
	t.mu.Unlock()
	slices.SortFunc(out, func(a, b *shellSession) int { return a.proc.started.Compare(b.proc.started) })
	return out
}

// Close ends every session and waits until their programs are gone.
func (t *ExecTool) Close() error {
	t.mu.Lock()
	t.closed = true
	for p := range t.running {
		go p.end("the session was closed")
	}
	t.mu.Unlock()
	t.busy.Wait()
	all := t.all()
	for _, s := range all {
		s.proc.end("the session was closed")
	}
	for _, s := range all {
		<-s.proc.done
	}
	t.mu.Lock()
	clear(t.sessions)
	t.mu.Unlock()
	return nil
}
