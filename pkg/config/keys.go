package config

import (
	"slices"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// keys returns every documented setting with a fixed name. Two more have a part
// that varies: tools.<server.tool>.effects and commands.<program>.
func keys() []key { return slices.Concat(keyLists()...) }

// keyLists are the keys as they are listed below.
func keyLists() [][]key { return [][]key{decisionKeys(), placeKeys(), toolKeys(), hookKeys()} }

func decisionKeys() []key {
	return []key{
		choice("executionMode", permissions.AcceptEdits, modes(), func(s *Settings) *permissions.Mode { return &s.ExecutionMode },
			"How much an agent may do without being asked: plan (look only), accept-edits (edit files in the workspace, run what the rules allow), auto (everything that no rule denies)."),
		ceiling("maxExecutionMode", func(s *Settings) *permissions.Mode { return &s.MaxExecutionMode },
			func(*Settings) permissions.Mode { return permissions.Auto },
			"The highest mode that may be chosen. What the managed file sets here cannot be passed."),
		flag("dangerouslySkipPermissions", false, false, func(s *Settings) *bool { return &s.DangerouslySkipPermissions },
			"Approve without asking. Deny rules, the network policy and the workspace boundary still hold; it counts for nothing below mode auto or for remote callers."),
		rules("permissions.deny", permissions.ActionDeny, func(s *Settings) *[]permissions.Rule { return &s.Deny },
			"Rules whose matches are refused in every mode. They add up over all layers."),
		rules("permissions.ask", permissions.ActionAsk, func(s *Settings) *[]permissions.Rule { return &s.Ask },
			"Rules whose matches are asked about. They add up over all layers."),
		rules("permissions.allow", permissions.ActionAllow, func(s *Settings) *[]permissions.Rule { return &s.Allow },
			"Rules whose matches need no question in accept-edits. The last layer that sets the list wins."),
		commandRules("permissions.allowConfined", func(s *Settings) *[]permissions.Rule { return &s.AllowConfined },
			"Rules for commands whose matches need no question where they run confined, and are asked about where they do not. The last layer that sets the list wins."),
		choice("network", permissions.NetworkAllow, []string{"deny", "allowlist", "allow"}, func(s *Settings) *permissions.Network { return &s.Network },
			"The network policy: allow, allowlist (only networkAllowHosts) or deny."),
		list("networkAllowHosts", "host", func(s *Settings) *[]string { return &s.NetworkAllowHosts }, coversHost, checkHost,
			"Hosts that network \"allowlist\" lets through, each with its subdomains."),
		flag("network_in_plan_mode", true, false, func(s *Settings) *bool { return &s.NetworkInPlanMode },
			"Whether plan mode may read from the network."),
		flag("readOnlyShell", false, false, func(s *Settings) *bool { return &s.ReadOnlyShell },
			"Count a shell command whose whole effect is shown to be reading inside the workspace as a read, which needs no rule."),
		choice("remote_default_mode", permissions.Plan, modes(), func(s *Settings) *permissions.Mode { return &s.RemoteDefaultMode },
			"The mode of a remote caller that asks for none."),
		ceiling("remote_max_mode", func(s *Settings) *permissions.Mode { return &s.RemoteMaxMode },
			func(s *Settings) permissions.Mode { return s.RemoteDefaultMode },
			"The highest mode that a remote caller may ask for; remote_default_mode where it is not set."),
		choice("sandbox", "auto", []string{"required", "auto", "off"}, func(s *Settings) *string { return &s.Sandbox },
			"Whether commands run confined: required (or not at all), auto (as far as this machine can), off."),
	}
}

func placeKeys() []key {
	return []key{
		places("workspacePaths", func(s *Settings) *[]string { return &s.WorkspacePaths },
			"The folders of the workspace; the workspace's root where it is not set. An empty list puts everything outside."),
		places("trustedWorkspaces", func(s *Settings) *[]string { return &s.TrustedWorkspaces },
			"Further folders that are treated like the workspace."),
		flag("allowNonWorkspaceAccess", false, false, func(s *Settings) *bool { return &s.AllowNonWorkspaceAccess },
			"Lift the confinement to the workspace."),
		flag("askNonWorkspaceAccess", false, false, func(s *Settings) *bool { return &s.AskNonWorkspaceAccess },
			"Let a person lift the file tools' confinement, path by path."),
		list("readPaths", "path", func(s *Settings) *[]string { return &s.ReadPaths }, exactly, checkPath,
			"Paths or globs outside the workspace that may always be read."),
		list("writePaths", "path", func(s *Settings) *[]string { return &s.WritePaths }, exactly, checkPath,
			"Paths or globs outside the workspace that may always be read and written."),
		sum("protectedPaths", "glob", func(s *Settings) *[]string { return &s.ProtectedPaths }, checkGuard,
			"Globs of files whose writing is always asked about, besides the built-in list. They add up over all layers."),
	}
}

func toolKeys() []key {
	exec := func(s *Settings) *ExecConfig { return &s.Tools.Exec }
	seconds := key{path: "tools.exec.timeout_seconds", kind: intKind, low: 1, high: 86_400, dflt: 60,
		doc: "How many seconds a command may run.",
		put: func(s *Settings, v value, l *layer) bool {
			if !l.trusted && v.int > exec(s).TimeoutSeconds {
				return false
			}
			exec(s).TimeoutSeconds = v.int
			return true
		},
		get: func(s *Settings) any { return exec(s).TimeoutSeconds },
	}
	return []key{
		flag("tools.exec.enabled", true, false, func(s *Settings) *bool { return &exec(s).Enabled },
			"Offer the tool that runs shell commands."),
		flag("tools.exec.ask_permission", true, false, func(s *Settings) *bool { return &exec(s).AskPermission },
			"Ask about a command's paths outside the workspace; without it they are refused."),
		flag("tools.exec.enable_deny_patterns", true, true, func(s *Settings) *bool { return &exec(s).EnableDenyPatterns },
			"Refuse commands that match the built-in deny patterns."),
		sum("tools.exec.custom_deny_patterns", "regexp", func(s *Settings) *[]string { return &exec(s).CustomDenyPatterns }, checkRegexp,
			"Regular expressions of commands to refuse. They add up over all layers."),
		list("tools.exec.custom_allow_patterns", "regexp", func(s *Settings) *[]string { return &exec(s).CustomAllowPatterns }, exactly, checkRegexp,
			"Regular expressions of commands that the built-in deny patterns let through."),
		flag("tools.exec.allow_remote", true, false, func(s *Settings) *bool { return &exec(s).AllowRemote },
			"Let remote callers run commands."),
		seconds,
		list("trustedServers", "server", func(s *Settings) *[]string { return &s.TrustedServers }, exactly, checkText,
			"MCP servers whose own declarations may loosen a decision. No declaration of a server is read yet, so it has no effect."),
	}
}

func hookKeys() []key {
	out := []key{
		flag("hooks.confine", true, true, func(s *Settings) *bool { return &s.Hooks.Confine },
			"Let an agent's allowed commands run confined, where its hooks may change a command. sandbox \"off\" switches it off as well."),
		flag("hooks.notify", true, true, func(s *Settings) *bool { return &s.Hooks.Notify },
			"Tell of a question that waits for mayi approvals on the desktop."),
		flag("hooks.gemini_prompt", false, false, func(s *Settings) *bool { return &s.Hooks.GeminiPrompt },
			"Let Gemini CLI ask in its own terminal. Only where somebody sits in front of it: else it waits for ever."),
		choice("hooks.ask", AskAuto, askWords(), func(s *Settings) *string { return &s.Hooks.Ask },
			"Where an agent's questions are asked: prompt (by the agent itself, where it can), queue (mayi approvals), auto (by the agent where somebody sits in front of it, else on the queue)."),
	}
	for _, name := range promptingAgents() {
		out = append(out, askKey(name))
	}
	return out
}

// The values of hooks.ask.
const (
	AskQueue  = "queue"
	AskAuto   = "auto"
	AskPrompt = "prompt"
)

func askWords() []string { return []string{AskQueue, AskAuto, AskPrompt} }

// promptingAgents are the agents that can ask a person by themselves when a hook
// tells them to.
func promptingAgents() []string {
	return []string{"claude-code", "cursor", "copilot", "qwen", "gemini"}
}

// askKey is hooks.ask for one agent.
func askKey(name string) key {
	return key{path: "hooks." + name + ".ask", kind: wordKind, words: askWords(),
		doc: "What hooks.ask says, for " + name + " alone.",
		put: func(s *Settings, v value, l *layer) bool {
			if words := askWords(); !l.trusted && index(words, v.word) > index(words, s.Hooks.Asking(name)) {
				return false
			}
			if s.Hooks.AskIn == nil {
				s.Hooks.AskIn = map[string]string{}
			}
			s.Hooks.AskIn[name] = v.word
			return true
		},
		get: func(s *Settings) any {
			if in := s.Hooks.AskIn[name]; in != "" {
				return in
			}
			return nil // what hooks.ask says
		},
	}
}

// places is a list of folders; they are kept absolute.
func places(path string, at func(*Settings) *[]string, doc string) key {
	covered := func(now []string, text string) bool {
		for _, n := range now {
			if workspace.Within(text, n) {
				return true
			}
		}
		return false
	}
	k := list(path, "path", at, covered, checkPath, doc)
	put := k.put
	k.put = func(s *Settings, v value, l *layer) bool {
		abs := value{items: make([]item, len(v.items))}
		for i, it := range v.items {
			abs.items[i] = item{s.absolute(it.text), it.src}
		}
		return put(s, abs, l)
	}
	return k
}

// defaults are the settings without any file.
func defaults(o Options) *Settings {
	s := &Settings{
		ExecutionMode:     permissions.AcceptEdits,
		Network:           permissions.NetworkAllow,
		NetworkInPlanMode: true,
		RemoteDefaultMode: permissions.Plan,
		Sandbox:           "auto",
		Tools: ToolsConfig{Exec: ExecConfig{
			Enabled: true, AskPermission: true, EnableDenyPatterns: true, AllowRemote: true, TimeoutSeconds: 60,
		}},
		Hooks:    HooksConfig{Confine: true, Notify: true, Ask: AskAuto},
		Sources:  map[string]permissions.Source{},
		opts:     o,
		ceilings: ceilings{},
	}
	if o.Workspace != "" {
		s.WorkspacePaths = []string{o.Workspace}
	}
	return s
}
