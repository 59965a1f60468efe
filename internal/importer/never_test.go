package importer_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mayi/internal/importer"
	"mayi/pkg/permissions"
)

// call is one call of the tests: of the command, of a file, of a host or of a
// server's tool, by kind.
type call struct {
	kind, what string // command, read, write, fetch, mcp (SERVER/TOOL)
}

// spec is a way to name some calls of a kind in an agent's words, and which.
type spec struct {
	text string
	hits func(string) bool
}

func prefix(p string) func(string) bool {
	return func(s string) bool { return strings.HasPrefix(s, p) }
}
func is(p string) func(string) bool { return func(s string) bool { return s == p } }
func wild(p string) func(string) bool { // a star goes over everything
	return func(s string) bool {
		parts := strings.Split(p, "*")
		if !strings.HasPrefix(s, parts[0]) || len(parts) == 1 && s != p {
			return false
		}
		s = s[len(parts[0]):]
		for i, part := range parts[1:] {
			at := strings.Index(s, part)
			if i == len(parts)-2 {
				return strings.HasSuffix(s, part)
			}
			if at < 0 {
				return false
			}
			s = s[at+len(part):]
		}
		return true
	}
}

func words(p string) func(string) bool {
	return func(s string) bool { return s == p || strings.HasPrefix(s, p+" ") }
}

// verdicts are decisions of an agent that puts a deny before an ask before an
// allow.
type verdicts struct{ deny, ask, allow []spec }

func (v verdicts) decide(s string, otherwise permissions.Verdict) permissions.Verdict {
	hit := func(x spec) bool { return x.hits(s) }
	switch {
	case slices.ContainsFunc(v.deny, hit):
		return permissions.Deny
	case slices.ContainsFunc(v.ask, hit):
		return permissions.Ask
	case slices.ContainsFunc(v.allow, hit):
		return permissions.Allow
	}
	return otherwise
}

var (
	commands = []string{"git", "git log", "git log -p", "git push", "git push -f", "git pushes", "gitk", "rm", "rm -rf", "rmdir x", "del", "delete x"}
	files    = []string{"/ws/a.go", "/ws/src/a.go", "/ws/src/gen/a.go", "/ws/.env", "/ws/src/x.env", "/ws/docs/[a].md", "/ws/docs/a.md", "/etc/hosts", "/home/dev/notes/x"}
	hosts    = []string{"docs.example", "a.docs.example", "xdocs.example", "evil.example"}
	tools    = []string{"srv/note", "srv/del", "srv/delete_all", "srv/del_", "my_srv/note", "my/srv_note", "Srv/note", "other/note"}
)

func calls() *rapid.Generator[call] {
	return rapid.Custom(func(t *rapid.T) call {
		kind := rapid.SampledFrom([]string{"command", "command", "read", "write", "fetch", "mcp", "mcp"}).Draw(t, "kind")
		from := map[string][]string{"command": commands, "read": files, "write": files, "fetch": hosts, "mcp": tools}[kind]
		return call{kind, rapid.SampledFrom(from).Draw(t, "what")}
	})
}

// strictness orders verdicts, the loosest first.
func strictness(v permissions.Verdict) int {
	return map[permissions.Verdict]int{permissions.Allow: 0, permissions.Ask: 1, permissions.Deny: 2}[v]
}

// decides is mayi's decision under imported settings.
func decides(t *rapid.T, p *importer.Policy, c call) permissions.Verdict {
	policy := permissions.Policy{Mode: permissions.AcceptEdits, Workspace: []string{"/ws"}, Home: "/home/dev", ExecEnabled: true, AskOutside: true, AskExec: true, NetworkInPlan: true}
	if p.Mode != "" {
		policy.Mode = permissions.Mode(p.Mode)
	}
	if p.RefuseOutside {
		policy.AskOutside, policy.AskExec = false, false
	}
	for _, e := range p.Entries {
		r, err := permissions.ParseRule(e.Action, e.Rule, permissions.Source{})
		if err != nil {
			t.Fatal(err)
		}
		policy.Rules = append(policy.Rules, r)
	}
	return permissions.Evaluate(permissions.New(policy), c.mayis(func(file string) bool {
		return slices.ContainsFunc(p.Folders, func(f importer.Folder) bool {
			return f.Write && strings.HasPrefix(file, strings.Replace(f.Path, "~", "/home/dev", 1)+"/")
		})
	})).Verdict
}

