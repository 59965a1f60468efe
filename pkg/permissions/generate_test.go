package permissions

import (
	"pgregory.net/rapid"
)

// Generators of policies and calls over a small vocabulary, so that rules and
// calls meet often.

func oneOf[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

func often(t *rapid.T, label string, percent int) bool {
	return rapid.IntRange(0, 99).Draw(t, label) < percent
}

var (
	genWords   = []string{"git push; A=1 rm x", "--run=do ls", "git", "status", "rm", "-rf", "ls", "./rm", "/bin/rm", "timeout", "60", "sudo", "a", "/opt/tool"}
	genPaths   = []string{"/ws/a", "/ws/.env", "/ws/src/b.go", "/ws/src/.env", "/ws", "/etc/passwd", "/home/dev/.ssh/id", "/data/x", "/data/y/z", "/dev/null", "/ws/../data/x"}
	genGlobs   = []string{".env", "*.go", "/data/**", "/data", "/data/*", "~/.ssh/**", "src/**", "src/*.go", "**/src/*", "/ws/src/b.go", "/etc", "a", "/**", "*", "[a-c]"}
	genHosts   = []string{"example.org", "a.example.org", "evil.example", "127.0.0.1", ""}
	genServers = []string{"files", "web"}
	genTools   = []string{"read", "write", "edit", "thing", "bash", "Exec"}
)

func genRule(t *rapid.T) Rule {
	r := Rule{Action: oneOf(t, "action", ActionDeny, ActionAsk, ActionAllow, ActionAllow)}
	switch r.Kind = oneOf(t, "kind", CommandRule, CommandRule, CommandRule, ReadRule, WriteRule, FetchRule, MCPRule, ToolRule); r.Kind {
	case CommandRule:
		r.Words = rapid.SliceOfN(rapid.SampledFrom(append([]string{"*"}, genWords...)), 1, 3).Draw(t, "words")
	case ReadRule, WriteRule:
		r.Glob = oneOf(t, "glob", genGlobs...)
	case FetchRule:
		r.Glob = oneOf(t, "host", "example.org", "*.example.org", "127.0.0.1", "*")
	case MCPRule:
		r.Server, r.Name = oneOf(t, "server", "files", "*", "Files"), oneOf(t, "tool", "read", "*", "WRITE")
	case ToolRule:
		r.Glob = oneOf(t, "name", append([]string{"*", "Thing"}, genTools...)...)
	}
	r.Text = r.format()
	back, err := ParseRule(r.Action, r.Text, Source{Layer: "session"})
	if err != nil {
		t.Fatalf("%s: %v", r.Text, err)
	}
	return back
}

func genPolicy(t *rapid.T) Policy {
	p := Policy{
		Mode:            oneOf(t, "mode", Plan, AcceptEdits, AcceptEdits, Auto, Auto, "other"),
		MaxMode:         oneOf(t, "max", "", "", "", Plan, AcceptEdits, Auto),
		SkipPermissions: often(t, "skip", 10),
		AllowOutside:    often(t, "outside", 10),
		AskOutside:      often(t, "ask outside", 50),
		AskExec:         often(t, "ask exec", 80),
		ExecEnabled:     often(t, "exec", 95),
		ExecRemote:      often(t, "exec remote", 70),
		ReadOnlyShell:   often(t, "read-only shell", 50),
		Network:         oneOf(t, "network", "", NetworkAllow, NetworkAllow, NetworkAllowlist, NetworkDeny),
		NetworkInPlan:   often(t, "network in plan", 50),
		NetworkHosts:    rapid.SliceOfN(rapid.SampledFrom([]string{"example.org", "127.0.0.1", "*.evil.example"}), 0, 2).Draw(t, "hosts"),
		Rules:           rapid.SliceOfN(rapid.Custom(genRule), 0, 6).Draw(t, "rules"),
		Workspace:       []string{"/ws"}, Home: "/home/dev",
		RemoteDefault: oneOf(t, "remote default", "", Plan, AcceptEdits, Auto),
		RemoteMax:     oneOf(t, "remote max", "", Plan, AcceptEdits, Auto),
	}
	if often(t, "declared", 30) {
		p.ToolEffects = map[string][]Kind{
			oneOf(t, "declared tool", "files.read", "files.*", "*.read", "*.*"): rapid.SliceOfN(rapid.SampledFrom([]Kind{Read, NetRead, StateWrite, FSWrite, NetWrite, Exec, Undeclared}), 0, 2).Draw(t, "kinds"),
		}
	}
	if often(t, "broken", 5) {
		p.Broken = []string{"settings.json:1:1: broken"}
	}
	return p
}

func genWord(t *rapid.T) Word {
	switch rapid.IntRange(0, 19).Draw(t, "word kind") {
	case 0:
		return Word{Text: "$X"}
	case 1:
		return Word{Text: "$Y", OneOf: rapid.SliceOfN(rapid.SampledFrom(genWords), 1, 2).Draw(t, "one of")}
	}
	return Word{Text: oneOf(t, "word", genWords...), Known: true, ByName: often(t, "by name", 5)}
}

func genPart(t *rapid.T) Part {
	p := Part{
		Words:  rapid.SliceOfN(rapid.Custom(genWord), 1, 4).Draw(t, "words"),
		Class:  oneOf(t, "class", Program, Program, Program, Free, Wrapper, Function),
		Parent: rapid.IntRange(-1, 1).Draw(t, "parent"),
		Name:   1,
		Opaque: oneOf(t, "opaque", Clear, Clear, Clear, OpaqueProgram, OpaqueInline),
	}
	if often(t, "unread", 7) {
		p.Unread = []Unread{{Why: "hidden"}}
	}
	p.ArgsMayRun = often(t, "args may run", 10)
	if often(t, "person", 3) {
		p.Person = "it is the person's"
	}
	if p.Class == Wrapper && len(p.Words) > 1 {
		p.InnerAt = rapid.IntRange(0, len(p.Words)-1).Draw(t, "inner")
	}
	if often(t, "canon", 15) {
		p.Bare = rapid.SliceOfN(rapid.Custom(genWord), 1, 3).Draw(t, "bare words")
		p.Canon = rapid.SliceOfN(rapid.Custom(genWord), 1, 3).Draw(t, "canon words")
	}
	return p
}

func genEffect(t *rapid.T, c *Call) Effect {
	e := Effect{Kind: oneOf(t, "kind", Read, Read, FSWrite, FSWrite, NetRead, NetWrite, StateWrite, Exec, Undeclared), Part: -1, Certainty: Exact}
	switch e.Kind {
	case NetRead, NetWrite:
		e.Host = oneOf(t, "host", genHosts...)
		if e.Host == "" {
			e.Certainty = Unknown
		}
	case Read, FSWrite, Exec, Undeclared:
		if often(t, "path", 85) {
			e.Path = oneOf(t, "path", genPaths...)
			e.Place = testPlace(e.Path)
		} else {
			e.Certainty = oneOf(t, "certainty", Unknown, Exact)
		}
		if e.Path != "" && often(t, "link", 10) {
			e.Place = testPlace(oneOf(t, "real", genPaths...))
		}
	}
	e.Place.Own = often(t, "own", 3)
	if often(t, "protected", 5) {
		e.Place.Protected = ".git/**"
	}
	e.Place.Writable = often(t, "writable", 10)
	e.Place.Readable = e.Place.Writable || often(t, "readable", 10)
	e.Place.Partial = often(t, "partial", 5)
	if often(t, "below", 10) {
		e.Place.Below = []string{oneOf(t, "below path", genPaths...)}
	}
	e.Grant = oneOf(t, "grant", NoGrant, NoGrant, NoGrant, NoGrant, NoGrant, NoGrant, GrantedOnce, GrantedSession, GrantDenied)
	switch {
	case c.Shell:
		e.Origin = oneOf(t, "origin", FromCommand, FromCommand, FromRedirect)
		e.Part = rapid.IntRange(-1, len(c.Parts)-1).Draw(t, "part")
		if e.Part >= 0 && e.Kind == Exec && often(t, "program", 50) {
			e.Program = c.Parts[e.Part].Words[0].Text
		}
	case c.Tool.Server != "":
		e.Origin = oneOf(t, "origin", FromArgument, FromArgument, FromTool)
	}
	return e
}

func genCall(t *rapid.T) Call {
	c := Call{Tool: Tool{Name: oneOf(t, "tool", genTools...), Builtin: true}}
	switch oneOf(t, "call", "shell", "shell", "tool", "mcp") {
	case "shell":
		c.Tool.Name, c.Shell = "bash", true
		c.Parts = rapid.SliceOfN(rapid.Custom(genPart), 0, 3).Draw(t, "parts")
		if len(c.Parts) > 1 && often(t, "wrapped", 30) {
			// The second part is what the first one wraps.
			outer := &c.Parts[0]
			outer.Class, outer.InnerAt = Wrapper, 1
			outer.Words = append(outer.Words[:1:1], c.Parts[1].Words...)
			c.Parts[1].Parent = 0
			if len(c.Parts) > 2 && often(t, "twice", 50) {
				mid := &c.Parts[1]
				mid.Class, mid.InnerAt = Wrapper, 1
				mid.Words = append(mid.Words[:1:1], c.Parts[2].Words...)
				outer.Words = append(outer.Words[:1:1], mid.Words...)
				c.Parts[2].Parent = 1
			}
		}
	case "mcp":
		c.Tool = Tool{Name: oneOf(t, "mcp tool", "read", "write", "thing"), Server: oneOf(t, "server", genServers...)}
	}
	for range rapid.IntRange(0, 3).Draw(t, "effects") {
		c.Effects = append(c.Effects, genEffect(t, &c))
	}
	if often(t, "unread", 3) {
		c.Unread = []Unread{{Why: "does not parse"}}
	}
	c.Remote = often(t, "remote", 10)
	c.Confinable = often(t, "confinable", 40)
	c.Approved = oneOf(t, "approved", NoGrant, NoGrant, NoGrant, NoGrant, NoGrant, GrantedOnce, GrantedSession, GrantDenied)
	return c
}
