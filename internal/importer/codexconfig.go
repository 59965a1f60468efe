package importer

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"mayi/pkg/permissions"
)

// codexFile is what of Codex's config.toml and requirements.toml is looked at.
type codexFile struct {
	codexProfile
	Profile   string
	Profiles  map[string]codexProfile
	Workspace struct {
		Network  bool     `toml:"network_access"`
		Writable []string `toml:"writable_roots"`
	} `toml:"sandbox_workspace_write"`
	Projects map[string]struct {
		Trust string `toml:"trust_level"`
	}
	Servers map[string]struct {
		Enabled  []string `toml:"enabled_tools"`
		Disabled []string `toml:"disabled_tools"`
	} `toml:"mcp_servers"`
	// Policies, Modes and Rules are those of requirements.toml.
	Policies []any    `toml:"allowed_approval_policies"`
	Modes    []string `toml:"allowed_sandbox_modes"`
	Rules    struct {
		Prefixes []struct {
			Pattern []struct {
				Token string
				AnyOf []string `toml:"any_of"`
			}
			Decision string
		} `toml:"prefix_rules"`
	}
}

// codexProfile is what a profile sets in place of the file itself.
type codexProfile struct {
	Approval any    `toml:"approval_policy"`
	Sandbox  string `toml:"sandbox_mode"`
}

// codexTOML reads a config.toml or a requirements.toml of Codex.
func (p *Policy) codexTOML(s Source) error {
	var f codexFile
	var raw map[string]any
	for _, into := range []any{&f, &raw} {
		if err := toml.Unmarshal(s.Text, into); err != nil {
			return fmt.Errorf("%s cannot be read: %w", s.File, err)
		}
	}
	now := f.codexProfile
	for _, name := range slices.Sorted(maps.Keys(f.Profiles)) {
		if name != f.Profile {
			p.leave("profiles."+name, "it holds where it is chosen alone", false)
			continue
		}
		if one := f.Profiles[name]; one.Approval != nil {
			now.Approval = one.Approval
		}
		if one := f.Profiles[name]; one.Sandbox != "" {
			now.Sandbox = one.Sandbox
		}
	}
	p.codexApproval(now.Approval)
	p.codexSandbox(now, &f)
	p.codexProjects(&f)
	for _, name := range slices.Sorted(maps.Keys(f.Servers)) {
		for _, tool := range f.Servers[name].Disabled {
			p.server(permissions.ActionDeny, name, tool, "mcp_servers."+name+".disabled_tools: "+tool, "")
		}
		if len(f.Servers[name].Enabled) > 0 {
			p.leave("mcp_servers."+name+".enabled_tools", "it hides the server's other tools; mayi asks about them", true)
		}
	}
	if filepath.Base(s.File) == "requirements.toml" {
		p.codexRequirements(&f, raw)
	}
	for _, key := range []string{"permissions", "default_permissions"} {
		if raw[key] != nil {
			p.leave(key, "what these profiles refuse is not known here", true)
		}
	}
	return nil
}

// codexApproval takes over who is asked.
func (p *Policy) codexApproval(policy any) {
	from := fmt.Sprintf("approval_policy: %v", policy)
	switch policy {
	case nil:
	case "untrusted":
		p.add(permissions.ActionAsk, "write(**)", from, "every edit is asked about, and whatever else writes in the workspace")
	case "on-request", "on-failure":
		p.leave(from, "mayi asks by its rules, and before something runs", false)
	case "never":
		p.refuses(from)
	default:
		// Which questions are refused does not matter: all of them are.
		p.refuses(from)
		p.leave(from, "mayi's rules do not tell these questions apart: what would be asked is refused", false)
	}
}

// refuses takes over that nobody is asked.
func (p *Policy) refuses(from string) {
	p.nobody, p.RefuseOutside = true, true
	p.leave(from, "what leads out of the workspace is refused, and what the rules would ask about; a command that no rule covers is still asked about, where Codex runs it confined", false)
}

// codexSandbox takes over what may be written and reached.
func (p *Policy) codexSandbox(now codexProfile, f *codexFile) {
	from := "sandbox_mode: " + now.Sandbox
	switch now.Sandbox {
	case "read-only":
		p.plan()
	case "workspace-write":
		if !f.Workspace.Network {
			p.add(permissions.ActionAsk, "fetch(*)", "sandbox_workspace_write.network_access: false", "every host is asked about")
		}
	case "danger-full-access":
		p.leave(from, "mayi has no mode without limits", false)
	case "":
	default:
		p.leave(from, "the mode is not known", true)
	}
	for _, dir := range f.Workspace.Writable {
		from := "sandbox_workspace_write.writable_roots: " + dir
		switch {
		case now.Sandbox != "workspace-write" || now.Approval == "untrusted":
			p.leave(from, "it may be written in the mode workspace-write alone, where not everything is asked about", false)
		case strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~/"):
			p.folder(strings.TrimSuffix(dir, "/"), true, from)
		default:
			p.leave(from, "it is relative to where Codex is started", false)
		}
	}
}

// codexProjects takes over that the edits in a project are asked about. What a
// trusted one may do beyond that is for mayi's own trust.
func (p *Policy) codexProjects(f *codexFile) {
	for _, dir := range slices.Sorted(maps.Keys(f.Projects)) {
		from := "projects." + dir + ".trust_level: " + f.Projects[dir].Trust
		switch {
		case f.Projects[dir].Trust == "trusted":
			p.leave(from, "mayi trusts a project's settings by themselves: look at them there and run mayi trust", false)
		case strings.HasPrefix(dir, "/"):
			p.path(permissions.ActionAsk, "write", strings.TrimSuffix(dir, "/")+"/**", from)
		default:
			p.leave(from, "its folder is not absolute", true)
		}
	}
}

// codexRequirements takes over what a machine's owner demands.
func (p *Policy) codexRequirements(f *codexFile, raw map[string]any) {
	if f.Modes != nil && !slices.Contains(f.Modes, "workspace-write") && !slices.Contains(f.Modes, "danger-full-access") {
		p.plan()
	}
	if f.Policies != nil && !slices.ContainsFunc(f.Policies, func(one any) bool { return one == "on-request" || one == "on-failure" || one == "never" }) {
		p.codexApproval("untrusted")
	}
	for i, r := range f.Rules.Prefixes {
		var words [][]string
		for _, one := range r.Pattern {
			if words = append(words, one.AnyOf); one.Token != "" {
				words[len(words)-1] = []string{one.Token}
			}
		}
		p.prefixes(words, r.Decision, fmt.Sprintf("rules.prefix_rules %d", i+1))
	}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		switch key {
		case "allowed_sandbox_modes", "allowed_approval_policies", "rules", "features", "hooks", "permissions", "default_permissions":
		default:
			p.leave(key, "what is demanded here has no counterpart in mayi", true)
		}
	}
}
