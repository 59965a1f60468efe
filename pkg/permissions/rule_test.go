package permissions

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseRule(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Rule
	}{
		{"command(git status)", Rule{Kind: CommandRule, Words: []string{"git", "status"}}},
		{" command( git\tstatus ) ", Rule{Kind: CommandRule, Words: []string{"git", "status"}}},
		{`command(git commit -m 'a b' "c \"d" e\ f "")`, Rule{Kind: CommandRule, Words: []string{"git", "commit", "-m", "a b", `c "d`, "e f", ""}}},
		{`command(echo 'a)b' (x))`, Rule{Kind: CommandRule, Words: []string{"echo", "a)b", "(x)"}}},
		{"command(scp 'host:*' *.go)", Rule{Kind: CommandRule, Words: []string{"scp", "host:*", "*.go"}}},
		{"command([[)", Rule{Kind: CommandRule, Words: []string{"[["}}},
		{"command(* --version)", Rule{Kind: CommandRule, Words: []string{"*", "--version"}}},
		{"read(.env)", Rule{Kind: ReadRule, Glob: ".env"}},
		{"read( docs/** )", Rule{Kind: ReadRule, Glob: "docs/**"}},
		{"write(~/out/[!a]*)", Rule{Kind: WriteRule, Glob: "~/out/[!a]*"}},
		{"read(/)", Rule{Kind: ReadRule, Glob: "/"}},
		{"read(.)", Rule{Kind: ReadRule, Glob: "."}},
		{"fetch(Docs.Example.ORG.)", Rule{Kind: FetchRule, Glob: "docs.example.org"}},
		{"fetch(*.bücher.example)", Rule{Kind: FetchRule, Glob: "*.xn--bcher-kva.example"}},
		{"fetch(*)", Rule{Kind: FetchRule, Glob: "*"}},
		{"fetch([::1])", Rule{Kind: FetchRule, Glob: "::1"}},
		{"mcp(files.read.all)", Rule{Kind: MCPRule, Server: "files", Name: "read.all"}},
		{"mcp(*.*)", Rule{Kind: MCPRule, Server: "*", Name: "*"}},
		{"tool(web_fetch)", Rule{Kind: ToolRule, Glob: "web_fetch"}},
	} {
		got, err := ParseRule(ActionAsk, tc.text, Source{File: "f", Line: 3})
		tc.want.Action, tc.want.Text, tc.want.Source = ActionAsk, tc.text, Source{File: "f", Line: 3}
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v", tc.text, got, err)
		}
	}
}

func TestParseRuleErrors(t *testing.T) {
	for _, tc := range []struct{ text, says string }{
		{"", "it is empty"},
		{" \t", "it is empty"},
		{"command()", "nothing stands between"},
		{"command( )", "nothing stands between"},
		{"command('')", "name is empty"},
		{"comand(git)", `did you mean "command"`},
		{"Command(git)", `did you mean "command"`},
		{"Bash(git:*)", `it is called "command"`},
		{"WebFetch(domain:x)", `it is called "fetch"`},
		{"wirte(x)", `did you mean "write"`},
		{"zzzzzzzzzzzz(x)", "the kinds are command, read"},
		{"git status", `write "command(git status)"`},
		{"command", "the parenthesis is missing"},
		{"command(git", "closing parenthesis is missing"},
		{"command(git) status", "closing parenthesis is missing"},
		{"command(git))", "parentheses do not match"},
		{"command((git)", "parentheses do not match"},
		{"command(git 'x)", "not closed"},
		{`command(git "x)`, "not closed"},
		{`command(git \)`, "nothing follows the backslash"},
		{"command(git:*)", "leave it out"},
		{"command(git '*')", "cannot be matched literally"},
		{"command(a\x00b)", "NUL"},
		{"command(\xff)", "UTF-8"},
		{"read(!x)", "negated"},
		{"read(~bob/x)", "own home"},
		{"read(../x)", "absolute path"},
		{"read([a)", "no pattern"},
		{"read(a**)", "whole directories"},
		{"read([[:alpha:]])", "classes"},
		{"read(a\nb)", "line break"},
		{"read(//)", "names no file"},
		{"fetch(https://x.example/)", "holds"},
		{"fetch(127.1)", "read in different ways"},
		{"fetch(*.127.0.0.1)", "no subdomains"},
		{"mcp(files)", "divided by a dot"},
		{"mcp(files.)", "divided by a dot"},
		{"mcp(fi*.x)", "whole name only"},
		{"tool(a b)", "no name"},
	} {
		r, err := ParseRule(ActionAllow, tc.text, Source{File: "settings.json", Line: 4, Col: 7})
		var problem *RuleError
		if !errors.As(err, &problem) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q: %v (want %q)", tc.text, err, tc.says)
			continue
		}
		if !reflect.DeepEqual(r, Rule{}) || !strings.HasPrefix(err.Error(), "settings.json:4:7: ") {
			t.Errorf("%q: rule %+v, error %v", tc.text, r, err)
		}
		if problem.Offset > len(tc.text) {
			t.Errorf("%q: offset %d", tc.text, problem.Offset)
		}
	}
}

