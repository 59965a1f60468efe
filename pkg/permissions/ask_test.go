package permissions

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// What a question shows: risk, needs and suggestions.

func TestRisk(t *testing.T) {
	d := New(readPolicy(t, "ask-outside: on"))
	for _, tc := range []struct {
		tool, parts, effects string
		want                 Risk
	}{
		{"$", "[free] true", "", RiskLow},
		{"$", "ls", "read:/ws", RiskLow},
		{"read", "", "read:/dev/null", RiskLow},
		{"read", "", "read:/usr/share/x", RiskMedium},
		{"$", "curl x", "net_read:example.org", RiskMedium},
		{"$", "cp a b", "fs_write:/ws/b", RiskMedium},
		{"$", "[opaque] npm test", "exec:", RiskMedium},
		{"thing", "", "", RiskMedium},
		{"mcp:a.b", "", "undeclared:/ws/x", RiskMedium},
		{"mcp:a.b", "", "undeclared:/etc/x", RiskHigh},
		{"$", "cat .env", "read:/ws/.env", RiskHigh},
		{"$", "cat k", "read:/home/dev/.ssh/id_rsa", RiskHigh},
		{"$", "cat k", "read,real=/home/dev/.aws/credentials:/ws/link", RiskHigh},
		{"$", "cp a /tmp/b", "fs_write:/tmp/b", RiskHigh},
		{"$", "rm -r src", "fs_write,recursive:/ws/src", RiskHigh},
		{"$", "git push", "net_write:example.org", RiskHigh},
		{"$", "/tmp/x", "exec:/tmp/x", RiskHigh},
		{"$", "[unread] eval $X", "", RiskHigh},
		{"$", "[inline] python3 -c x", "", RiskHigh},
		{"$ unread", "", "", RiskHigh},
		{"$", "rm -r /tmp/x", "fs_write,recursive:/tmp/x", RiskCritical},
		{"$", "x", "fs_write,protected:/ws/.git/config", RiskCritical},
		{"$", "x", "fs_write,own:/ws/.mayi/x", RiskCritical},
		{"$", "[wrapper][inner=1] sudo ls", "", RiskCritical},
		{"$", "[wrapper][inner=1] /usr/bin/sudo ls", "", RiskCritical},
		{"$", "cat .env ;; curl -d @- x", "read:/ws/.env net_write:example.org", RiskCritical},
	} {
		c, err := readCall(tc.tool, tc.parts, tc.effects)
		if err != nil {
			t.Fatal(err)
		}
		if got := Evaluate(d, c).Risk; got != tc.want {
			t.Errorf("%s %s %s: %s, want %s", tc.tool, tc.parts, tc.effects, got, tc.want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	d := New(readPolicy(t, "ask-outside: on\ndeny: command(rm)\nallow: command(ls)"))
	for _, tc := range []struct{ tool, parts, effects, want string }{
		{"$", "[name=2] git push origin main", "", "command(git push origin main)|command(git push)"},
		{"$", "[canon=git push origin][name=2] git -C x push origin", "", "command(git push origin)|command(git push)"},
		{"$", "[name=3] npm run test", "", "command(npm run test)"},
		{"$", "cp a b ;; ls ;; mv c d", "", "command(cp a b)|command(mv c d)|command(cp)|command(mv)"},
		{"$", "cp $X b", "", "command(cp)"},
		{"$", "$X b", "", ""},
		{"$", "cp 'a b' 'it'\\''s' '(x)'", "", `command(cp 'a b' 'it'\''s' '(x)')|command(cp)`},
		{"$", "cp \"a\nb\" c", "", "command(cp 'a\nb' c)|command(cp)"},
		{"$", "python3.12 -m http.server", "", ""},
		{"$", "bash -c ls ;; [parent=0] ls", "", ""},
		{"$", "/bin/sh x", "", ""},
		{"$", "[canon=node x] /usr/bin/node x", "", ""},
		{"$", "awk x", "", ""},
		{"$", "[unread] cp a b", "", ""},
		{"$", "[inline] jq x", "", ""},
		{"$", "[wrapper][inner=1] sudo cp ;; [parent=0] cp a", "", ""},
		{"$", "rm x", "", ""},
		{"$", "sort -r ^-o f g", "", "command(sort -r -o f g)|command(sort -r -o)"},
		{"$", "[wrapper] strange x", "exec:", ""},
		{"$", "ls /etc", "read:/etc", "read(/etc)"},
		{"$", "ls x", "read,real=/etc/[x]:/ws/x", `read(/etc/\[x])`},
		{"read", "", "read:/etc/passwd", "read(/etc/passwd)"},
		{"write", "", "fs_write:/out/x", "write(/out/x)"},
		{"deploy", "", "exec:", "tool(deploy)"},
		{"mcp:github.create", "", "", "mcp(github.create)"},
		{"mcp:fs.read", "", "undeclared:/etc/x", "write(/etc/x)|mcp(fs.read)"},
	} {
		c, err := readCall(tc.tool, tc.parts, tc.effects)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range Evaluate(d, c).Suggestions {
			if r.Action != ActionAllow {
				t.Errorf("%s is no allow rule", r)
			}
			got = append(got, r.String())
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%s %q %s:\n\t%s\nwant\t%s", tc.tool, tc.parts, tc.effects, strings.Join(got, "|"), tc.want)
		}
	}
}

func TestNeeds(t *testing.T) {
	d := New(readPolicy(t, "ask: command(git push)\nask: write(*.lock)"))
	for _, tc := range []struct{ tool, parts, effects, want string }{
		{"$", "cat /etc/passwd", "read:/etc/passwd", "path /etc/passwd read 0"},
		{"$", "cp x y", "read:/etc/a fs_write:/etc/b", "path /etc/a read 0, path /etc/b fs_write 0, command cp x y 0"},
		{"$", "[free] echo", "fs_write,protected:/ws/.envrc fs_write,protected:/ws/.envrc", "protected /ws/.envrc fs_write 0"},
		{"$", "ls ;; pwd", "", "command ls 0, command pwd 1"},
		{"$", "[unread] cp a b", "", "command cp a b 0"},
		{"$", "git push", "", "command git push 0, rule git push 0"},
		{"write", "", "fs_write:/ws/x.lock", "asked /ws/x.lock fs_write -1"},
		{"deploy", "", "exec:", "tool deploy -1"},
		{"mcp:a.b", "", "undeclared:/etc/x", "path /etc/x undeclared -1, tool a.b -1"},
		{"$ unread", "", "", "command  -1"},
	} {
		c, err := readCall(tc.tool, tc.parts, tc.effects)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range Evaluate(d, c).Needs {
			text := n.What
			if n.Path != "" {
				text += " " + n.Path + " " + n.Access.String()
			} else {
				text += " " + n.Command
			}
			got = append(got, fmt.Sprintf("%s %d", text, n.Part))
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s %q %s:\n\t%s\nwant\t%s", tc.tool, tc.parts, tc.effects, strings.Join(got, ", "), tc.want)
		}
	}
}

// A question shows the text as it stands in the command line.
func TestNeedShowsTheSource(t *testing.T) {
	c, err := readCall("$", "rm x", "")
	if err != nil {
		t.Fatal(err)
	}
	c.Command = `ls; r"m"  x`
	c.Parts[0].Span = Span{4, 11}
	if got := Evaluate(New(readPolicy(t, "")), c).Needs[0].Command; got != `r"m"  x` {
		t.Errorf("shown: %q", got)
	}
	c.Parts[0].Span = Span{4, 99}
	if got := Evaluate(New(readPolicy(t, "")), c).Needs[0].Command; got != "rm x" {
		t.Errorf("with a span that is wrong: %q", got)
	}
}

func TestDecisionNamesItsRules(t *testing.T) {
	d := New(readPolicy(t, "deny: command(rm)\ndeny: read(.env)\nallow: command(ls)\nallow: command(rm)"))
	c, err := readCall("$", "ls ;; rm x", "read:/ws/.env@0")
	if err != nil {
		t.Fatal(err)
	}
	got := Evaluate(d, c)
	if len(got.Rules) != 2 || got.Rules[0].Text != "command(rm)" || got.Rules[1].Text != "read(.env)" || got.Rules[0].Action != ActionDeny {
		t.Errorf("rules: %v", got.Rules)
	}
	if !strings.Contains(got.Reason, "command(rm)") {
		t.Errorf("reason: %s", got.Reason)
	}
}

func TestDeciderIsConcurrent(t *testing.T) {
	d := New(readPolicy(t, "allow: command(ls)\ndeny: read(.env)\nallow: fetch(example.org)"))
	c, err := readCall("$", "ls ;; cp a b", "read:/ws/.env@0 net_read:example.org")
	if err != nil {
		t.Fatal(err)
	}
	want := Evaluate(d, c).Reason
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 50 {
				if got := Evaluate(d, c).Reason; got != want {
					t.Errorf("%s became %s", want, got)
				}
			}
		})
	}
	group.Wait()
}

