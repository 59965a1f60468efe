package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// execTool is how the gate knows the exec tool.
var execTool = permissions.Tool{Name: "bash", Builtin: true}

// commandInput is the input of a run as the gate decides it: the command
// alone, so that a permission for it does not hang on its time-out.
func commandInput(command string) map[string]any { return map[string]any{"command": command} }

// Name is "exec".
func (t *ExecTool) Name() string { return "exec" }

// Category is "shell".
func (t *ExecTool) Category() string { return "shell" }

// ConfigKey is "exec".
func (t *ExecTool) ConfigKey() string { return "exec" }

// Description tells the model what it can do.
func (t *ExecTool) Description() string {
	return "Runs a bash command in the workspace. Actions: run (default; background=true or pty=true keep it as a session), " +
		"list, poll, read, write, send-keys, kill for sessions. A command that reaches outside of the workspace is not run until the " +
		"person has agreed: the result then names the path, and request_permission asks."
}

// Parameters are those of all actions.
func (t *ExecTool) Parameters() map[string]any {
	action := property("string", "what to do; run where it is left out")
	action["enum"] = []string{"run", "list", "poll", "read", "write", "kill", "send-keys"}
	timeout := property("integer", "seconds after which the command is ended")
	timeout["minimum"] = 1
	return object(map[string]any{
		"action":     action,
		"command":    property("string", "run: the command line"),
		"cwd":        property("string", "run: the working directory, inside the workspace"),
		"background": property("boolean", "run: start it as a session and return at once"),
		"pty":        property("boolean", "run: give it a terminal"),
		"timeout":    timeout,
		"sessionId":  property("string", "poll, read, write, send-keys, kill: the session"),
		"data":       property("string", "write: the text to type; end a command with a newline"),
		"keys":       property("string", "send-keys: key names such as ctrl-c enter up tab, separated by blanks; other words are typed"),
	})
}

// Execute runs the action.
func (t *ExecTool) Execute(ctx context.Context, args map[string]any) *ToolResult {
	if t.opt.Session.opt.Remote && !t.opt.AllowRemote {
		return ErrorResult("shell commands of remote callers are switched off (tools.exec.allow_remote)")
	}
	switch action := text(args, "action"); action {
	case "", "run":
		return t.run(ctx, args)
	case "list":
		return t.list(ctx)
	case "poll":
		return t.poll(ctx, args)
	case "read":
		return t.read(ctx, args)
	case "write":
		return t.write(ctx, args)
	case "send-keys":
		return t.sendKeys(ctx, args)
	case "kill":
		return t.kill(ctx, args)
	default:
		return ErrorResult(fmt.Sprintf("there is no action %q; there are run, list, poll, read, write, kill and send-keys", approval.Line(action)))
	}
}

// The words of checkPermission.
const (
	granted         = "granted"
	needsPermission = "needs_permission"
	refused         = "denied"
)

// wanted is a command that waits for its decision.
type wanted struct {
	command, dir string
	// label is how people are shown it, "" for the command itself.
	label string
	// confined: it is run confined, or not at all.
	confined bool
}

// checkPermission decides the command and says which of the three ways it
// goes. It runs and asks nothing.
func (t *ExecTool) checkPermission(ctx context.Context, w wanted) (gate.Verdict, string, *ToolResult) {
	s := t.opt.Session
	r := s.request(execTool, commandInput(w.command), w.dir)
	r.Confines = w.confined
	v := s.decide(ctx, r)
	v.Text = orElse(w.label, orElse(v.Text, w.command))
	// Hard blocks come before any question.
	call := v.Call
	call.Command = w.command
	if why := t.patterns.Blocks(call); why != "" {
		v.Decision = permissions.Decision{Reason: why}
		s.note(ctx, v)
		return v, refused, refusedResult(v, why)
	}
	switch {
	case v.Verdict == permissions.Allow:
		return v, granted, nil
	case v.Verdict == permissions.Ask && (t.opt.AskPermission || len(neededPaths(v)) == 0):
		return v, needsPermission, nil
	case v.Verdict == permissions.Ask:
		v.Decision = permissions.Decision{Reason: fmt.Sprintf("%s lies outside of the workspace, and asking for it is switched off (tools.exec.ask_permission)", strings.Join(quoteAll(neededPaths(v)), ", "))}
		s.note(ctx, v)
		return v, refused, refusedResult(v, "not allowed: "+v.Reason)
	}
	return v, refused, s.refuse(ctx, v)
}

