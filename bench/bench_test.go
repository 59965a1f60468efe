// Package bench measures what has to be fast, as pairs whose ratio counts:
// absolute times differ from machine to machine.
package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"mayi/pkg/config"
	"mayi/pkg/effects"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/tools"
)

const line = "git status -s"

// BenchmarkParse is the parser alone, what a decision is compared with.
func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), ""); err != nil {
			b.Fatal(err)
		}
	}
}

func rules(n int) []permissions.Rule {
	out := make([]permissions.Rule, 0, n)
	add := func(action permissions.Action, text string) {
		r, err := permissions.ParseRule(action, text, permissions.Source{Layer: "user"})
		if err != nil {
			panic(err)
		}
		out = append(out, r)
	}
	add(permissions.ActionAllow, "command(git status)")
	add(permissions.ActionDeny, "command(rm -rf)")
	for i := 2; i < n; i++ {
		add([]permissions.Action{permissions.ActionAllow, permissions.ActionAsk, permissions.ActionDeny}[i%3], fmt.Sprintf("command(program%d sub%d)", i/7, i))
	}
	return out
}

// BenchmarkDecide is one call from its text to the decision, in memory.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{20, 10000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			d := permissions.New(permissions.Policy{
				Mode: permissions.AcceptEdits, AskExec: true, ExecEnabled: true, Network: permissions.NetworkAllow,
				Rules: rules(n), Workspace: []string{"/ws"}, Home: "/home/dev",
			})
			a := shell.New(knowledge.Load())
			r := effects.Request{
				Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line},
				Cwd: "/ws", Home: "/home/dev", User: "dev", Env: map[string]string{"PATH": "/usr/bin:/bin"},
			}
			b.ReportAllocs()
			for b.Loop() {
				call := effects.Of(r, a)
				for i := range call.Effects {
					call.Effects[i].Place.Zone = permissions.Inside
				}
				if v := permissions.Evaluate(d, call); v.Verdict != permissions.Allow {
					b.Fatal(v.Reason)
				}
			}
		})
	}
}

// BenchmarkCheck is the same through the gate, which looks at the disk.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	space := filepath.Join(dir, "space")
	if err := os.Mkdir(space, 0o755); err != nil {
		b.Fatal(err)
	}
	settings, err := config.Load(config.Options{
		Cwd: space, Workspace: space, Home: dir, User: "dev", UserFile: dir + "/mayi/settings.json", StateDir: dir + "/state",
		Override: []byte(`{"permissions":{"allow":["command(git status)"]}}`),
	})
	if err != nil {
		b.Fatal(err)
	}
	g, err := gate.New(gate.Options{Settings: settings, Analyzer: shell.New(knowledge.Load()), Cwd: space, Home: dir, User: "dev", Env: map[string]string{}})
	if err != nil {
		b.Fatal(err)
	}
	r := gate.Request{Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line}}
	b.ReportAllocs()
	for b.Loop() {
		if v := g.Decide(context.Background(), r); v.Verdict != permissions.Allow {
			b.Fatal(v.Reason)
		}
	}
}

// coldLine is the call whose decision by a process of its own has a limit.
const coldLine = "git status && rm -rf /tmp/x"

// BenchmarkParseCold is the parser alone on that line.
func BenchmarkParseCold(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(coldLine), ""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecideCold is all that a process does that decides one call, with
// nothing kept from the one before: settings, knowledge, gate, decision.
func BenchmarkDecideCold(b *testing.B) {
	dir := b.TempDir()
	space := filepath.Join(dir, "space")
	user := filepath.Join(dir, ".config", "mayi", "settings.json")
	for _, folder := range []string{filepath.Join(space, ".git"), filepath.Dir(user)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(user, []byte(`{"readOnlyShell": true, "permissions": {"allow": ["command(git status)"], "deny": ["command(sudo)"]}}`), 0o600); err != nil {
		b.Fatal(err)
	}
	r := gate.Request{Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": coldLine}}
	b.ReportAllocs()
	for b.Loop() {
		settings, err := config.Load(config.Options{Cwd: space, Home: dir, User: "dev", UserFile: user, StateDir: dir + "/state"})
		if err != nil {
			b.Fatal(err)
		}
		g, err := gate.New(gate.Options{Settings: settings, Analyzer: shell.New(knowledge.Load()), Cwd: space, Home: dir, User: "dev", Env: map[string]string{}})
		if err != nil {
			b.Fatal(err)
		}
		if v := g.Decide(context.Background(), r); v.Verdict != permissions.Ask {
			b.Fatal(v.Reason)
		}
	}
}

// BenchmarkPermissionCache is one look-up among many answers.
func BenchmarkPermissionCache(b *testing.B) {
	for _, n := range []int{100, 1000000} {
		b.Run(fmt.Sprintf("grants=%d", n), func(b *testing.B) {
			c := tools.NewPermissionCache()
			for i := range n {
				c.Grant(fmt.Sprintf("/g/%d/%d/%d", i%100, i/100%100, i), tools.PermissionSession)
			}
			b.ReportAllocs()
			for b.Loop() {
				if c.Check("/g/7/0/7/below") != tools.PermissionSession {
					b.Fatal("not found")
				}
			}
		})
	}
}
