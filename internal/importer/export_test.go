package importer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mayi/internal/importer"
	"mayi/pkg/permissions"
)

// under is mayi's decision under the rules.
func under(rules []permissions.Rule, c call) permissions.Verdict {
	policy := permissions.Policy{Mode: permissions.AcceptEdits, Workspace: []string{"/ws"}, Home: "/home/dev", ExecEnabled: true, AskOutside: true, AskExec: true, NetworkInPlan: true, Rules: rules}
	return permissions.Evaluate(permissions.New(policy), c.mayis(func(string) bool { return false })).Verdict
}

// TestExportNeverLooser: what an agent allows by exported rules, mayi allows; and
// where no deny or ask was left out, the agent is as strict as mayi about the
// calls that a rule names.
func TestExportNeverLooser(t *testing.T) {
	pool := []string{
		"command(git)", "command(git log)", "command(git push)", "command(git *)", "command(rm -rf)", "command(*)", "command('git push')",
		"fetch(docs.example)", "fetch(*.docs.example)", "fetch(*)", "mcp(srv.note)", "mcp(srv.*)", "mcp(*.note)", "mcp(my__srv.note)",
		"read(/etc/**)", "read(~/notes/**)", "read(.env)", "write(/etc/hosts)", "write(src/**)", "tool(bash)",
	}
	action := rapid.SampledFrom([]permissions.Action{permissions.ActionAllow, permissions.ActionAllow, permissions.ActionAsk, permissions.ActionDeny})
	readers := map[string]func(*testing.T, importer.Exported) func(call) permissions.Verdict{"claude-code": claudeReads, "gemini": geminiReads, "codex": codexReads, "opencode": opencodeReads}
	for agent, read := range readers {
		allowed := 0
		rapid.Check(t, func(rt *rapid.T) {
			var rules []permissions.Rule
			for _, text := range rapid.SliceOfN(rapid.SampledFrom(pool), 0, 5).Draw(rt, "rules") {
				r, err := permissions.ParseRule(action.Draw(rt, "action"), text, permissions.Source{})
				if err != nil {
					rt.Fatal(err)
				}
				rules = append(rules, r)
			}
			out, err := importer.Export(agent, rules, func(r permissions.Rule) bool {
				if r.Kind == permissions.FetchRule {
					return under(rules, call{"fetch", strings.Replace(r.Glob, "*", "x", 1)}) == permissions.Allow
				}
				return under(rules, call{"command", strings.Join(r.Words, " ")}) == permissions.Allow
			})
			if err != nil {
				rt.Fatal(err)
			}
			theirs, all := read(t, out), true
			for _, l := range out.Left {
				for _, r := range rules {
					all = all && (r.String() != l.From || r.Action == permissions.ActionAllow)
				}
			}
			for range 8 {
				c := calls().Draw(rt, "call")
				got, mine := theirs(c), under(rules, c)
				if got == permissions.Allow {
					allowed++
				}
				if strictness(got) < strictness(mine) && (got == permissions.Allow || all && c.kind == "command") {
					rt.Fatalf("%v: %s says %s, mayi %s, under %v as %v", c, agent, got, mine, rules, out.Settings)
				}
			}
		})
		if want := agent == "claude-code" || agent == "opencode"; want != (allowed > 0) {
			t.Errorf("%s allows %d calls by exported rules", agent, allowed)
		}
	}
}

