package confine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"mayi/internal/confine"
	"mayi/internal/confine/connect"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// person answers every question in the same way and keeps what was asked. The
// answer "" is that of nobody.
type person struct {
	answer approval.Choice
	asked  []approval.Question
}

func (p *person) asker() approval.Asker {
	if p.answer == "" {
		return nil
	}
	return approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		p.asked = append(p.asked, q)
		return approval.Answer{Choice: p.answer, By: "test"}, nil
	})
}

// call takes a line the whole way: decide, ask, begin, run confined.
func (r *room) call(line string, p *person) (out, said string, ran bool) {
	r.t.Helper()
	ctx := context.Background()
	v := r.app.Gate.Decide(ctx, gate.Request{
		Session: "s", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line}, Confines: true,
	})
	if v.Verdict == permissions.Ask && p.asker() != nil {
		v, _, _ = r.app.Gate.Ask(ctx, v, p.asker())
	}
	if v.Verdict != permissions.Allow {
		return "", v.Reason, false
	}
	end, err := r.app.Gate.BeginConfined(ctx, v)
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	var buf bytes.Buffer
	code, err := confine.Run(ctx, confine.Job{
		Gate: r.app.Gate, Verdict: v, Mode: confine.Required, Asker: p.asker(), Proxy: connect.Proxy(r.app.Gate, v), Say: func(s string) { said += s + "\n" },
		Command: runner.Command{Text: line, Dir: r.space, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Stdout: &buf, Stderr: &buf},
	})
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	end(fmt.Sprintf("exit %d", code))
	return buf.String(), said, true
}