// mayis is the call as mayi sees it.
func (c call) mayis(writable func(string) bool) permissions.Call {
	builtin := func(name string, e permissions.Effect) permissions.Call {
		e.Part, e.Certainty = -1, permissions.Exact
		return permissions.Call{Tool: permissions.Tool{Name: name, Builtin: true}, Effects: []permissions.Effect{e}}
	}
	place := permissions.Place{Real: c.what, Zone: permissions.Outside, Writable: writable(c.what), Readable: writable(c.what)}
	if strings.HasPrefix(c.what, "/ws/") {
		place.Zone = permissions.Inside
	}
	switch c.kind {
	case "read":
		return builtin("read", permissions.Effect{Kind: permissions.Read, Path: c.what, Place: place})
	case "write":
		return builtin("write", permissions.Effect{Kind: permissions.FSWrite, Path: c.what, Place: place})
	case "fetch":
		return builtin("web_fetch", permissions.Effect{Kind: permissions.NetRead, Host: c.what, URL: "https://" + c.what + "/"})
	case "mcp":
		server, tool, _ := strings.Cut(c.what, "/")
		return permissions.Call{Tool: permissions.Tool{Server: server, Name: tool}, Effects: []permissions.Effect{{Part: -1}}}
	}
	part := permissions.Part{Parent: -1, Class: permissions.Program, Name: 1}
	for _, w := range strings.Fields(c.what) {
		part.Words = append(part.Words, permissions.Word{Text: w, Known: true})
	}
	return permissions.Call{Tool: permissions.Tool{Name: "bash", Builtin: true}, Shell: true, Command: c.what, Parts: []permissions.Part{part},
		Effects: []permissions.Effect{{Kind: permissions.Exec, Program: part.Words[0].Text, Certainty: permissions.Exact, Part: 0}}}
}

// source is what the model of an agent draws: a file of it, and its decision. A
// call that it is not asked about is one that its default lets pass, about which
// no rule is translated: mayi may be looser there (the import says so).
type source struct {
	file, text string
	decide     func(call) (v permissions.Verdict, ruled bool)
}

// TestNeverLooser: what the source would ask about or deny is not allowed, or
// only asked about, under the imported rules.
func TestNeverLooser(t *testing.T) {
	for agent, model := range map[string]*rapid.Generator[source]{"claude-code": claudeModel(), "codex": codexModel(), "codex rules": codexRulesModel(), "gemini": geminiModel(), "opencode": opencodeModel()} {
		t.Run(agent, func(t *testing.T) {
			written, allowed := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				s := model.Draw(t, "source")
				p, err := importer.Import(strings.Fields(agent)[0], importer.Source{File: s.file, Text: []byte(s.text)})
				if err != nil {
					t.Fatal(err, s.text)
				}
				if len(p.Looser()) > 0 {
					return // nothing would be written
				}
				written++
				for range 8 {
					c := calls().Draw(t, "call")
					want, ruled := s.decide(c)
					got := decides(t, p, c)
					if got == permissions.Allow && c.kind != "read" && c.kind != "write" {
						allowed++
					}
					if ruled && strictness(got) < strictness(want) {
						t.Fatalf("%v: mayi says %s, %s %s, under %s as %s", c, got, agent, want, s.text, fmt.Sprint(p.Entries))
					}
				}
			})
			if written == 0 || allowed == 0 {
				t.Errorf("%d sources were written, %d calls allowed: this tests nothing", written, allowed)
			}
		})
	}
}

// base is the last part of a path.
func base(hits func(string) bool) func(string) bool {
	return func(s string) bool { return hits(path.Base(s)) }
}
