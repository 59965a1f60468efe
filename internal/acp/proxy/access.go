package proxy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mayi/internal/acp/facts"
	"mayi/internal/mcp/frame"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// access decides what the agent asks the editor to do: to read or write a file,
// to run a command.
func (s *session) access(m frame.Message) {
	c, a, err := s.readAccess(m)
	if err != nil {
		s.finishAsked(m.Key())
		s.toAgent.put(frame.Failure(m.ID, frame.CodeInvalidParams, "mayi: "+err.Error(), nil))
		return
	}
	ctx := context.WithoutCancel(s.asking)
	r := s.decide(ctx, c, a.readings)
	switch r.verdict() {
	case permissions.Allow:
		s.reach(ctx, m, r)
	case permissions.Ask:
		mine, cancel := context.WithCancel(s.asking)
		s.mu.Lock()
		s.asked[m.Key()].cancel = cancel
		s.mu.Unlock()
		s.work.Go(func() {
			defer cancel()
			s.question(mine, m, c, a, r)
		})
	default:
		r.refused(ctx)
		s.refuseAccess(m, r.reason())
	}
}

// question brings the access to the person.
func (s *session) question(ctx context.Context, m frame.Message, c *conv, a access, r ruling) {
	defer func() {
		if p := recover(); p != nil {
			s.refuseAccess(m, "asking failed: "+approval.Line(fmt.Sprint(p)))
		}
	}()
	asker := c.asker
	s.mu.Lock()
	covered := c.takePass(a, r)
	s.mu.Unlock()
	if covered {
		asker = answer(approval.Answer{Choice: approval.Once, By: s.person() + ", about the tool call that this belongs to"})
	}
	why := r.reason()
	kept := context.WithoutCancel(ctx)
	after := r.settle(ctx, asker, "")
	if after.verdict() != permissions.Allow || ctx.Err() != nil {
		after.refused(kept)
		if ctx.Err() != nil {
			s.refuseAccess(m, "the question was withdrawn")
			return
		}
		s.refuseAccess(m, "permission was not given: "+after.reason()+"; "+why)
		return
	}
	s.reach(kept, m, after)
}

// reach passes an allowed access on to the editor.
func (s *session) reach(ctx context.Context, m frame.Message, r ruling) {
	end, err := r.begin(ctx)
	if err != nil {
		s.refuseAccess(m, err.Error())
		return
	}
	s.mu.Lock()
	s.asked[m.Key()] = &asked{end: end}
	s.mu.Unlock()
	s.toEditor.pass(m.Raw)
}

// refuseAccess answers an access that is not passed on.
func (s *session) refuseAccess(m frame.Message, why string) {
	s.finishAsked(m.Key())
	s.toAgent.put(frame.Failure(m.ID, CodeRefused, "mayi: not allowed: "+why, nil))
}

// access is what is asked for.
type access struct {
	method   string
	readings []facts.Reading
	// path and content are those of a file.
	path, content string
	// command is a terminal's, cwd its folder. plain: what runs is this command
	// in every reading, and with no variable that was not shown with it.
	command, cwd string
	plain        bool
}

// readAccess reads the parameters of an access.
func (s *session) readAccess(m frame.Message) (*conv, access, error) {
	a := access{method: m.Method}
	params, err := frame.Object(m.Params)
	if err != nil {
		return nil, a, fmt.Errorf("the request cannot be read: %w", err)
	}
	c := s.conversation(text(params, "sessionId"))
	if c == nil {
		return nil, a, errors.New("the request names no session that is open")
	}
	if a.method == terminalMethod {
		s.mu.Lock()
		a.cwd = c.cwd
		s.mu.Unlock()
		return c, a, a.terminal(params)
	}
	a.path, a.content = text(params, "path"), text(params, "content")
	if !filepath.IsAbs(a.path) || strings.ContainsRune(a.path, 0) {
		return nil, a, errors.New("the request names no absolute path")
	}
	tool := "read"
	if a.method == writeMethod {
		tool = "write"
	}
	a.readings = []facts.Reading{{Tool: permissions.Tool{Name: tool, Builtin: true}, Input: map[string]any{"file_path": a.path}}}
	return c, a, nil
}

// terminal reads what a terminal is to run. Editors give a command without
// arguments to a shell, and some join one with arguments into a line for a shell
// as it is: what it would be in either case has to be allowed.
func (a *access) terminal(params map[string]any) error {
	command, ok := params["command"].(string)
	if !ok || command == "" {
		return errors.New("the request names no command")
	}
	a.command = command
	lines := []string{command}
	switch args := params["args"].(type) {
	case nil:
	case []any:
		words := []string{command}
		for _, x := range args {
			w, ok := x.(string)
			if !ok {
				return errors.New("an argument of the command is no text")
			}
			words = append(words, w)
		}
		if len(args) > 0 {
			lines = []string{runner.Join(words)}
			if joined := strings.Join(words, " "); joined != lines[0] {
				lines = append(lines, joined)
			}
			a.command = lines[0]
		}
	default:
		return errors.New("the arguments of the command are no list")
	}
	set, err := variables(params["env"])
	if err != nil {
		return err
	}
	cwd := ""
	switch v := params["cwd"].(type) {
	case nil:
	case string:
		if cwd = v; cwd != "" && !filepath.IsAbs(cwd) {
			return errors.New("the command's folder is not an absolute path")
		}
	default:
		return errors.New("the command's folder is no text")
	}
	if cwd != "" {
		a.cwd = cwd
	}
	a.plain = len(lines) == 1 && onlyMarks(params["env"])
	for _, line := range lines {
		in := map[string]any{"command": set + line}
		if cwd != "" {
			in["cwd"] = cwd
		}
		a.readings = append(a.readings, facts.Reading{Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: in})
	}
	return nil
}

// variables sets the variables that the command is given, as a line before it.
func variables(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	list, ok := v.([]any)
	if !ok {
		return "", errors.New("the variables of the command are no list")
	}
	var b strings.Builder
	for _, x := range list {
		one, _ := x.(map[string]any)
		name, value := text(one, "name"), text(one, "value")
		if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "" || name[0] >= '0' && name[0] <= '9' {
			return "", fmt.Errorf("the variable %q has no usable name", approval.Line(name))
		}
		b.WriteString("export " + name + "=" + runner.Quote(value) + "; ")
	}
	return b.String(), nil
}

// onlyMarks reports whether no variable is set but those by which agents tell
// programs that it is they who run them.
func onlyMarks(v any) bool {
	list, _ := v.([]any)
	for _, x := range list {
		one, _ := x.(map[string]any)
		switch text(one, "name") {
		case "CLAUDECODE", "GEMINI_CLI", "QWEN_CODE", "OPENCODE":
			if text(one, "value") == "1" {
				continue
			}
		}
		return false
	}
	return true
}
