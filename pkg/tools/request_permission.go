package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// RequestPermissionTool brings a refused call to the person. What it shows is
// what mayi worked out for the call; the model only points at it.
//
// With an asker in the session it waits for the answer. Without one it
// returns the question as the result's ForUser and keeps it open until
// [RequestPermissionTool.Answer] is called with the person's answer.
//
// Made from a bare cache, without a session, it asks about reading the path
// and nothing else, and keeps the answer in the cache.
type RequestPermissionTool struct {
	native
	cache   *PermissionCache
	session *Session
	now     func() time.Time

	mu      sync.Mutex
	pending *pendingQuestion
	denied  map[string]bool
}

// pendingQuestion waits for Answer: about a verdict, or about a bare path.
type pendingQuestion struct {
	verdict *gate.Verdict
	path    string
}

// PermissionOption changes how the tool is made.
type PermissionOption func(*RequestPermissionTool)

// WithSession gives the tool the session whose refused calls it asks about.
func WithSession(s *Session) PermissionOption {
	return func(t *RequestPermissionTool) { t.session = s }
}

// NewRequestPermissionTool returns the tool request_permission.
func NewRequestPermissionTool(cache *PermissionCache, opts ...PermissionOption) *RequestPermissionTool {
	t := &RequestPermissionTool{cache: cache, now: time.Now, denied: map[string]bool{}}
	for _, o := range opts {
		o(t)
	}
	return t
}

// Name is "request_permission".
func (t *RequestPermissionTool) Name() string { return "request_permission" }

// Description tells the model when to call it.
func (t *RequestPermissionTool) Description() string {
	return "Asks the person for permission after a call was refused with \"Permission needed\". " +
		"Give the path from that message and the same command. The person decides: once, for the session, or no. " +
		"Once permission is given, make the refused call again."
}

// Category is "permission".
func (t *RequestPermissionTool) Category() string { return "permission" }

// ConfigKey is the setting that turns the questions on.
func (t *RequestPermissionTool) ConfigKey() string { return "exec.ask_permission" }

// Parameters are path and command.
func (t *RequestPermissionTool) Parameters() map[string]any {
	return object(map[string]any{
		"path":    property("string", "the path that permission is needed for, as the refusal named it"),
		"command": property("string", "the command or call that was refused, unchanged"),
	}, "path")
}

// Execute asks about the refused call that path and command point at.
func (t *RequestPermissionTool) Execute(ctx context.Context, args map[string]any) *ToolResult {
	path, command := text(args, "path"), text(args, "command")
	if path == "" {
		return ErrorResult("path is missing: give the path that the refusal named")
	}
	if t.session == nil {
		return t.askPath(path)
	}
	v, res := t.find(ctx, path, command)
	if res != nil {
		return res
	}
	t.mu.Lock()
	no := t.denied[v.Hash]
	t.mu.Unlock()
	if no {
		return refusedResult(v, deniedText(v))
	}
	if t.session.opt.Asker == nil {
		return t.hold(v)
	}
	after, ans, err := t.session.opt.Gate.Ask(ctx, v, t.session.opt.Asker)
	return t.settle(v, after, ans, err)
}

// find returns the call to ask about as it would be decided now. The result
// ends the call where there is nothing to ask.
func (t *RequestPermissionTool) find(ctx context.Context, path, command string) (gate.Verdict, *ToolResult) {
	old, ok := t.session.refusals.find(path, command)
	r := old.Request
	if !ok {
		if command == "" {
			return old, ErrorResult(t.unmatched(path))
		}
		r = t.session.request(execTool, commandInput(command), t.session.Cwd())
	}
	v := t.session.decide(ctx, r)
	if ok {
		v.Text = old.Text
	}
	switch {
	case v.Verdict == permissions.Allow:
		t.session.refusals.drop(v)
		return v, &ToolResult{ForLLM: "No permission is needed: this call is allowed now. Run it.", Verdict: &v}
	case v.Verdict != permissions.Ask:
		t.session.refusals.drop(v)
		return v, refusedResult(v, denialText(v))
	case !concerns(v, path):
		return v, ErrorResult(fmt.Sprintf("this call does not need %s; it needs %s", approval.Line(path), strings.Join(quoteAll(neededPaths(v)), ", ")))
	}
	return v, nil
}

func (t *RequestPermissionTool) unmatched(path string) string {
	msg := fmt.Sprintf("no refused call of this session needs %s, so there is nothing to ask", approval.Line(path))
	if open := t.session.refusals.paths(); len(open) > 0 {
		return msg + "; what was refused needs " + strings.Join(quoteAll(open), ", ")
	}
	return msg + "; make the call first"
}

