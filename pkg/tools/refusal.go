package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// maxRefusals bounds how many refused calls a session remembers.
const maxRefusals = 64

// refusals are the calls of one session that wait for a permission, oldest
// first. What request_permission shows to the person comes from here.
type refusals struct {
	mu   sync.Mutex
	list []gate.Verdict
}

// add remembers v, in place of an earlier refusal of the same call.
func (r *refusals) add(v gate.Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(o gate.Verdict) bool { return sameCall(o, v) })
	r.list = append(r.list, v)
	if n := len(r.list) - maxRefusals; n > 0 {
		r.list = slices.Delete(r.list, 0, n)
	}
}

// drop forgets the call.
func (r *refusals) drop(v gate.Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(o gate.Verdict) bool { return sameCall(o, v) })
}

// find returns the newest refused call that the words point at: the command
// where one is given, otherwise the path.
func (r *refusals) find(path, command string) (gate.Verdict, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range slices.Backward(r.list) {
		if command != "" && v.Call.Command != command && v.Text != command {
			continue
		}
		if concerns(v, path) {
			return v, true
		}
	}
	return gate.Verdict{}, false
}

// paths lists what the remembered refusals need, newest first.
func (r *refusals) paths() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, v := range slices.Backward(r.list) {
		for _, p := range neededPaths(v) {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func sameCall(a, b gate.Verdict) bool {
	if a.Hash != "" || b.Hash != "" {
		return a.Hash == b.Hash
	}
	return a.Text == b.Text && a.Call.Command == b.Call.Command
}

// neededPaths are the canonical paths that a person would have to grant.
func neededPaths(v gate.Verdict) []string {
	var out []string
	for _, n := range v.Needs {
		if n.Path != "" && !slices.Contains(out, n.Path) {
			out = append(out, n.Path)
		}
	}
	return out
}

// concerns reports whether path names something that v needs: the canonical
// path, or the name that the call used for it. A call that needs no path is
// concerned by any.
func concerns(v gate.Verdict, path string) bool {
	need := neededPaths(v)
	if len(need) == 0 {
		return true
	}
	clean := filepath.Clean(path)
	if slices.Contains(need, path) || slices.Contains(need, clean) {
		return true
	}
	for _, e := range v.Call.Effects {
		if e.Path == "" || !slices.Contains(need, e.Place.Real) {
			continue
		}
		if e.Path == path || filepath.Clean(e.Path) == clean || filepath.Clean(filepath.Join(v.Request.Cwd, path)) == filepath.Clean(e.Path) {
			return true
		}
	}
	return false
}

// refuse turns a verdict that is no allow into a result in plain words and
// remembers it where a person can lift it.
func (s *Session) refuse(ctx context.Context, v gate.Verdict) *ToolResult {
	if s != nil {
		s.note(ctx, v)
	}
	if v.Verdict != permissions.Ask {
		return refusedResult(v, denialText(v))
	}
	s.refusals.add(v)
	paths := neededPaths(v)
	res := &ToolResult{Verdict: &v}
	call := shown(v)
	if len(paths) == 0 {
		res.ForLLM = fmt.Sprintf("Permission needed: %s. It was not run. Call request_permission with path=%q and command=%q, and run it again once permission is given.",
			orElse(v.Reason, "a person has to agree to this call"), s.opt.Cwd, commandOf(v))
		res.ForUser = fmt.Sprintf("Permission needed to run: %s\n%s", call, approval.Line(v.Reason))
		return res
	}
	word := "path"
	if len(paths) > 1 {
		word = "paths"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Permission needed for %s: %s. It was not run. Call request_permission with path=%q", word, strings.Join(quoteAll(paths), ", "), paths[0])
	if c := commandOf(v); c != "" && v.Call.Shell {
		// The path alone points at a file tool's call; its content can be long.
		fmt.Fprintf(&b, " and command=%q", c)
	}
	if len(paths) > 1 {
		b.WriteString("; the person is asked about all of them at once")
	}
	b.WriteString(". Run the call again once permission is given.")
	res.ForLLM = b.String()
	res.ForUser = fmt.Sprintf("Permission needed: the agent wants to %s.\nCall: %s", accessList(v.Needs), call)
	return res
}

// refuseAnswered is the result of a question that was not answered with yes.
func (s *Session) refuseAnswered(v gate.Verdict, a approval.Answer) *ToolResult {
	switch {
	case a.Note != "":
		return refusedResult(v, "permission was not given: "+approval.Line(a.Note))
	case a.Choice == approval.No || a.Choice == "":
		return refusedResult(v, fmt.Sprintf("the person denied this call: %s. Do not ask for it again in this session", shown(v)))
	}
	return refusedResult(v, denialText(v))
}

func denialText(v gate.Verdict) string {
	if p := deniedPath(v); p != "" {
		return fmt.Sprintf("access to %s was denied by the person in this session. Do not try it again", approval.Line(p))
	}
	text := "not allowed: " + orElse(approval.Line(v.Reason), "nothing allows this call")
	if len(v.Rules) > 0 {
		text += ruleAt(v.Rules[0], text)
	}
	return text + ". This cannot be granted in a question; the settings would have to change (mayi explain shows how)"
}

// ruleAt names the rule, where the text does not yet, and where it stands.
func ruleAt(r permissions.Rule, text string) string {
	var parts []string
	if name := approval.Line(r.Text); name != "" && !strings.Contains(text, name) {
		parts = append(parts, name)
	}
	if r.Source.File != "" {
		parts = append(parts, fmt.Sprintf("%s:%d", approval.Line(r.Source.File), r.Source.Line))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func deniedPath(v gate.Verdict) string {
	for _, e := range v.Call.Effects {
		if e.Grant == permissions.GrantDenied {
			return orElse(e.Place.Real, e.Path)
		}
	}
	return ""
}

func refusedResult(v gate.Verdict, msg string) *ToolResult {
	r := ErrorResult(msg)
	r.Verdict = &v
	return r
}

// shown is the call on one line, safe to show.
func shown(v gate.Verdict) string {
	return approval.Line(orElse(v.Text, orElse(v.Call.Command, v.Request.Tool.Name)))
}

// commandOf is what the model would name the call by in request_permission.
func commandOf(v gate.Verdict) string { return orElse(v.Text, v.Call.Command) }

func quoteAll(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = approval.Line(s)
	}
	return out
}

// accessList says what the needs are for: "read /a, write /b".
func accessList(needs []permissions.Need) string {
	var out []string
	for _, n := range needs {
		w := accessWord(n.Access)
		if n.Path != "" {
			w += " " + approval.Line(n.Path)
		} else if n.Command != "" {
			w = "run " + approval.Line(n.Command)
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return strings.Join(out, ", ")
}

func accessWord(k permissions.Kind) string {
	switch k {
	case permissions.Read:
		return "read"
	case permissions.FSWrite:
		return "write"
	case permissions.Exec:
		return "run"
	}
	return "use"
}
