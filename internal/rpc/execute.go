package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"mayi/internal/confine"
	"mayi/internal/mcp/frame"
	"mayi/internal/runner"
	"mayi/internal/wire"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// executed is what came of a call.
type executed struct {
	// Ran reports whether the call was run; where it was not, Decision says why.
	Ran      bool          `json:"ran"`
	Decision wire.Decision `json:"decision"`
	Answered string        `json:"answered,omitempty"`
	// Exit is a command's exit code as a shell gives it, Stopped why it was
	// stopped from outside.
	Exit    *int   `json:"exit,omitempty"`
	Stopped string `json:"stopped,omitempty"`
	// Refused are the things that a running command reached for and did not get.
	Refused []string `json:"refused,omitempty"`
	// Text is the result of a tool that is no command, Failed that it is an error.
	Text   string `json:"text,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

type executeParams struct {
	callParams
	// Ask brings a call to the person where one must decide; without it such a
	// call is not run.
	Ask bool `json:"ask"`
	// Timeout ends a command after this many seconds; 0 is the settings' own.
	Timeout float64 `json:"timeout_seconds"`
}

// execute decides a call, asks where that is wanted, and runs it.
func (s *Server) execute(ctx context.Context, id, params json.RawMessage) (any, error) {
	var in executeParams
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	if in.Timeout < 0 || in.Timeout > 24*60*60 {
		return nil, badParams("timeout_seconds is between 0 and a day")
	}
	one, r, done, err := s.prepare(in.callParams)
	if err != nil {
		return nil, err
	}
	defer done()
	switch {
	case !r.Tool.Builtin:
		return nil, badParams("only mayi's own tools are executed; %q belongs to a server", in.Tool)
	case in.Tool == "bash":
		return s.command(ctx, id, one, r, in)
	}
	return s.tool(ctx, one, r, in)
}

// command runs a shell command, and streams what it prints.
func (s *Server) command(ctx context.Context, id json.RawMessage, one *session, r gate.Request, in executeParams) (any, error) {
	r.Confines = one.sandbox != confine.Off
	v := one.decide(ctx, r, in.Ask)
	out := executed{Decision: wire.FromVerdict("", v), Answered: v.Answered}
	if v.Verdict != permissions.Allow {
		one.app.Gate.Refuse(ctx, v)
		return out, nil
	}
	begin := one.app.Gate.Begin
	if r.Confines {
		begin = one.app.Gate.BeginConfined
	}
	end, err := begin(ctx, v)
	if err != nil {
		out.Decision.Decision, out.Decision.Reason = permissions.Deny.String(), err.Error()
		return out, nil
	}
	limit := time.Duration(in.Timeout * float64(time.Second))
	if limit == 0 {
		limit = time.Duration(one.app.Settings.Tools.Exec.TimeoutSeconds) * time.Second
	}
	run, stop := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		run, stop = context.WithTimeout(ctx, limit)
	}
	defer stop()
	stdout, stderr := &stream{s: s, id: id, name: "stdout"}, &stream{s: s, id: id, name: "stderr"}
	code, err := s.o.Run(run, confine.Job{
		Gate: one.app.Gate, Verdict: v, Mode: one.sandbox, Asker: one.asker,
		Say: func(text string) { out.Refused = append(out.Refused, approval.Line(text)) },
		Command: runner.Command{
			Text: v.Text, Dir: r.Cwd, Env: s.o.Env,
			Stdout: stdout, Stderr: stderr,
		},
	})
	stdout.flush()
	stderr.flush()
	if err != nil {
		end("failed: " + err.Error())
		return nil, fmt.Errorf("the command could not be run: %w", err)
	}
	end(fmt.Sprintf("exit %d", code))
	switch {
	case ctx.Err() != nil:
		out.Stopped = "it was cancelled"
	case run.Err() != nil:
		out.Stopped = fmt.Sprintf("it took longer than %s", limit)
	}
	out.Ran, out.Exit = true, &code
	return out, nil
}

// tool executes a call of another tool; its own way through the gate is the one
// that counts.
func (s *Server) tool(ctx context.Context, one *session, r gate.Request, in executeParams) (any, error) {
	if in.Cwd != "" && in.Cwd != one.app.Config.Cwd {
		return nil, badParams("a tool that is no command works in the session's folder; open a session with another cwd")
	}
	v := one.decide(ctx, r, in.Ask)
	out := executed{Decision: wire.FromVerdict("", v), Answered: v.Answered}
	if v.Verdict != permissions.Allow {
		one.app.Gate.Refuse(ctx, v)
		return out, nil
	}
	exec, err := one.executor(s)
	if err != nil {
		return nil, err
	}
	out.Text, out.Failed = exec.Execute(ctx, in.Tool, r.Input)
	out.Ran = true
	return out, nil
}

func (o *session) executor(s *Server) (Executor, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.exec != nil {
		return o.exec, nil
	}
	exec, err := s.o.Tools(o.app, o.name, o.asker)
	if err == nil {
		o.exec = exec
	}
	return exec, err
}

// stream sends what a command prints, as it comes.
type stream struct {
	s    *Server
	id   json.RawMessage
	name string
	// rest is the beginning of a character that is not complete yet.
	rest []byte
}

// Write implements io.Writer. Bytes that are no UTF-8 are sent in base64.
func (w *stream) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	cut := len(text) - incomplete(text)
	w.rest = append([]byte(nil), text[cut:]...)
	if text = text[:cut]; len(text) > 0 {
		w.send(text)
	}
	return len(p), nil
}

// flush sends what is left of a character that never came whole.
func (w *stream) flush() {
	if len(w.rest) > 0 {
		w.send(w.rest)
		w.rest = nil
	}
}

func (w *stream) send(text []byte) {
	type output struct {
		ID     json.RawMessage `json:"id"`
		Stream string          `json:"stream"`
		Text   string          `json:"text,omitempty"`
		Base64 []byte          `json:"base64,omitempty"`
	}
	o := output{ID: w.id, Stream: w.name}
	if utf8.Valid(text) {
		o.Text = string(text)
	} else {
		o.Base64 = text
	}
	w.s.write(frame.Call("", "output", o))
}

// incomplete is how many bytes at the end of b are the beginning of a character.
func incomplete(b []byte) int {
	for n := 1; n <= min(len(b), utf8.UTFMax-1); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
