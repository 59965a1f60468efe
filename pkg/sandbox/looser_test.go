package sandbox

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// TestAJobIsNeverLooserThanTheDecision: what the decision would deny or ask about,
// if the command line showed it, is not open to a job that was allowed without
// showing it; and what was asked about with the call answers nothing else.
func TestAJobIsNeverLooserThanTheDecision(t *testing.T) {
	space := workspace.New(workspace.Config{Roots: []string{"/ws"}, Home: "/home/u", ReadPaths: []string{"/srv/r"}, WritePaths: []string{"/srv/w", "/home/u/notes"}})
	names := []string{"a", "b", "A", ".env", "x.key", "infra", ".git", "hooks", "*"}
	path := rapid.Custom(func(t *rapid.T) string {
		base := rapid.SampledFrom([]string{"/ws", "/ws", "/srv/r", "/srv/w", "/srv/x", "/home/u/notes"}).Draw(t, "base")
		return base + "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(t, "names"), "/")
	})
	glob := rapid.Custom(func(t *rapid.T) string {
		front := rapid.SampledFrom([]string{"", "", "", "./", "/ws/", "/srv/", "/srv/w/", "~/", "~/notes/", "**/", "/"}).Draw(t, "front")
		parts := []string{"a", "b", "infra", "**", "*", "*.key", ".env", "[ab]", "[!a]", `\*`, "?", ".git"}
		return front + strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 3).Draw(t, "parts"), "/") + rapid.SampledFrom([]string{"", "", "/", "/**"}).Draw(t, "end")
	})
	effect := rapid.Custom(func(t *rapid.T) permissions.Effect {
		return permissions.Effect{
			Kind: rapid.SampledFrom([]permissions.Kind{permissions.Read, permissions.FSWrite}).Draw(t, "kind"),
			Path: path.Draw(t, "path"), Certainty: permissions.Exact, Origin: permissions.FromRedirect,
			Recursive: rapid.Bool().Draw(t, "recursive"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		p := permissions.Policy{Mode: permissions.Auto, AskExec: true, ExecEnabled: true, Workspace: []string{"/ws"}, Home: "/home/u"}
		for range rapid.IntRange(0, 4).Draw(t, "rules") {
			g := glob.Draw(t, "glob")
			action := rapid.SampledFrom([]permissions.Action{permissions.ActionDeny, permissions.ActionAsk, permissions.ActionAsk}).Draw(t, "action")
			r, err := permissions.ParseRule(action, rapid.SampledFrom([]string{"read", "write"}).Draw(t, "rule")+"("+g+")", permissions.Source{})
			if err != nil {
				continue
			}
			p.Rules = append(p.Rules, r)
		}
		decide := func(e permissions.Effect, p permissions.Policy) permissions.Decision {
			return permissions.Evaluate(permissions.New(p), permissions.Call{
				Tool: permissions.Tool{Name: "bash", Builtin: true}, Shell: true, Running: true,
				Parts: []permissions.Part{{Class: permissions.Free, Parent: -1}}, Effects: space.Resolve([]permissions.Effect{e}, nil),
			})
		}
		hidden := permissions.Effect{Kind: permissions.Exec, Program: "sh", Certainty: permissions.Exact}
		named := effect.Draw(t, "named")
		effects := []permissions.Effect{hidden}
		shows := rapid.Bool().Draw(t, "shows") && decide(named, p).Verdict != permissions.Deny
		if shows {
			effects = append(effects, space.Resolve([]permissions.Effect{named}, nil)...)
		}
		s := FromCall(permissions.Call{Shell: true, Effects: effects}, Options{
			Dir: "/ws", Policy: p, ReadPaths: []string{"/srv/r"}, WritePaths: []string{"/srv/w", "/home/u/notes"}, Held: rapid.Bool().Draw(t, "held"),
		})
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		j := newJudge(&s, planOf(&s))
		for range 8 {
			e := effect.Draw(t, "tried")
			if rapid.Bool().Draw(t, "near") {
				e.Path = named.Path + rapid.SampledFrom([]string{"", "/a", "/x.key", "2"}).Draw(t, "below")
			}
			e.Recursive = false
			holds(t, j, p, e, named, shows, decide)
		}
	})
}

// holds compares what the job may do with what the decision says of the same
// effect. named was asked about with the call, if shows.
func holds(t *rapid.T, j *judge, p permissions.Policy, e, named permissions.Effect, shows bool, decide func(permissions.Effect, permissions.Policy) permissions.Decision) {
	t.Helper()
	f := j.read(e.Path)
	if e.Kind == permissions.FSWrite {
		f = j.write(e.Path, false)
	}
	d := decide(e, p)
	for _, r := range d.Reasons {
		if r.Code == "deny-rule" && r.Verdict == permissions.Deny && !f.Firm {
			t.Fatalf("%s is denied by %s, and an answer could open it: %+v", e.Path, r.Rule, f)
		}
	}
	if !f.OK {
		return
	}
	if d.Verdict == permissions.Deny {
		t.Fatalf("%s %s is open: %s", e.Kind, e.Path, d.Reason)
	}
	covered := shows && within(e.Path, named.Path)
	for _, r := range d.Reasons {
		if r.Verdict == permissions.Ask && r.Code != "ask-rule" && !covered {
			t.Fatalf("%s %s is open: %s", e.Kind, e.Path, r.Text)
		}
	}
	for _, r := range p.Rules {
		if r.Action != permissions.ActionAsk {
			continue
		}
		alone := p
		alone.Rules = []permissions.Rule{r}
		asks := func(e permissions.Effect) bool {
			for _, r := range decide(e, alone).Reasons {
				if r.Code == "ask-rule" {
					return true
				}
			}
			return false
		}
		if asks(e) && !(covered && named.Kind == e.Kind && asks(named)) {
			t.Fatalf("%s %s is open, and %s asks about it (named %v %+v)", e.Kind, e.Path, r.String(), shows, named)
		}
	}
}
