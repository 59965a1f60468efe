// Package confine runs an allowed call inside what the decision granted: it
// turns the verdict into a sandbox's specification, and what the running
// command reaches for beyond it into questions to the person.
package confine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

// The words of the setting "sandbox".
const (
	Required = "required"
	Auto     = "auto"
	Off      = "off"
)

// Job is one allowed call that is to be run.
type Job struct {
	Gate    *gate.Gate
	Verdict gate.Verdict
	// Mode is Required, Auto or Off.
	Mode string
	// Command is the command line and its streams.
	Command runner.Command
	// Tty is the person's terminal, where the command may have it.
	Tty *os.File
	// Asker reaches the person for what the command reaches for while it runs;
	// nil refuses that.
	Asker approval.Asker
	// Reach decides what the command reaches for in place of the gate, for a
	// process that has no store of answers; nil is [gate.Gate.Reach] with Asker.
	Reach func(context.Context, gate.Access) approval.Choice
	// Proxy carries the call's connections where the policy opens the network
	// (package connect makes it); nil is no network.
	Proxy sandbox.Proxy
	// Prepared is a helper that was started ahead, or nil.
	Prepared *sandbox.Prepared
	// Say is told in plain words of what was refused and of what could not be
	// enforced; nil tells nobody.
	Say func(text string)
	// Background: the job is not the one in front of the person. Signals of this
	// process are not passed on to it, what is refused is told at once, and where
	// it cannot be confined it is not run, in any mode: the caller sees to that.
	Background bool
	// Args, where set, are run in place of Command.Text.
	Args []string
	// Rows and Cols ask for a terminal of the job's own, whose master the running
	// job has; Command's streams are then not used.
	Rows, Cols uint16
	// Started is told of the job once it runs; nil tells nobody.
	Started func(*sandbox.Job)
	// Since returns the effects of what was allowed to the running job after it was
	// decided; nil is nothing.
	Since func() []permissions.Effect

	// closed are the workspace's folders that the call was shown to read only.
	closed []string
	// spec is what the call may touch.
	spec *sandbox.Spec
}

// Run runs the job and returns its exit code as a shell gives it. An error
// means that the command did not run.
func Run(ctx context.Context, j Job) (int, error) {
	switch {
	case j.Mode != Off && j.Mode != Auto && j.Mode != Required:
		return 125, fmt.Errorf("the command cannot be confined: there is no way %q", j.Mode)
	case j.Mode == Off && held(j.Verdict):
		return 125, fmt.Errorf("%w: confinement is switched off", ErrUnmet)
	case j.Mode == Off:
		return j.free(ctx)
	}
	code, err := j.confined(ctx)
	var run *sandbox.RunError
	switch {
	case err == nil:
		return code, nil
	case errors.As(err, &run) && run.Code != 125:
		return run.Code, err
	case held(j.Verdict) && errors.Is(err, sandbox.ErrNotEnforced):
		return 125, fmt.Errorf("%w: %w", ErrUnmet, err)
	case j.Mode == Auto && !j.Background && errors.Is(err, sandbox.ErrNotEnforced):
		j.say("this machine cannot confine the command, so it runs with the decision alone (mayi doctor): " + err.Error())
		return j.free(ctx)
	}
	return 125, fmt.Errorf("the command cannot be confined: %w", err)
}

// free runs the command with the decision alone.
func (j Job) free(ctx context.Context) (code int, err error) {
	sandbox.AsStarted(func() { code, err = runner.Run(ctx, j.Command) })
	return code, err
}

func (j Job) say(text string) {
	if j.Say != nil {
		j.Say(text)
	}
}