// permit takes the command to the gate and, where it is not about a path, to
// the person. A result means that it must not run. A path is brought to the
// person by request_permission.
func (t *ExecTool) permit(ctx context.Context, w wanted) (gate.Verdict, *ToolResult) {
	v, word, res := t.checkPermission(ctx, w)
	switch word {
	case granted:
		return v, nil
	case needsPermission:
		if t.opt.Session.opt.Asker == nil || len(neededPaths(v)) > 0 {
			return v, t.opt.Session.refuse(ctx, v)
		}
		return t.opt.Session.ask(ctx, v)
	}
	return v, res
}

func (t *ExecTool) run(ctx context.Context, args map[string]any) *ToolResult {
	command := text(args, "command")
	if strings.TrimSpace(command) == "" {
		return ErrorResult("command is missing: give the command line to run")
	}
	dir, err := t.workdir(text(args, "cwd"))
	if err != nil {
		return ErrorResult(err.Error())
	}
	if t.opt.ConfineAll && t.opt.Confine == nil {
		return ErrorResult("the settings require that what runs is confined, and nothing here confines it")
	}
	w := wanted{command: command, dir: dir}
	if flag(args, "background") && plainShell(strings.FieldsFunc(command, isBlank)) {
		// What is typed into the shell is decided when it is typed, so that
		// starting it runs nothing.
		w.command, w.label = command+" </dev/null", command
	}
	spec := processSpec{
		shell: t.opt.Shell, command: command, dir: dir, env: t.env,
		tty: flag(args, "pty"), input: flag(args, "background"),
		limit: t.opt.MaxOutput,
	}
	asked, _ := number(args, "timeout")
	run := t.foreground
	if spec.timeout = t.timeout(asked); spec.input {
		spec.timeout, run = time.Duration(asked)*time.Second, t.background
	}
	for {
		w.confined = t.opt.Confine != nil && !t.unable.Load()
		v, res := t.permit(ctx, w)
		if res != nil {
			return res
		}
		res, unmet := run(ctx, v, spec)
		if !unmet || !w.confined || t.opt.ConfineAll {
			return res
		}
		// What the kernel cannot hold here is the person's to say.
	}
}

// timeout is what a call gets: what it asks for, up to the setting.
func (t *ExecTool) timeout(asked int) time.Duration {
	d := time.Duration(asked) * time.Second
	switch limit := t.opt.Timeout; {
	case limit < 0:
		return max(d, 0)
	case d <= 0 || d > limit:
		return limit
	}
	return d
}

// foreground runs the command and waits for it; unmet: it was not run, because
// it is allowed only confined and cannot be confined.
func (t *ExecTool) foreground(ctx context.Context, v gate.Verdict, spec processSpec) (res *ToolResult, unmet bool) {
	if err := t.enter(false); err != nil {
		return ErrorResult(err.Error()), false
	}
	defer t.busy.Done()
	end, res := t.opt.Session.begin(ctx, v, t.opt.Confine != nil)
	if res != nil {
		return res, false
	}
	outcome := "failed: the tool broke off"
	defer func() { end(outcome) }()
	p, err := t.start(ctx, v, spec)
	if err != nil {
		outcome = "failed: " + err.Error()
		return refusedResult(v, "the command could not be started: "+err.Error()), errors.Is(err, errUnmet)
	}
	stop := context.AfterFunc(ctx, func() { p.end("interrupted") })
	defer stop()
	t.await(p)
	status, ok := p.status()
	outcome = status
	return &ToolResult{ForLLM: report(p, status), IsError: !ok, Verdict: &v}, false
}

// report is output, how it ended, and what was ended with it.
func report(p *process, status string) string {
	var b strings.Builder
	if out := p.out.String(); out != "" {
		b.WriteString(out)
		if !strings.HasSuffix(out, "\n") {
			b.WriteByte('\n')
		}
	} else {
		b.WriteString("(no output)\n")
	}
	fmt.Fprintf(&b, "[%s]", status)
	b.WriteString(p.news())
	if p.left > 0 && p.why == "" {
		fmt.Fprintf(&b, "\n[%d processes that the command left running were ended with it; use background=true to keep a session]", p.left)
	}
	return b.String()
}
