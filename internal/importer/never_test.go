package importer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mayi/internal/importer"
	"mayi/pkg/permissions"
)

// claudeDecides is Claude Code's own reading of its Bash rules for one simple
// command: deny before ask before allow, else a question.
func claudeDecides(lists map[string][]string, command string) permissions.Verdict {
	matches := func(rule string) bool {
		spec := strings.TrimSuffix(strings.TrimPrefix(rule, "Bash("), ")")
		switch {
		case strings.HasSuffix(spec, ":*"):
			p := strings.TrimSuffix(spec, ":*")
			return command == p || strings.HasPrefix(command, p+" ")
		case strings.HasSuffix(spec, " *"):
			return strings.HasPrefix(command, strings.TrimSuffix(spec, "*"))
		}
		return command == spec
	}
	switch {
	case slices.ContainsFunc(lists["deny"], matches):
		return permissions.Deny
	case slices.ContainsFunc(lists["ask"], matches):
		return permissions.Ask
	case slices.ContainsFunc(lists["allow"], matches):
		return permissions.Allow
	}
	return permissions.Ask
}

// strictness orders verdicts, the loosest first.
func strictness(v permissions.Verdict) int {
	return map[permissions.Verdict]int{permissions.Allow: 0, permissions.Ask: 1, permissions.Deny: 2}[v]
}

// TestNeverLooser: what the source would ask about or deny is not allowed under
// the imported rules.
func TestNeverLooser(t *testing.T) {
	word := rapid.SampledFrom([]string{"git", "push", "log", "-f", "main"})
	words := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(append([]string{"git"}, rapid.SliceOfN(word, 0, 3).Draw(t, "words")...), " ")
	})
	rule := rapid.Custom(func(t *rapid.T) string {
		return "Bash(" + words.Draw(t, "text") + rapid.SampledFrom([]string{"", ":*", " *"}).Draw(t, "end") + ")"
	})
	rapid.Check(t, func(t *rapid.T) {
		lists := map[string][]string{}
		for _, l := range []string{"deny", "ask", "allow"} {
			lists[l] = rapid.SliceOfN(rule, 0, 3).Draw(t, l)
		}
		text, err := json.Marshal(map[string]any{"permissions": lists})
		if err != nil {
			t.Fatal(err)
		}
		p, err := importer.Import("claude-code", importer.Source{File: "f", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Looser()) > 0 {
			return // nothing would be written
		}
		policy := permissions.Policy{Mode: permissions.AcceptEdits, Workspace: []string{"/ws"}, ExecEnabled: true, AskOutside: true}
		for _, e := range p.Entries {
			r, err := permissions.ParseRule(e.Action, e.Rule, permissions.Source{})
			if err != nil {
				t.Fatal(err)
			}
			policy.Rules = append(policy.Rules, r)
		}
		command := words.Draw(t, "command")
		got := permissions.Evaluate(permissions.New(policy), simple(command)).Verdict
		if want := claudeDecides(lists, command); strictness(got) < strictness(want) {
			t.Fatalf("%s: mayi says %s, Claude Code %s, under %s as %s", command, got, want, text, fmt.Sprint(p.Entries))
		}
	})
}

// simple is a command line of one program, which reads nothing and writes nothing.
func simple(command string) permissions.Call {
	part := permissions.Part{Parent: -1, Class: permissions.Program}
	for _, w := range strings.Fields(command) {
		part.Words = append(part.Words, permissions.Word{Text: w, Known: true})
	}
	part.Name = 1
	return permissions.Call{Tool: permissions.Tool{Name: "bash", Builtin: true}, Shell: true, Command: command, Parts: []permissions.Part{part},
		Effects: []permissions.Effect{{Kind: permissions.Exec, Program: part.Words[0].Text, Certainty: permissions.Exact, Part: 0}}}
}