// ground is a workspace with something to be asked about in it.
func ground(t *testing.T, rules string) *room {
	t.Helper()
	r := newRoom(t, `{"permissions":{"allow":["command(sh)","command(cat)","command(cp)","command(tee)","command(ls)","command(rm)"],`+rules+`}}`)
	for _, d := range []string{"/infra", "/secrets", "/other"} {
		if err := os.Mkdir(r.space+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.file(r.space+"/secrets/key", "CONTENT")
	r.file(r.space+"/infra/old", "old")
	return r
}

// TestRulesHoldWhateverIsKnown is the table of a rule's action, its kind, whether
// the command shows what it does, and what the person says: what is to happen, and
// how often the person is asked for it.
func TestRulesHoldWhateverIsKnown(t *testing.T) {
	const write, read = "echo new > infra/old", "cat secrets/key"
	const none, once, session, no = approval.Choice(""), approval.Once, approval.Session, approval.No
	for _, c := range []struct {
		rules, does string
		answer      approval.Choice
		known, done bool
		asked       int
	}{
		{`"ask":["write(infra/**)"]`, write, none, true, false, 0},
		{`"ask":["write(infra/**)"]`, write, none, false, false, 0},
		{`"ask":["write(infra/**)"]`, write, no, true, false, 1},
		{`"ask":["write(infra/**)"]`, write, no, false, false, 1},
		{`"ask":["write(infra/**)"]`, write, once, true, true, 1},
		{`"ask":["write(infra/**)"]`, write, once, false, true, 1},
		{`"ask":["write(infra/**)"]`, write, session, true, true, 1},
		{`"ask":["write(infra/**)"]`, write, session, false, true, 1},
		{`"ask":["read(secrets/**)"]`, read, none, true, false, 0},
		{`"ask":["read(secrets/**)"]`, read, none, false, false, 0},
		{`"ask":["read(secrets/**)"]`, read, no, true, false, 1},
		{`"ask":["read(secrets/**)"]`, read, no, false, false, 1},
		{`"ask":["read(secrets/**)"]`, read, once, true, true, 1},
		{`"ask":["read(secrets/**)"]`, read, once, false, true, 1},
		{`"ask":["read(secrets/**)"]`, read, session, true, true, 1},
		{`"ask":["read(secrets/**)"]`, read, session, false, true, 1},
		{`"deny":["write(infra/**)"]`, write, session, true, false, 0},
		{`"deny":["write(infra/**)"]`, write, session, false, false, 0},
		{`"deny":["read(secrets/**)"]`, read, session, true, false, 0},
		{`"deny":["read(secrets/**)"]`, read, session, false, false, 0},
		// A deny stands before an ask, also where the person says yes.
		{`"deny":["write(infra/old)"],"ask":["write(infra/**)"]`, write, session, true, false, 0},
		{`"deny":["write(infra/old)"],"ask":["write(infra/**)"]`, write, session, false, false, 0},
		// A rule for reading says nothing about writing, and the other way round.
		{`"ask":["read(infra/**)"]`, write, none, true, true, 0},
		{`"ask":["read(infra/**)"]`, write, none, false, true, 0},
		{`"ask":["write(secrets/**)"]`, read, none, true, true, 0},
		{`"ask":["write(secrets/**)"]`, read, none, false, true, 0},
		// A rule for commands is asked about where the command line shows it; what a
		// script starts is not.
		{`"ask":["command(cat)"]`, read, none, true, false, 0},
		{`"ask":["command(cat)"]`, read, once, true, true, 1},
		{`"ask":["command(cat)"]`, read, none, false, true, 0},
		{`"ask":["command(sh)"]`, read, once, false, true, 1},
		// A rule for the tool is about every command, and about nothing within it.
		{`"ask":["tool(bash)"]`, read, none, false, false, 0},
		{`"ask":["tool(bash)"]`, read, once, false, true, 1},
		{`"ask":["tool(bash)","read(secrets/**)"]`, read, once, true, true, 1},
		{`"ask":["tool(bash)","read(secrets/**)"]`, read, once, false, true, 2},
		{`"ask":["mcp(server.*)"]`, read, none, false, true, 0},
	} {
		t.Run(fmt.Sprintf("%s known %v %s", c.rules, c.known, c.answer), func(t *testing.T) {
			r := ground(t, c.rules)
			line := c.does
			if !c.known {
				r.file(r.space+"/s.sh", c.does)
				line = "sh s.sh"
			}
			p := &person{answer: c.answer}
			out, said, ran := r.call(line, p)
			text, err := os.ReadFile(r.space + "/infra/old")
			done := ran && strings.Contains(out+string(text), map[string]string{write: "new", read: "CONTENT"}[c.does])
			if err != nil || done != c.done || len(p.asked) != c.asked {
				t.Errorf("ran %v, done %v, asked %d times (%+v), printed %q, said %q, %v", ran, done, len(p.asked), p.asked, out, said, err)
			}
			if !done && said != "a person refused" && !strings.Contains(said, "infra") && !strings.Contains(said, "secrets") && !strings.Contains(said, "(bash)") {
				t.Errorf("nothing says why: %q", said)
			}
			if ran && !done && c.answer == none && !strings.Contains(said, "says to ask about, and nobody answered; to grant it,") {
				t.Errorf("nothing says how to grant it: %q", said)
			}
			if c.answer == session && done {
				if out, said, ran := r.call(line, &person{}); !ran || strings.Contains(out+said, "denied") {
					t.Errorf("after a session answer: ran %v, printed %q, said %q", ran, out, said)
				}
			}
			if c.answer == once && c.asked > 0 {
				if out, said, ran := r.call(line, &person{}); ran && !strings.Contains(out+said, "denied") {
					t.Errorf("once counted twice: printed %q, said %q", out, said)
				}
			}
		})
	}
}

// TestEveryWayToWhatARuleMeans: whatever a script does to what a rule asks about is
// refused where nobody answers and done where the person says yes; what the rule
// does not mean is nobody's concern.
func TestEveryWayToWhatARuleMeans(t *testing.T) {
	const py = `python3 -c "import os; `
	rows := []struct {
		does  string
		asked int
	}{
		{"echo x > infra/new", 1},
		{"mkdir infra/d", 1},
		{"rm infra/old", 1},
		{"mv infra/old other/y", 1},
		{"mv other/f infra/f", 1},
		{"mv infra infra2", 1},
		{"ln other/f infra/l", 1},
		{"ln infra/old other/l", 1},
		{"ln -s x infra/l", 1},
		{"chmod 700 infra/old", 1},
		{"touch -d yesterday infra/old", 1},
		{"cp -p other/f infra/old", 1},
		{py + `os.truncate('infra/old', 0)"`, 1},
		{py + `os.chmod(os.open('infra/old', os.O_RDONLY), 0o700)"`, 1},
		{py + `f = os.open('infra/old', os.O_WRONLY); os.fchmod(f, 0o700); os.utime(f)"`, 1},
		{"cd infra; echo x > new", 1},
		{"ln -s infra l; echo x > l/new", 1},
		{"ln -s ../infra other/l; echo x > other/l/new", 1},
		{"echo x > INFRA/new", 1},
		{"echo x > a.tf", 1},
		{"echo x > other/a.tf", 1},
		{"mv other/f other/f.tf", 1},
		{"cat secrets/key", 1},
		{"ls secrets", 1},
		{"mv secrets/key other/k", 1},
		{"mv secrets other/s", 1},
		{"ln secrets/key other/k", 1},
		{"ln -s secrets l; cat l/key", 1},
		{"cat /proc/self/cwd/secrets/key", 1},
		{py + `os.open('secrets/key', os.O_RDWR)"`, 1},
		{py + `os.open('secrets/key', os.O_RDONLY | os.O_TRUNC)"`, 1},
		{py + `os.open('both/x', os.O_RDWR)"`, 2},
		{"mkdir other/deep; echo x > other/deep/x; cat other/deep/x", 1},
		{"cat led", 1},
		{"cat alias", 1},
		{"mv other own", 1}, // what lies in it would be where the rule means it
		{"mkdir own; mkdir own/a; rmdir own/a; echo x > own/b", 0},
		{"echo x > secrets/new", 0},
		{py + `os.open('secrets/key', os.O_WRONLY)"`, 0},
		{"rm secrets/key", 0},
		{"cat infra/old; ls infra", 0},
		{"mkdir -p other/a/b; mv other/a other/c; mv other other2", 0},
		{"echo x > a.tfx", 0},
		{"echo x > /tmp/a.tf; chmod 700 /tmp/a.tf", 0},
	}
	for _, row := range rows {
		here := func(t *testing.T) *room {
			r := ground(t, `"ask":["write(infra/**)","read(secrets/**)","write(*.tf)","read(**/deep/x)","read(both)","write(both)","write(own/*/key)","read(alias)"]`)
			r.file(r.space+"/other/f", "f")
			if err := os.MkdirAll(r.space+"/both", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(r.space+"/INFRA", 0o755); err != nil {
				t.Fatal(err)
			}
			r.file(r.space+"/both/x", "x")
			r.file(r.space+"/led", "x")
			if err := os.Symlink("led", r.space+"/alias"); err != nil {
				t.Fatal(err)
			}
			r.file(r.space+"/s.sh", "set -e; "+row.does+"; echo DONE")
			return r
		}
		t.Run(row.does, func(t *testing.T) {
			r, nobody := here(t), &person{}
			if out, said, _ := r.call("sh s.sh", nobody); strings.Contains(out, "DONE") != (row.asked == 0) || (said == "") != (row.asked == 0) {
				t.Errorf("nobody to ask: printed %q, said %q", out, said)
			}
			if row.asked == 0 {
				return
			}
			r = here(t)
			yes := &person{answer: approval.Once}
			if out, said, _ := r.call("sh s.sh", yes); !strings.Contains(out, "DONE") || said != "" || len(yes.asked) != row.asked {
				t.Errorf("yes: printed %q, said %q, asked %d times: %+v", out, said, len(yes.asked), yes.asked)
			}
		})
	}
}

// TestWhatWasAskedWithTheCommandIsNotAskedAgain: an answer about the command covers
// what it named, and nothing else that the rule means.
func TestWhatWasAskedWithTheCommandIsNotAskedAgain(t *testing.T) {
	for line, asked := range map[string]int{
		"echo x > infra/old":                     1,
		"echo x > infra/old; sh s.sh":            1, // the same file again
		"echo x > infra/new; sh s.sh":            2,
		"cat secrets/key":                        1,
		"cat secrets/*":                          1,
		"cat secrets/*; sh hidden.sh":            2,
		"cat secrets/key > infra/old":            1,
		"cp -r secrets other/s":                  1,
		"rm -r infra":                            1,
		"cat secrets/key; cat secrets/key | cat": 1,
		"sh read.sh":                             1,
		"cat other/x; sh read.sh":                1,
		"ls other; sh read.sh":                   1,
		"ls .; sh read.sh":                       1,
	} {
		r := ground(t, `"ask":["write(infra/**)","read(secrets/**)","read(other/y)"]`)
		r.file(r.space+"/s.sh", "echo again > infra/old")
		r.file(r.space+"/read.sh", "cat secrets/key")
		r.file(r.space+"/hidden.sh", "cat secrets/.hidden")
		r.file(r.space+"/other/x", "x")
		r.file(r.space+"/secrets/.hidden", "x")
		p := &person{answer: approval.Once}
		out, said, ran := r.call(line, p)
		if !ran || said != "" || len(p.asked) != asked {
			t.Errorf("%s: ran %v, printed %q, said %q, asked %d times: %+v", line, ran, out, said, len(p.asked), p.asked)
		}
	}
}

// TestTheFormsOfARule: relative, at any depth, in the home folder, absolute, with a
// class of characters, for everything there is.
func TestTheFormsOfARule(t *testing.T) {
	for rule, does := range map[string]string{
		"write(a/b/**)":      "echo x > a/b/c/d",
		"write(a/b)":         "echo x > a/b/c/d",
		"write(./a/b/)":      "echo x > a/b/n",
		"write(*.tf)":        "echo x > a/x.tf",
		"write(a/*/d)":       "echo x > a/b/d",
		"write(a/**/d)":      "echo x > a/b/c/d",
		"write(**/c/d)":      "echo x > a/b/c/d",
		"write([a-c]/b/**)":  "echo x > a/b/n",
		"write([!b]/b/**)":   "echo x > a/b/n",
		`write(a/\b/n)`:      "echo x > a/b/n",
		"write(**)":          "echo x > a/b/n",
		"write(/**)":         "echo x > a/b/n",
		"write(.)":           "echo x > a/b/n",
		"write(~/notes/**)":  "echo x > HOME/notes/n",
		"write(~)":           "echo x > HOME/notes/n",
		"write(OUT/keys/**)": "echo x > OUT/keys/n",
		"read(~/notes/**)":   "cat HOME/notes/have",
		"read(OUT/keys/**)":  "cat OUT/keys/have",
		"read(OUT)":          "cat OUT/keys/have",
		"read(*ave)":         "cat OUT/keys/have",
		"read(a/b/c/have)":   "cat a/b/c/have",
	} {
		t.Run(rule, func(t *testing.T) {
			here := func() *room {
				r := newRoom(t, `{}`)
				home := r.app.Settings.Options().Home
				fill := strings.NewReplacer("OUT", r.outside, "HOME", home, `\`, `\\`)
				r.open(fmt.Sprintf(`{"permissions":{"allow":["command(sh)"],"ask":[%q]},"writePaths":[%q,%q]}`,
					strings.NewReplacer("OUT", r.outside, "HOME", home).Replace(rule), r.outside, home+"/notes"))
				for _, d := range []string{r.space + "/a/b/c", home + "/notes", r.outside + "/keys"} {
					if err := os.MkdirAll(d, 0o755); err != nil {
						t.Fatal(err)
					}
					r.file(d+"/have", "x")
				}
				r.file(r.space+"/s.sh", "set -e; "+fill.Replace(does)+"; echo DONE")
				return r
			}
			if out, said, ran := here().call("sh s.sh", &person{}); !ran || strings.Contains(out, "DONE") || !strings.Contains(said, "nobody answered") {
				t.Errorf("nobody to ask: ran %v, printed %q, said %q", ran, out, said)
			}
			yes := &person{answer: approval.Once}
			if out, said, _ := here().call("sh s.sh", yes); !strings.Contains(out, "DONE") || said != "" || len(yes.asked) != 1 {
				t.Errorf("yes: printed %q, said %q, asked %+v", out, said, yes.asked)
			}
		})
	}
}