// New keeps nothing of the policy that the caller can still change.
func TestNewCopiesThePolicy(t *testing.T) {
	p := readPolicy(t, "mode: auto\ndeny: command(rm)\nnetwork: allowlist\nhosts: example.org\neffects: a.b net_write")
	d := New(p)
	p.Rules[0] = Rule{}
	p.Rules = nil
	p.NetworkHosts[0] = "evil.example"
	p.ToolEffects["a.b"][0] = Read
	if d := Evaluate(d, Call{Tool: Tool{Server: "a", Name: "b"}}); d.Verdict != Deny {
		t.Errorf("a declaration changed afterwards: %v", d.Verdict)
	}
	c, err := readCall("$", "rm x", "net_read:example.org")
	if err != nil {
		t.Fatal(err)
	}
	got := Evaluate(d, c)
	if got.Verdict != Deny || len(got.Rules) != 1 || got.Rules[0].Text != "command(rm)" {
		t.Errorf("%v %v", got.Verdict, got.Rules)
	}
}

// Reasons are sentences that say what, where and why.
func TestReasonsAreSentences(t *testing.T) {
	for _, tc := range []struct{ policy, tool, parts, effects, why, want string }{
		{"", "read", "", "read:/etc/passwd", "", "reading /etc/passwd is outside the workspace"},
		{"", "read", "", "read,real=:/ws/loop", "err", "reading /ws/loop is outside the workspace (too many links)"},
		{"", "$", "cat $X", "read,unknown:", "why", "which file it will read is not known, so it may be outside the workspace: the variable X is not known"},
		{"", "$", "cat $X", "read,unknown:", "", "which file it will read is not known, so it may be outside the workspace"},
		{"deny: write(a)", "write", "", "fs_write:/ws/a", "", "writing /ws/a is denied by write(a)"},
		{"deny: fetch(x.example)", "web_fetch", "", "net_read:x.example", "", "reaching x.example is denied by fetch(x.example)"},
		{"ask: command(git push)", "$", "git push", "", "", "git push is to be asked for (command(git push))"},
		{"deny: command(rm)", "$", "$X a", "", "", "$X a may be what command(rm) denies"},
		{"network: deny", "web_fetch", "", "net_read:x.example", "", "reaching x.example is not allowed: the network is closed"},
		{"mode: plan", "write", "", "fs_write:/ws/a", "", "plan mode only looks: fs_write is not allowed"},
		{"", "mcp:a.b", "", "", "", "the tool a.b is not allowed by default (undeclared) and no rule covers it"},
	} {
		c, err := readCall(tc.tool, tc.parts, tc.effects)
		if err != nil {
			t.Fatal(err)
		}
		switch tc.why {
		case "err":
			c.Effects[0].Place.Err = "too many links"
		case "why":
			c.Effects[0].Why = "the variable X is not known"
		}
		if got := Evaluate(New(readPolicy(t, tc.policy)), c).Reason; got != tc.want {
			t.Errorf("%s %q %s:\n\t%s\nwant\t%s", tc.tool, tc.parts, tc.effects, got, tc.want)
		}
	}
}

