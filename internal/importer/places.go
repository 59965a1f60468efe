package importer

import (
	"path/filepath"
	"slices"

	"mayi/pkg/permissions"
)

// Scope is where rules hold.
type Scope string

// The scopes. The zero one is a file that somebody named: it is taken as it is.
const (
	Managed Scope = "managed"
	User    Scope = "user"
	Project Scope = "project"
)

// Source is a file of rules.
type Source struct {
	// File is its name, for errors; Text what stands in it.
	File  string
	Text  []byte
	Scope Scope
}

// Place is where an agent keeps rules: a pattern as of [filepath.Glob].
type Place struct {
	Pattern string
	Scope   Scope
}

// Places lists where an agent keeps rules, those first that nobody else can
// loosen. home and root are the person's and the project's folders; "" leaves
// theirs out.
func Places(agent, home, root string) []Place {
	var out []Place
	for _, one := range places(agent) {
		base := map[Scope]string{Managed: "/", User: home, Project: root}[one.Scope]
		if base != "" {
			out = append(out, Place{filepath.Join(base, one.Pattern), one.Scope})
		}
	}
	return out
}

// places are an agent's, by their names below the scope's folder.
func places(agent string) []Place {
	switch agent {
	case "claude-code":
		return []Place{
			{"etc/claude-code/managed-settings.json", Managed}, {"etc/claude-code/managed-settings.d/*.json", Managed},
			{"Library/Application Support/ClaudeCode/managed-settings.json", Managed},
			{".claude/settings.local.json", Project}, {".claude/settings.json", Project},
			{".claude/settings.json", User},
		}
	case "codex":
		return []Place{
			{"etc/codex/requirements.toml", Managed}, {"etc/codex/managed_config.toml", Managed}, {"etc/codex/config.toml", Managed}, {"etc/codex/rules/*.rules", Managed},
			{".codex/config.toml", Project}, {".codex/rules/*.rules", Project},
			{".codex/config.toml", User}, {".codex/rules/*.rules", User},
		}
	case "gemini":
		return []Place{
			{"etc/gemini-cli/settings.json", Managed}, {"etc/gemini-cli/policies/*.toml", Managed},
			{".gemini/settings.json", Project}, {".gemini/policies/*.toml", Project},
			{".gemini/settings.json", User}, {".gemini/policies/*.toml", User},
		}
	case "opencode":
		return []Place{
			{"etc/opencode/opencode.json", Managed}, {"etc/opencode/opencode.jsonc", Managed},
			{"opencode.json", Project}, {"opencode.jsonc", Project}, {".opencode/opencode.json", Project}, {".opencode/opencode.jsonc", Project},
			{".config/opencode/opencode.json", User}, {".config/opencode/opencode.jsonc", User},
		}
	}
	return nil
}

// ScopeOf is the scope of a file that somebody named: that of the place where it
// lies, whoever's project or home it is in.
func ScopeOf(agent, file, home string) Scope {
	for _, one := range Places(agent, home, filepath.Dir(file)) {
		if ok, err := filepath.Match(one.Pattern, file); err == nil && ok && one.Scope != Project {
			return one.Scope
		}
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		for _, one := range Places(agent, "", dir) {
			if ok, err := filepath.Match(one.Pattern, file); err == nil && ok {
				return Project
			}
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// For narrows the policy to what may stand in the settings of a scope: what a
// project allows holds there alone, so that it is left out of a person's own
// settings. "" is for settings of which nothing is known: then it is left out
// where there is something of another scope beside it.
func (p *Policy) For(target Scope) {
	other := func(s Scope) bool { return s != Project }
	mixed := slices.ContainsFunc(p.Entries, func(e Entry) bool { return other(e.scope) }) || slices.ContainsFunc(p.Folders, func(f Folder) bool { return other(f.scope) })
	if target == Project || target == "" && !mixed {
		return
	}
	p.drop(func(s Scope) bool { return s == Project }, "it holds in its project alone: import that file there, with --write project")
}

// drop leaves out what sources of some scopes allow.
func (p *Policy) drop(of func(Scope) bool, why string) {
	p.Entries = slices.DeleteFunc(p.Entries, func(e Entry) bool {
		out := e.Action == permissions.ActionAllow && of(e.scope)
		if out {
			p.Left = append(p.Left, Left{e.From, e.File, why, false})
		}
		return out
	})
	p.Folders = slices.DeleteFunc(p.Folders, func(f Folder) bool {
		out := of(f.scope)
		if out {
			p.Left = append(p.Left, Left{f.From, f.File, why, false})
		}
		return out
	})
}
