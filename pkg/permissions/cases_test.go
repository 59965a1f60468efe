package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
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
// flags: remote, approved, refused, unread.
//
// A part is its words, quoted as in a rule. $NAME is a word that is not known,
// {a|b} one of a few. Before them stand flags in brackets: free, wrapper,
// function, opaque, inline, unread, argsmayrun, parent=N, inner=N, name=N,
// canon=WORDS (up to the bracket).
//
// An effect is KIND[,ATTRIBUTE…]:TARGET, its part the last one unless @N is
// given. The place of a path follows from its text unless real= says where it
// leads. Attributes: redirect, argument, unknown, bounded, glob, recursive,
// protected, own, readable, writable, once, session, denied, partial,
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
	return slices.ContainsFunc(c.Effects, func(e Effect) bool { return e.Glob || strings.Contains(e.Host, "ff9b") })
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

func readCall(tool, parts, effects string) (Call, error) {
	words := strings.Fields(tool)
	if len(words) == 0 {
		return Call{}, fmt.Errorf("no tool")
	}
	c := Call{Tool: Tool{Name: words[0], Builtin: true}}
	if words[0] == "$" {
		c.Tool.Name, c.Shell = "bash", true
	} else if name, ok := strings.CutPrefix(words[0], "mcp:"); ok {
		c.Tool = Tool{}
		c.Tool.Server, c.Tool.Name, _ = strings.Cut(name, ".")
	}
	for _, w := range words[1:] {
		switch w {
		case "remote":
			c.Remote = true
		case "approved":
			c.Approved = GrantedOnce
		case "refused":
			c.Approved = GrantDenied
		case "unread":
			c.Unread = []Unread{{Why: "it does not parse"}}
		default:
			return c, fmt.Errorf("unknown flag %q", w)
		}
	}
	if parts = strings.TrimSpace(parts); parts != "" {
		for _, text := range strings.Split(parts, " ;; ") {
			p, err := readPart(strings.TrimSpace(text))
			if err != nil {
				return c, err
			}
			c.Parts = append(c.Parts, p)
		}
	}
	for _, text := range strings.Fields(effects) {
		e, err := readEffect(text, len(c.Parts)-1)
		if err != nil {
			return c, err
		}
		if c.Shell && e.Origin == FromTool {
			e.Origin = FromCommand
		}
		if c.Tool.Server != "" {
			e.Origin = FromArgument
		}
		c.Effects = append(c.Effects, e)
	}
	return c, nil
}

func readPart(text string) (Part, error) {
	p := Part{Parent: -1, Name: 1}
	for strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "[ ") && !strings.HasPrefix(text, "[[") {
		flag, rest, ok := strings.Cut(text[1:], "]")
		if !ok {
			return p, fmt.Errorf("bracket not closed in %q", text)
		}
		text = strings.TrimSpace(rest)
		key, value, _ := strings.Cut(flag, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "free":
			p.Class = Free
		case "wrapper":
			p.Class = Wrapper
		case "function":
			p.Class = Function
		case "opaque":
			p.Opaque = OpaqueProgram
		case "inline":
			p.Opaque = OpaqueInline
		case "unread":
			p.Unread = []Unread{{Why: "a program is named at run time"}}
		case "argsmayrun":
			p.ArgsMayRun = true
		case "parent":
			p.Parent = n
		case "inner":
			p.InnerAt = n
		case "name":
			p.Name = n
		case "canon":
			p.Canon = partWords(value)
		default:
			return p, fmt.Errorf("unknown part flag %q", key)
		}
	}
	p.Words = partWords(text)
	return p, nil
}

func partWords(text string) []Word {
	texts, err := splitWords(text, 0)
	if err != nil {
		panic(err)
	}
	var out []Word
	for _, w := range texts {
		switch {
		case strings.HasPrefix(w, "{") && strings.Contains(w, "|"):
			out = append(out, Word{Text: w, OneOf: strings.Split(strings.Trim(w, "{}"), "|")})
		case strings.HasPrefix(w, "$"):
			out = append(out, Word{Text: w})
		default:
			out = append(out, Word{Text: w, Known: true})
		}
	}
	return out
}

func readEffect(text string, part int) (Effect, error) {
	head, target, _ := strings.Cut(text, ":")
	attributes := strings.Split(head, ",")
	e := Effect{Certainty: Exact, Part: part}
	if err := e.Kind.UnmarshalText([]byte(attributes[0])); err != nil || e.Kind.String() != attributes[0] {
		return e, fmt.Errorf("unknown kind in %q", text)
	}
	if i := strings.LastIndex(target, "@"); i >= 0 && !strings.Contains(target[i:], "/") {
		e.Part, _ = strconv.Atoi(target[i+1:])
		target = target[:i]
	}
	if e.Kind == NetRead || e.Kind == NetWrite {
		e.Host = target
		if strings.Contains(target, "//") {
			e.Host, e.URL = "", target
		}
	} else {
		e.Path = target
	}
	e.Place = testPlace(e.Path)
	for _, a := range attributes[1:] {
		key, value, _ := strings.Cut(a, "=")
		switch key {
		case "redirect":
			e.Origin = FromRedirect
		case "argument":
			e.Origin = FromArgument
		case "unknown":
			e.Certainty = Unknown
		case "bounded":
			e.Certainty = Bounded
		case "glob":
			e.Certainty, e.Glob = Bounded, true
		case "recursive":
			e.Recursive = true
		case "protected":
			e.Place.Protected = "the protected list"
		case "own":
			e.Place.Own = true
		case "readable":
			e.Place.Readable = true
		case "writable":
			e.Place.Readable, e.Place.Writable = true, true
		case "once":
			e.Grant = GrantedOnce
		case "session":
			e.Grant = GrantedSession
		case "denied":
			e.Grant = GrantDenied
		case "partial":
			e.Place.Partial = true
		case "real":
			e.Place = testPlace(value)
		case "below":
			e.Place.Below = append(e.Place.Below, value)
		case "program":
			e.Program = value
		case "host":
			e.Host = value
		default:
			return e, fmt.Errorf("unknown attribute %q", key)
		}
	}
	return e, nil
}

// testPlace stands in for pkg/workspace: no links, the workspace /ws.
func testPlace(p string) Place {
	if p == "" {
		return Place{}
	}
	real := "/" + strings.Join(cleaned(components(p)), "/")
	switch {
	case real == "/dev/null":
		return Place{Zone: Device, Real: real}
	case real == "/ws" || strings.HasPrefix(real, "/ws/"):
		return Place{Zone: Inside, Real: real}
	}
	return Place{Zone: Outside, Real: real}
}