// claudeReads reads exported rules as Claude Code does.
func claudeReads(t *testing.T, out importer.Exported) func(call) permissions.Verdict {
	var s struct {
		Permissions struct{ Deny, Ask, Allow []string }
	}
	raw, err := json.Marshal(out.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	read := func(kind string, rules []string) []spec {
		var specs []spec
		for _, r := range rules {
			tool, what, _ := strings.Cut(strings.TrimSuffix(r, ")"), "(")
			name := strings.Split(strings.TrimPrefix(tool, "mcp__"), "__")
			switch {
			case kind == "command" && tool == "Bash" && strings.HasSuffix(what, ":*"):
				specs = append(specs, spec{r, words(strings.TrimSuffix(what, ":*"))})
			case kind == "command" && tool == "Bash":
				specs = append(specs, spec{r, is(what)})
			case kind == "fetch" && r == "WebFetch":
				specs = append(specs, spec{r, prefix("")})
			case kind == "fetch" && tool == "WebFetch":
				specs = append(specs, spec{r, wild(strings.TrimPrefix(what, "domain:"))})
			case kind == "mcp" && strings.HasPrefix(r, "mcp__") && len(name) == 1:
				specs = append(specs, spec{r, prefix(name[0] + "/")})
			case kind == "mcp" && strings.HasPrefix(r, "mcp__"):
				specs = append(specs, spec{r, is(name[0] + "/" + strings.Join(name[1:], "__"))})
			case kind == "read" && tool == "Read", kind == "write" && tool == "Edit":
				what = strings.Replace(strings.Replace(what, "//", "/", 1), "~", "/home/dev", 1)
				specs = append(specs, spec{r, wild(strings.Replace(what, "**", "*", 1))})
			}
		}
		return specs
	}
	return func(c call) permissions.Verdict {
		v := verdicts{read(c.kind, s.Permissions.Deny), read(c.kind, s.Permissions.Ask), read(c.kind, s.Permissions.Allow)}
		return v.decide(c.what, permissions.Ask)
	}
}

// geminiReads reads exported rules as Gemini CLI does.
func geminiReads(t *testing.T, out importer.Exported) func(call) permissions.Verdict {
	tools := out.Settings.(map[string]any)["tools"].(map[string]any)
	return func(c call) permissions.Verdict {
		read := func(key string) (specs []spec) {
			list, _ := tools[key].([]string)
			for _, r := range list {
				specs = append(specs, spec{r, words(strings.TrimSuffix(strings.TrimPrefix(r, "run_shell_command("), ")"))})
			}
			return specs
		}
		if c.kind != "command" {
			return permissions.Ask
		}
		return verdicts{deny: read("exclude"), allow: read("allowed")}.decide(c.what, permissions.Ask)
	}
}

// codexReads reads exported rules as Codex does.
func codexReads(t *testing.T, out importer.Exported) func(call) permissions.Verdict {
	var v verdicts
	for _, line := range strings.Split(strings.TrimSpace(out.Settings.(string)), "\n") {
		if line == "" {
			continue
		}
		list, decision, _ := strings.Cut(strings.TrimPrefix(line, "prefix_rule(pattern="), ", decision=")
		var pattern []string
		if err := json.Unmarshal([]byte(list), &pattern); err != nil {
			t.Fatal(line, err)
		}
		one := spec{line, words(strings.Join(pattern, " "))}
		switch strings.Trim(decision, `")`) {
		case "forbidden":
			v.deny = append(v.deny, one)
		case "prompt":
			v.ask = append(v.ask, one)
		default:
			v.allow = append(v.allow, one)
		}
	}
	return func(c call) permissions.Verdict {
		if c.kind != "command" {
			return permissions.Ask
		}
		return v.decide(c.what, permissions.Ask)
	}
}

// opencodeReads reads exported rules as opencode does: the last one wins.
func opencodeReads(t *testing.T, out importer.Exported) func(call) permissions.Verdict {
	text := out.Settings.(string)
	if !json.Valid([]byte(text)) {
		t.Fatal(text)
	}
	var keys, words []string
	for _, line := range strings.Split(text, "\n") {
		var key, word string
		if n, _ := fmt.Sscanf(strings.TrimSuffix(strings.TrimSpace(line), ","), "%q: %q", &key, &word); n == 2 {
			keys, words = append(keys, key), append(words, word)
		}
	}
	return func(c call) permissions.Verdict {
		got := permissions.Ask
		for i, key := range keys {
			if c.kind == "command" && wild(key)(c.what) {
				got = map[string]permissions.Verdict{"allow": permissions.Allow, "ask": permissions.Ask, "deny": permissions.Deny}[words[i]]
			}
		}
		return got
	}
}
