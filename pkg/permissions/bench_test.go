package permissions

import (
	"fmt"
	"testing"
)

// benchPolicy has n rules of all kinds and actions, spread over different
// first words, words below one first word, directories, names and hosts.
func benchPolicy(b *testing.B, n int) Policy {
	p := Policy{
		Mode: AcceptEdits, ExecEnabled: true, AskExec: true, Workspace: []string{"/ws"}, Home: "/home/dev",
		Network: NetworkAllowlist, NetworkHosts: []string{"example.org"},
	}
	add := func(action Action, text string) {
		r, err := ParseRule(action, text, Source{})
		if err != nil {
			b.Fatal(err)
		}
		p.Rules = append(p.Rules, r)
	}
	add(ActionAllow, "command(git status)")
	add(ActionAllow, "command(head)")
	add(ActionDeny, "read(.env)")
	add(ActionDeny, "command(rm)")
	forms := []string{
		"command(prog%d)", "command(git sub%d)", "read(/data/dir%d/**)", "write(out/file%d)", "read(name%d.txt)",
		"fetch(host%d.example)", "mcp(server.tool%d)", "read(*.ext%d)", "command(npm run script%d)", "write(~/dir%d/*)",
	}
	for i := len(p.Rules); i < n; i++ {
		action := ActionAllow
		if i%3 == 0 {
			action = ActionDeny
		}
		add(action, fmt.Sprintf(forms[i%len(forms)], i))
	}
	return p
}

func benchCalls(b *testing.B) []Call {
	var calls []Call
	for _, row := range [][3]string{
		{"$", "git status -s ;; head -20", "read:/ws@0"},
		{"$", "rm -rf src", "fs_write,recursive:/ws/src"},
		{"$", "cat src/main.go", "read:/ws/src/main.go"},
		{"read", "", "read:/ws/src/lib/deep/file.txt"},
		{"write", "", "fs_write:/ws/docs/a.md"},
		{"web_fetch", "", "net_read:docs.example.org"},
		{"mcp:server.other", "", "undeclared:/ws/a"},
	} {
		c, err := readCall(row[0], row[1], row[2])
		if err != nil {
			b.Fatal(err)
		}
		calls = append(calls, c)
	}
	return calls
}

func benchEvaluate(b *testing.B, rules int) {
	d, calls := New(benchPolicy(b, rules)), benchCalls(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range calls {
			Evaluate(d, c)
		}
	}
}

// Seven calls of all kinds. The second costs at most 1.5 times the
// first.
func BenchmarkEvaluate20Rules(b *testing.B)    { benchEvaluate(b, 20) }
func BenchmarkEvaluate10000Rules(b *testing.B) { benchEvaluate(b, 10_000) }

func benchAllowed(b *testing.B, rules int) {
	d, c := New(benchPolicy(b, rules)), benchCalls(b)[0]
	b.ReportAllocs()
	for b.Loop() {
		Evaluate(d, c)
	}
}

// One allowed command line, the usual case.
func BenchmarkAllowed20Rules(b *testing.B)    { benchAllowed(b, 20) }
func BenchmarkAllowed10000Rules(b *testing.B) { benchAllowed(b, 10_000) }

func BenchmarkNew10000Rules(b *testing.B) {
	p := benchPolicy(b, 10_000)
	for b.Loop() {
		New(p)
	}
}
