package importer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"mayi/pkg/permissions"
)

func listOf(t *rapid.T, name string, from []spec) []spec {
	return rapid.SliceOfN(rapid.SampledFrom(from), 0, 3).Draw(t, name)
}

func texts(list []spec, form string) []string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf(form, s.text))
	}
	return out
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// The rules of Claude Code, and what each of them is about there.
var claudeRules = map[string][]spec{
	"command": {
		{"Bash(git:*)", words("git")}, {"Bash(git push:*)", words("git push")}, {"Bash(git push)", is("git push")}, {"Bash(git *)", prefix("git ")}, {"Bash(git pu*)", wild("git pu*")},
		{"Bash(rm*)", wild("rm*")}, {"Bash(rm -rf:*)", words("rm -rf")}, {"Bash(git  push:*)", words("git  push")}, {"Bash(git\u00a0push:*)", words("git\u00a0push")},
		{"Bash(git log )", is("git log ")}, {"Bash(del *)", prefix("del ")}, {"Bash(del )", is("del ")}, {"Bash( git:*)", words(" git")},
	},
	"read":  {{"Read(src/**)", prefix("/ws/src/")}, {"Read(.env)", base(is(".env"))}, {"Read(*.env)", base(wild("*.env"))}, {"Read(//etc/**)", prefix("/etc/")}, {"Read(~/notes/**)", prefix("/home/dev/notes/")}, {"Read( src/** )", is("")}},
	"write": {{"Edit(src/**)", prefix("/ws/src/")}, {"Edit(/docs/a.md)", is("/ws/docs/a.md")}, {"Write(//etc/hosts)", is("/etc/hosts")}, {"Edit(~/notes/**)", prefix("/home/dev/notes/")}},
	"fetch": {{"WebFetch(domain:docs.example)", is("docs.example")}, {"WebFetch(domain:*.docs.example)", wild("*.docs.example")}, {"WebFetch", prefix("")}, {"WebFetch(domain:*docs.example)", wild("*docs.example")}},
	"mcp": {
		{"mcp__srv", prefix("srv/")}, {"mcp__srv__*", prefix("srv/")}, {"mcp__srv__note", is("srv/note")}, {"mcp__srv__del*", prefix("srv/del")}, {"mcp__srv__del ", is("srv/del ")},
		{"mcp__s*__note", wild("s*/note")}, {"mcp__*", is("")}, {"mcp__my_srv__note", is("my_srv/note")}, {"mcp__\u0455rv__note", is("\u0455rv/note")}, {"mcp__srv__del(x)", is("")},
	},
}

// claudeModel: deny before ask before allow, else a question but for what reads in
// the workspace.
func claudeModel() *rapid.Generator[source] {
	return rapid.Custom(func(t *rapid.T) source {
		by := map[string]verdicts{}
		lists := map[string][]string{"deny": {}, "ask": {}, "allow": {}}
		for _, kind := range []string{"command", "read", "write", "fetch", "mcp"} {
			v := verdicts{listOf(t, "deny "+kind, claudeRules[kind]), listOf(t, "ask "+kind, claudeRules[kind]), listOf(t, "allow "+kind, claudeRules[kind])}
			if rapid.Bool().Draw(t, "without "+kind) {
				v = verdicts{}
			}
			by[kind] = v
			lists["deny"] = append(lists["deny"], texts(v.deny, "%s")...)
			lists["ask"] = append(lists["ask"], texts(v.ask, "%s")...)
			lists["allow"] = append(lists["allow"], texts(v.allow, "%s")...)
		}
		mode := rapid.SampledFrom([]string{"acceptEdits", "default", "plan"}).Draw(t, "mode")
		text := asJSON(map[string]any{"permissions": map[string]any{"deny": lists["deny"], "ask": lists["ask"], "allow": lists["allow"], "defaultMode": mode}})
		return source{"settings.json", text, func(c call) (permissions.Verdict, bool) {
			otherwise := permissions.Ask
			if inside := strings.HasPrefix(c.what, "/ws/"); inside && (c.kind == "read" || c.kind == "write" && mode == "acceptEdits") {
				otherwise = permissions.Allow
			}
			rules := by[c.kind]
			if c.kind == "read" { // what may be written may be read
				rules.allow = append(slices.Clone(rules.allow), by["write"].allow...)
			}
			v := rules.decide(c.what, otherwise)
			// What no rule says about fetching is a default, which is not taken over.
			return v, c.kind != "fetch" || by[c.kind].decide(c.what, permissions.Allow) != permissions.Allow
		}}
	})
}