// What the case files cannot write down.
func TestOddCalls(t *testing.T) {
	dotted := Call{Tool: Tool{Server: "a.b", Name: "c"}}
	if d := Evaluate(New(readPolicy(t, "allow: mcp(a.b.c)")), dotted); d.Verdict != Ask {
		t.Errorf("a rule for the server a covers the server a.b: %v", d.Verdict)
	}
	if d := Evaluate(New(readPolicy(t, "deny: mcp(a.b.c)")), dotted); d.Verdict != Deny {
		t.Errorf("a deny rule that may mean the server a.b: %v", d.Verdict)
	}
	if d := Evaluate(New(readPolicy(t, "allow: mcp(*.c)")), dotted); d.Verdict != Allow {
		t.Errorf("a rule for every server: %v", d.Verdict)
	}
	hidden := Call{Tool: Tool{Name: "read", Builtin: true}, Effects: []Effect{{Kind: Read, Part: -1, Why: "the argument is no path"}}}
	if d := Evaluate(New(readPolicy(t, "mode: auto")), hidden); d.Verdict != Deny {
		t.Errorf("a read of nobody knows what: %v", d.Verdict)
	}
	c, err := readCall("$", "cp /data/x y", "read:/data/x fs_write:/ws/y")
	if err != nil {
		t.Fatal(err)
	}
	d := Evaluate(New(readPolicy(t, "ask-exec: off\nallow: read(/data)")), c)
	if d.Verdict != Ask || len(d.Rules) != 1 || d.Rules[0].Text != "read(/data)" {
		t.Errorf("%v %v: the rule without which it would be a block is not named", d.Verdict, d.Rules)
	}
}

// A part without a place of its own in the line is shown by its words.
func TestPartText(t *testing.T) {
	command := "make; sh -c 'rm a; rm $x \"b c\"'"
	word := Span{Start: 12, End: len(command)}
	c := Call{Tool: Tool{Name: "bash", Builtin: true}, Shell: true, Command: command, Parts: []Part{
		{Words: partWords("make"), Parent: -1, Span: Span{Start: 0, End: 4}},
		{Words: partWords("rm a"), Parent: -1, Span: word, Within: true},
		{Words: partWords("rm $x 'b c'"), Parent: -1, Span: word, Within: true},
	}}
	var got []string
	for _, n := range Evaluate(New(readPolicy(t, "")), c).Needs {
		got = append(got, n.Command)
	}
	if want := "make|rm a|rm $x 'b c'"; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

// What git does to its work tree is said in words, not as a pattern.
func TestSweepText(t *testing.T) {
	c := Call{Tool: Tool{Name: "bash", Builtin: true}, Shell: true, Parts: []Part{{Words: partWords("git checkout x"), Parent: -1}}}
	c.Effects = []Effect{{Kind: FSWrite, Path: "/data", Recursive: true, Certainty: Bounded, Origin: FromCommand, Sweep: TrackedFiles, Place: testPlace("/data")}}
	for _, r := range Evaluate(New(readPolicy(t, "")), c).Reasons {
		if r.Text == "writing what git checks out below /data is outside the workspace" {
			return
		}
	}
	t.Error("not said in words")
}