func (j Job) confined(ctx context.Context) (int, error) {
	settings := j.Gate.Settings()
	spec := Spec(settings, j.Verdict, j.Command.Dir, j.Mode)
	if err := j.refuse(ctx, &spec); err != nil {
		return 125, err
	}
	Programs(&spec, j.Verdict.Call, j.Command.Env)
	j.spec = &spec
	j.closed = readOnly(spec, settings.Policy().Workspace)
	env := j.Command.Env
	if len(j.closed) > 0 {
		// git status would refresh the index of a repository that is read only.
		env = append(env[:len(env):len(env)], "GIT_OPTIONAL_LOCKS=0")
	}
	args := j.Args
	if words, ok := runner.Plain(j.Command.Text); ok && args == nil {
		// A shell's start, and each file that it opens on the way, is spared.
		args, env = words, append(env[:len(env):len(env)], "PWD="+spec.Dir)
	}
	c := sandbox.Command{
		Args: args, Shell: j.Command.Text, Env: env,
		Stdin: j.Command.Stdin, Stdout: writer(j.Command.Stdout), Stderr: writer(j.Command.Stderr), Tty: j.Tty,
		Rows: j.Rows, Cols: j.Cols,
		Ask: j.ask, AskTime: j.Gate.AnswerWithin() + time.Second, Proxy: j.Proxy, Prepared: j.Prepared,
		Signals: !j.Background,
	}
	if j.Background {
		c.Report = func(v sandbox.Violation) { j.say("refused: " + v.Text) }
	}
	result, err := sandbox.Run(ctx, spec, c, j.Started)
	if err != nil {
		return 125, err
	}
	if !j.Background {
		for _, v := range result.Violations {
			j.say("refused: " + v.Text)
		}
	}
	if result.Stopped != "" {
		j.say("stopped: " + result.Stopped)
	}
	if result.Cut > 0 {
		j.say(fmt.Sprintf("%d bytes of output were left out", result.Cut))
	}
	return result.Code, nil
}

// readOnly are the roots that the specification does not let the job write.
func readOnly(spec sandbox.Spec, roots []string) []string {
	var out []string
	for _, r := range roots {
		if !below(r, spec.Write) {
			out = append(out, r)
		}
	}
	return out
}

// below reports whether a canonical path is one of the folders or lies in one.
func below(p string, folders []string) bool {
	for _, f := range folders {
		if p == f || strings.HasPrefix(p, strings.TrimSuffix(f, "/")+"/") {
			return true
		}
	}
	return false
}

// writer keeps a nil writer nil.
func writer(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && f == nil {
		return nil
	}
	return w
}

// ask takes an access of the running command to the gate and, where one must
// decide, to the person.
func (j Job) ask(ctx context.Context, a sandbox.Access) sandbox.Answer {
	switch {
	case a.Op == sandbox.OpConnect && a.Proxied:
		answer := answerOf(j.Gate.ReachHost(ctx, j.Verdict, a.Host, j.Asker))
		if answer == sandbox.Once {
			answer = sandbox.Session // it is about the host: one command makes many connections to it
		}
		return answer
	case a.Op == sandbox.OpConnect || a.Path == "":
		return sandbox.Unasked // what is said of it must not be that a person refused
	}
	write := a.Op != sandbox.OpRead && a.Op != sandbox.OpRun
	if j.decided(a, write) {
		return sandbox.Once
	}
	if write && below(a.Path, j.closed) {
		return sandbox.No // it was allowed as a command that only reads
	}
	rule := a.Rule
	if a.Op == sandbox.OpDelete {
		rule = "" // an empty folder that goes leaves nothing where its files are protected
	}
	return answerOf(j.reach(ctx, gate.Access{Path: a.Path, Write: write, Folder: a.Folder, Run: a.Op == sandbox.OpRun, Program: a.Program, Rule: rule, Asks: a.Asks}))
}

// answerOf is a choice as an answer; what is no clear yes is a no.
func answerOf(c approval.Choice) sandbox.Answer {
	switch c {
	case approval.Once:
		return sandbox.Once
	case approval.Session:
		return sandbox.Session
	case gate.Unasked:
		return sandbox.Unasked
	}
	return sandbox.No
}

// decided reports whether the access was decided with the call, or since, so that
// it is no news. A secret or a protected file was told by name, or not at all; and
// what a rule asks about was asked about as that.
func (j Job) decided(a sandbox.Access, write bool) bool {
	var since []permissions.Effect
	if j.Since != nil {
		since = j.Since()
	}
	switch {
	case a.Rule != "":
		return false
	case a.Asks != "":
		return j.spec != nil && j.spec.AnsweredBy(since, a)
	}
	return Names(j.Verdict.Call.Effects, a.Path, write) || Names(since, a.Path, write)
}

func (j Job) reach(ctx context.Context, a gate.Access) approval.Choice {
	if j.Reach != nil {
		return j.Reach(ctx, a)
	}
	return j.Gate.Reach(ctx, j.Verdict, a, j.Asker)
}