// settle turns the person's answer into the model's result.
func (t *RequestPermissionTool) settle(v, after gate.Verdict, ans approval.Answer, err error) *ToolResult {
	switch {
	case err != nil:
		return refusedResult(v, fmt.Sprintf("permission was not given: %v. The call was not run", err))
	case after.Verdict == permissions.Allow:
		t.session.refusals.drop(v)
		how := "for this call, one time"
		if ans.Choice != approval.Once {
			how = "for this session"
		}
		return &ToolResult{
			ForLLM:  fmt.Sprintf("Permission given %s. Run the call again now, unchanged: %s", how, commandOf(v)),
			ForUser: "Allowed " + how + ".",
			Verdict: &after,
		}
	case ans.Note != "":
		return refusedResult(after, "permission was not given: "+approval.Line(ans.Note)+". The call was not run")
	case ans.Choice == approval.Once || ans.Choice == approval.Session || ans.Choice == approval.Always:
		return refusedResult(after, "the answer does not cover the call: "+denialText(after))
	}
	t.session.refusals.drop(v)
	t.mu.Lock()
	t.denied[v.Hash] = true
	t.mu.Unlock()
	return refusedResult(after, deniedText(v))
}

func deniedText(v gate.Verdict) string {
	what := shown(v)
	if p := neededPaths(v); len(p) > 0 {
		what = strings.Join(quoteAll(p), ", ")
	}
	return "the person denied access: " + what + ". It is not asked again in this session; do not try it another way"
}

// hold keeps the question open and returns its text.
func (t *RequestPermissionTool) hold(v gate.Verdict) *ToolResult {
	t.mu.Lock()
	t.pending = &pendingQuestion{verdict: &v}
	t.mu.Unlock()
	q := approval.Question{
		Session: v.Request.Session, Call: v.Hash, Policy: v.Policy, Tool: v.Request.Tool.Name,
		Command: v.Text, Needs: v.Needs, Reason: v.Reason, Risk: v.Risk, Asked: t.now(),
	}
	return &ToolResult{
		ForLLM:  "The person is being asked. Wait for the answer; only the person can give it. Do not run the call before.",
		ForUser: approval.Describe(q, t.now()) + choices,
		Verdict: &v,
		Pending: true,
	}
}

const choices = `
Answer with one word:
  once     allow exactly this call, one time
  session  allow this for the rest of the session
  no       refuse; this is not asked again in this session
`

// askPath is the tool on a bare cache.
func (t *RequestPermissionTool) askPath(path string) *ToolResult {
	clean, climbs, ok := cleanPath(path)
	if !ok || climbs {
		return ErrorResult(fmt.Sprintf("%s: give an absolute path without \"..\"", approval.Line(path)))
	}
	switch t.cache.Check(clean) {
	case PermissionDenied:
		return ErrorResult(fmt.Sprintf("the person denied access to %s. It is not asked again in this session", approval.Line(clean)))
	case PermissionSession, PermissionOnce:
		return textResult("No permission is needed: the person has allowed it. Run the call.")
	}
	t.mu.Lock()
	t.pending = &pendingQuestion{path: clean}
	t.mu.Unlock()
	return &ToolResult{
		ForLLM:  fmt.Sprintf("The person is being asked about %s: once, session or no. Wait for the answer; only the person can give it.", approval.Line(clean)),
		ForUser: fmt.Sprintf("The agent asks to read %s and what is below it, outside of its workspace.\n", approval.Line(clean)) + choices,
		Pending: true,
	}
}

// Pending reports whether a question waits for [RequestPermissionTool.Answer].
func (t *RequestPermissionTool) Pending() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending != nil
}

// Answer gives the person's answer to the open question. It must come over
// the person's own channel, never from the model. Anything but once or
// session is a no. The result is for the model; an error means that no
// question is open.
func (t *RequestPermissionTool) Answer(ctx context.Context, choice approval.Choice) (*ToolResult, error) {
	t.mu.Lock()
	p := t.pending
	t.pending = nil
	t.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("no question is open")
	}
	if choice != approval.Once && choice != approval.Session {
		choice = approval.No
	}
	if p.verdict == nil {
		return t.answerPath(p.path, choice), nil
	}
	after, ans, err := t.session.opt.Gate.Ask(ctx, *p.verdict, fixedAnswer(choice))
	return t.settle(*p.verdict, after, ans, err), nil
}

func (t *RequestPermissionTool) answerPath(path string, choice approval.Choice) *ToolResult {
	if choice == approval.No {
		t.cache.Grant(path, PermissionDenied)
		return ErrorResult(fmt.Sprintf("the person denied access to %s. It is not asked again in this session", approval.Line(path)))
	}
	t.cache.Grant(path, string(choice))
	return textResult(fmt.Sprintf("Permission given for %s (%s). Run the call again.", approval.Line(path), choice))
}

// fixedAnswer is an asker whose person has answered already.
type fixedAnswer approval.Choice

func (f fixedAnswer) Ask(context.Context, approval.Question) (approval.Answer, error) {
	return approval.Answer{Choice: approval.Choice(f), By: "the session's person"}, nil
}
