package permissions

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// The case files in testdata/decide hold, section by section, a policy and
// rows that are decided under it:
//
//	-- what is shown --
//	mode: accept-edits
//	allow: command(git status)
//	---
//	allow | allow-rule | $ | git status -s
//	ask   | no-rule    | $ | git push           | net_write:example.org
//	deny  | mode       | write | | fs_write:/ws/a
//
// A row is: verdict | code of the first reason ("*" for any) | tool and flags
// | parts, divided by " ;; " | effects. "#" begins a comment. The workspace is
// /ws, the home /home/dev.
//
// Tool: a built-in tool's name, $ for a command line, or mcp:SERVER.TOOL; then
// flags: remote, confinable, approved, refused, unread.
//
// A part is its words, quoted as in a rule. $NAME is a word that is not known,
// {a|b} one of a few. Before them stand flags in brackets: free, wrapper,
// function, opaque, inline, unread, argsmayrun, parent=N, inner=N, name=N,
// canon=WORDS (up to the bracket).
//
// An effect is KIND[,ATTRIBUTE…]:TARGET, its part the last one unless @N is
// given. The place of a path follows from its text unless real= says where it
// leads. Attributes: redirect, argument, unknown, bounded, glob, recursive,
// direct, protected, own, readable, writable, once, session, denied, partial,
// real=PATH, below=PATH, program=NAME.
func TestDecideCases(t *testing.T) {
	files, err := filepath.Glob("testdata/decide/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range archive.Files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + section.Name
			t.Run(name, func(t *testing.T) { runSection(t, string(section.Data)) })
		}
	}
}

func runSection(t *testing.T, text string) {
	head, rows, ok := strings.Cut("\n"+text, "\n---\n")
	if !ok {
		t.Fatal("the section has no --- line")
	}
	p := readPolicy(t, head)
	d := New(p)
	for _, row := range strings.Split(rows, "\n") {
		if i := strings.Index(row, "#"); i == 0 || i > 0 && row[i-1] == ' ' {
			row = row[:i]
		}
		if strings.TrimSpace(row) == "" {
			continue
		}
		fields := strings.Split(row, " |")
		for len(fields) < 5 {
			fields = append(fields, "")
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		verdict, code := fields[0], fields[1]
		c, err := readCall(fields[2], fields[3], fields[4])
		if err != nil {
			t.Errorf("%s\n\t%v", row, err)
			continue
		}
		got := Evaluate(d, c)
		if got.Verdict.String() != verdict || code != "*" && got.Reasons[0].Code != code {
			t.Errorf("%s\n\tgot %v %s: %s", row, got.Verdict, got.Reasons[0].Code, got.Reason)
		}
		checkShape(t, row, d, c, got)
		if want := naive(p, c); want != got.Verdict && !beyondReference(c) {
			t.Errorf("%s\n\tthe reference says %v, the decider %v (%s)", row, want, got.Verdict, got.Reason)
		}
	}
}

// beyondReference reports whether the call needs what the reference does not
// know: globs that may match, and addresses inside addresses. Tests of their
// own hold those.
func beyondReference(c Call) bool {
	return slices.ContainsFunc(c.Effects, func(e Effect) bool { return e.Glob && len(e.Place.Below) == 0 || strings.Contains(e.Host, "ff9b") })
}

// checkShape holds what is true of every decision.
func checkShape(t *testing.T, row string, d *Decider, c Call, got Decision) {
	t.Helper()
	if got.Promptable != (got.Verdict == Ask) {
		t.Errorf("%s\n\tpromptable is %v", row, got.Promptable)
	}
	if (len(got.Needs) > 0) != (got.Verdict == Ask) {
		t.Errorf("%s\n\tneeds are %v", row, got.Needs)
	}
	if got.Reason == "" || got.Reason != got.Reasons[0].Text || got.Reasons[0].Verdict != got.Verdict {
		t.Errorf("%s\n\tthe first reason is not the verdict's: %+v", row, got.Reasons)
	}
	still := Decide(d, c)
	if (still.Verdict == Allow) != (got.Verdict == Allow) || still.Verdict == Ask || still.Promptable != got.Promptable {
		t.Errorf("%s\n\tDecide says %v", row, still.Verdict)
	}
}

func readPolicy(t *testing.T, head string) Policy {
	t.Helper()
	p := Policy{
		Mode: AcceptEdits, ExecEnabled: true, ExecRemote: true, AskExec: true, NetworkInPlan: true,
		Workspace: []string{"/ws"}, Home: "/home/dev",
	}
	for _, line := range strings.Split(head, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "mode":
			p.Mode = Mode(value)
		case "max":
			p.MaxMode = Mode(value)
		case "network":
			p.Network = Network(value)
		case "hosts":
			p.NetworkHosts = strings.Fields(value)
		case "broken":
			p.Broken = []string{value}
		case "workspace":
			p.Workspace = strings.Fields(value)
		case "home":
			p.Home = value
		case "remote-default":
			p.RemoteDefault = Mode(value)
		case "remote-max":
			p.RemoteMax = Mode(value)
		case "effects":
			name, kinds, _ := strings.Cut(value, " ")
			if p.ToolEffects == nil {
				p.ToolEffects = map[string][]Kind{}
			}
			for _, w := range strings.Fields(kinds) {
				var k Kind
				_ = k.UnmarshalText([]byte(w))
				p.ToolEffects[name] = append(p.ToolEffects[name], k)
			}
		case "allow", "deny", "ask":
			action := map[string]Action{"allow": ActionAllow, "deny": ActionDeny, "ask": ActionAsk}[key]
			r, err := ParseRule(action, value, Source{Layer: "session"})
			if err != nil {
				t.Fatal(err)
			}
			p.Rules = append(p.Rules, r)
		default:
			if !setSwitch(&p, key, value != "off") {
				t.Fatalf("unknown key %q", key)
			}
		}
	}
	return p
}

func setSwitch(p *Policy, key string, on bool) bool {
	switch key {
	case "skip":
		p.SkipPermissions = on
	case "outside":
		p.AllowOutside = on
	case "ask-outside":
		p.AskOutside = on
	case "ask-exec":
		p.AskExec = on
	case "exec":
		p.ExecEnabled = on
	case "exec-remote":
		p.ExecRemote = on
	case "read-only-shell":
		p.ReadOnlyShell = on
	case "network-in-plan":
		p.NetworkInPlan = on
	default:
		return false
	}
	return true
}