// Property 12: printing and parsing are inverse.
func TestPrintThenParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z:*'"\\ ()$\t]{1,6}`), 1, 5).Draw(t, "words")
		for i, w := range words {
			if w == "" || strings.Trim(w, " ") == "" && i == 0 {
				words[i] = "x"
			}
		}
		r := Rule{Kind: CommandRule, Words: words}
		back, err := ParseRule(r.Action, r.String(), Source{})
		if err != nil || !reflect.DeepEqual(back.Words, r.Words) || back.format() != r.format() {
			t.Fatalf("%q printed %s read %q %v", r.Words, r, back.Words, err)
		}
	})
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"command(git status)", `command('a b' "c\"" d\ e)`, "read(~/x/**)", "fetch(*.example.org)", "mcp(a.*)", "tool(x)", "command((", "read([", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(ActionAllow, text, Source{})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			return
		}
		for _, again := range []string{r.String(), r.format()} {
			back, err := ParseRule(ActionAllow, again, Source{})
			back.Text = r.Text
			if err != nil || !reflect.DeepEqual(back, r) {
				t.Fatalf("%q prints %q and reads back as %+v, %v", text, again, back, err)
			}
		}
		New(Policy{Rules: []Rule{r}, Workspace: []string{"/ws"}})
		Shadowed([]Rule{r, r})
	})
}

func TestShadowed(t *testing.T) {
	parse := func(action Action, texts ...string) (out []Rule) {
		for i, text := range texts {
			r, err := ParseRule(action, text, Source{File: "s", Line: i + 1})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, r)
		}
		return out
	}
	for _, tc := range []struct {
		action Action
		rules  []string
		want   string // "2<1" is: the second never matters because of the first
	}{
		{ActionAllow, []string{"command(git status)", "command(git log)"}, ""},
		{ActionAllow, []string{"command(git status)", "command(git)"}, "1<2"},
		{ActionAllow, []string{"command(git *)", "command(git status -s)"}, "2<1"},
		{ActionAllow, []string{"command(git status)", "command(git *)", "command(git * -s)"}, "1<2 3<2"},
		{ActionAllow, []string{"command(git  status)", "command('git' status)"}, "2<1"},
		{ActionAllow, []string{"read(/data)", "read(/data/x)", "write(/data/x)"}, "2<1"},
		{ActionAllow, []string{"read(/data/**)", "read(/data/x)", "read(/data)"}, "1<3 2<3"},
		{ActionAllow, []string{"read(/data/**)", "read(/data/x/y)"}, "2<1"},
		{ActionAllow, []string{"read(/data/*.txt)", "read(/data)"}, "1<2"},
		{ActionAllow, []string{"read(.env)", "read(/etc/.env)", "read(sub/.env)"}, "3<1"},
		{ActionDeny, []string{"read(.env)", "read(/etc/.env)"}, "2<1"},
		{ActionAllow, []string{"fetch(example.org)", "fetch(a.example.org)", "fetch(*.example.org)", "fetch(notexample.org)"}, "2<1 3<1"},
		{ActionAllow, []string{"fetch(*.example.org)", "fetch(a.example.org)", "fetch(example.org)"}, "1<3 2<3"},
		{ActionAllow, []string{"mcp(a.b)", "mcp(a.*)", "mcp(*.b)"}, "1<2"},
		{ActionAllow, []string{"tool(a)", "tool(A)"}, ""},
		{ActionDeny, []string{"tool(a)", "tool(A)"}, "2<1"},
		{ActionDeny, []string{"tool(*)", "tool(A)"}, "2<1"},
	} {
		var got []string
		for _, s := range Shadowed(parse(tc.action, tc.rules...)) {
			got = append(got, string(rune('0'+s.Rule.Source.Line))+"<"+string(rune('0'+s.By.Source.Line)))
			if w := s.Warning(); !strings.Contains(w, s.Rule.String()) || !strings.Contains(w, s.By.String()) {
				t.Errorf("warning %q", w)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v %v: %v, want %s", tc.action, tc.rules, got, tc.want)
		}
	}
	mixed := append(parse(ActionAllow, "command(git)"), parse(ActionDeny, "command(git push)")...)
	if got := Shadowed(mixed); got != nil {
		t.Errorf("rules of two lists: %v", got)
	}
	twice := parse(ActionAsk, "command(git push)", "command(git push)", "command(git push -f)")
	twice[0].Source.Layer, twice[1].Source.Layer, twice[2].Source.Layer = "user", "project", "project"
	if got := Shadowed(twice); len(got) != 1 || got[0].Rule.Source.Line != 3 {
		t.Errorf("a rule in two layers, and a longer form of it: %v", got)
	}
}

// A rule that is said never to matter never does.
func TestShadowedRulesDoNotMatter(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		shadows := Shadowed(p.Rules)
		if len(shadows) == 0 {
			return
		}
		before := decide(p, c).Verdict
		gone := oneOf(t, "shadow", shadows...)
		for i, r := range p.Rules {
			if reflect.DeepEqual(r, gone.Rule) {
				p.Rules = append(append([]Rule{}, p.Rules[:i]...), p.Rules[i+1:]...)
				break
			}
		}
		if after := decide(p, c).Verdict; after != before {
			t.Fatalf("%s: %v became %v", gone.Warning(), before, after)
		}
	})
}