// codexModel: who is asked and what may be written.
func codexModel() *rapid.Generator[source] {
	return rapid.Custom(func(t *rapid.T) source {
		approval := rapid.SampledFrom([]string{"untrusted", "on-request", "never"}).Draw(t, "approval")
		sandbox := rapid.SampledFrom([]string{"read-only", "workspace-write"}).Draw(t, "sandbox")
		network := rapid.Bool().Draw(t, "network")
		root := rapid.SampledFrom([]string{"", "/home/dev/notes", "~/notes/"}).Draw(t, "root")
		text := fmt.Sprintf("approval_policy = %q\nsandbox_mode = %q\n[sandbox_workspace_write]\nnetwork_access = %v\n", approval, sandbox, network)
		if root != "" {
			text += fmt.Sprintf("writable_roots = [%q]\n", root)
		}
		text += "[projects.\"/srv\"]\ntrust_level = \"trusted\"\n[mcp_servers.srv]\ndisabled_tools = [\"del\"]\n"
		refused := permissions.Ask
		if approval == "never" {
			refused = permissions.Deny
		}
		return source{"config.toml", text, func(c call) (permissions.Verdict, bool) {
			switch {
			case c.kind == "write":
				may := strings.HasPrefix(c.what, "/ws/") || root != "" && strings.HasPrefix(c.what, "/home/dev/notes/")
				if sandbox == "workspace-write" && may && approval != "untrusted" {
					return permissions.Allow, true
				}
				return refused, true
			case c.kind == "fetch" && sandbox == "workspace-write" && !network:
				return refused, true
			case c.what == "srv/del":
				return permissions.Deny, true
			}
			return permissions.Allow, true
		}}
	})
}

// codexRulesModel: the strictest of the rules that match.
func codexRulesModel() *rapid.Generator[source] {
	return rapid.Custom(func(t *rapid.T) source {
		from := []spec{{`["git"]`, words("git")}, {`["git", "push"]`, words("git push")}, {`["git", ["log", "push"]]`, func(s string) bool { return words("git log")(s) || words("git push")(s) }}, {`["rm", "-rf"]`, words("rm -rf")}, {`["del "]`, is("")}}
		v := verdicts{listOf(t, "forbidden", from), listOf(t, "prompt", from), listOf(t, "allow", from)}
		text := ""
		for decision, list := range map[string][]spec{"forbidden": v.deny, "prompt": v.ask, "allow": v.allow} {
			text += strings.Join(texts(list, "prefix_rule(pattern=%s, decision=\""+decision+"\")\n"), "")
		}
		return source{"default.rules", text, func(c call) (permissions.Verdict, bool) {
			return v.decide(strings.Join(strings.Fields(c.what), " "), permissions.Ask), c.kind == "command"
		}}
	})
}

// geminiModel: what is excluded before what is allowed.
func geminiModel() *rapid.Generator[source] {
	both := func(s string) string { return strings.ReplaceAll(s, "/", "_") }
	return rapid.Custom(func(t *rapid.T) source {
		from := map[string][]spec{
			"command": {{"run_shell_command(git)", words("git")}, {"run_shell_command(git push)", words("git push")}, {"run_shell_command(rm -rf)", words("rm -rf")}, {"run_shell_command", prefix("")}, {"run_shell_command()", is("-")}, {"run_shell_command(git", is("-")}},
			"fetch":   {{"web_fetch", prefix("")}},
			"mcp": {
				{"mcp_srv_note", func(s string) bool { return both(s) == "srv_note" }}, {"mcp_my_srv_note", func(s string) bool { return both(s) == "my_srv_note" }},
				{"mcp_srv_del ", is("-")}, {"srv__note", is("srv/note")}, {"mcp_srv", is("-")},
			},
		}
		by := map[string]verdicts{}
		var exclude, allowed []string
		for kind, specs := range from {
			v := verdicts{deny: listOf(t, "exclude "+kind, specs), allow: listOf(t, "allowed "+kind, specs)}
			by[kind] = v
			exclude, allowed = append(exclude, texts(v.deny, "%s")...), append(allowed, texts(v.allow, "%s")...)
		}
		text := asJSON(map[string]any{"tools": map[string]any{"exclude": exclude, "allowed": allowed}, "general": map[string]any{"defaultApprovalMode": "auto_edit"}})
		return source{"settings.json", text, func(c call) (permissions.Verdict, bool) {
			v, ruled := by[c.kind]
			got := v.decide(c.what, permissions.Ask)
			return got, ruled && (c.kind != "fetch" || got == permissions.Deny)
		}}
	})
}

// opencodeModel: the last pattern that matches wins, else everything is allowed.
func opencodeModel() *rapid.Generator[source] {
	type rule struct {
		spec
		word string
	}
	from := map[string][]spec{
		"command": {{"*", prefix("")}, {"git *", wild("git *")}, {"git push*", wild("git push*")}, {"git push", is("git push")}, {"rm -rf *", wild("rm -rf *")}, {"rm*", wild("rm*")}, {"del ", is("del ")}},
		"read":    {{"*", prefix("")}, {"*.env", wild("*.env")}, {"docs/[a].md", is("/ws/docs/[a].md")}, {"src/*", prefix("/ws/src/")}, {"src/gen/*", prefix("/ws/src/gen/")}},
		"write":   {{"*", prefix("")}, {"*.env", wild("*.env")}, {"docs/[a].md", is("/ws/docs/[a].md")}, {"src/*", prefix("/ws/src/")}, {"src/*.go", wild("/ws/src/*.go")}, {"a.go", is("/ws/a.go")}},
		"fetch":   {{"*", prefix("")}},
	}
	mcp := []spec{{"srv_note", is("srv_note")}, {"srv_*", prefix("srv_")}, {"my_srv_note", is("my_srv_note")}, {"srv_del*", prefix("srv_del")}, {"srv_del ", is("-")}, {"*_note", wild("*_note")}}
	word := rapid.SampledFrom([]string{"allow", "ask", "deny"})
	meaning := map[string]permissions.Verdict{"allow": permissions.Allow, "ask": permissions.Ask, "deny": permissions.Deny}
	return rapid.Custom(func(t *rapid.T) source {
		draw := func(name string, specs []spec) []rule {
			var out []rule
			seen := map[string]bool{}
			for _, s := range listOf(t, name, specs) {
				if !seen[s.text] {
					seen[s.text] = true
					out = append(out, rule{s, word.Draw(t, name)})
				}
			}
			return out
		}
		object := func(list []rule) string {
			var members []string
			for _, r := range list {
				members = append(members, asJSON(r.text)+":"+asJSON(r.word))
			}
			return "{" + strings.Join(members, ",") + "}"
		}
		by := map[string][]rule{}
		var members []string
		for kind, key := range map[string]string{"command": "bash", "read": "read", "write": "edit", "fetch": "webfetch"} {
			by[kind] = draw(kind, from[kind])
			members = append(members, asJSON(key)+":"+object(by[kind]))
		}
		by["mcp"] = draw("mcp", mcp)
		for _, r := range by["mcp"] {
			members = append(members, asJSON(r.text)+":"+asJSON(r.word))
		}
		outside := rapid.SampledFrom([]string{"ask", "deny"}).Draw(t, "outside")
		text := `{"mcp":{"srv":{},"my_srv":{}},"permission":{"external_directory":"` + outside + `",` + strings.Join(members, ",") + `}}`
		return source{"opencode.json", text, func(c call) (permissions.Verdict, bool) {
			what, got, ruled := c.what, permissions.Allow, false
			if c.kind == "mcp" {
				what = strings.ReplaceAll(what, "/", "_")
			}
			for _, r := range by[c.kind] {
				if r.hits(what) {
					got, ruled = meaning[r.word], true
				}
			}
			if (c.kind == "read" || c.kind == "write") && !strings.HasPrefix(what, "/ws/") {
				if v := meaning[outside]; strictness(v) > strictness(got) {
					got, ruled = v, true
				}
			}
			return got, ruled
		}}
	})
}
