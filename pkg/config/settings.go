package config

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// Settings is the one value that all layers come to. It is made by [Load] and
// not changed afterwards; concurrent readers are fine.
type Settings struct {
	ExecutionMode, MaxExecutionMode permissions.Mode
	DangerouslySkipPermissions      bool
	AllowNonWorkspaceAccess         bool
	AskNonWorkspaceAccess           bool
	ReadOnlyShell                   bool
	// WorkspacePaths and TrustedWorkspaces are absolute; ReadPaths, WritePaths
	// and ProtectedPaths are as written.
	WorkspacePaths, TrustedWorkspaces []string
	ReadPaths, WritePaths             []string
	ProtectedPaths                    []string
	Network                           permissions.Network
	NetworkAllowHosts                 []string
	NetworkInPlanMode                 bool
	// Deny, Ask and Allow are the rules, each with its source.
	Deny, Ask, Allow []permissions.Rule
	// AllowConfined are the allow rules that count where a command runs confined.
	AllowConfined     []permissions.Rule
	RemoteDefaultMode permissions.Mode
	RemoteMaxMode     permissions.Mode
	// Sandbox is "required", "auto" or "off".
	Sandbox        string
	TrustedServers []string
	Tools          ToolsConfig
	Hooks          HooksConfig
	// Commands are a user's entries for the knowledge base, by program, as JSON.
	Commands map[string]json.RawMessage

	// Problems are what is wrong; while there are any the policy is broken.
	// Notices are worth telling and break nothing.
	Problems Problems
	Notices  []Notice
	// Sources says where each key's value was written, by its dotted name.
	// Defaults have no entry; lists that add up have that of the last layer.
	Sources map[string]permissions.Source

	opts     Options
	ceilings ceilings
	// replaced are allow lists that a later layer's list stands in for.
	replaced []Notice
}

// ToolsConfig are the settings of the tools.
type ToolsConfig struct {
	Exec ExecConfig
	// Effects are an operator's declarations for foreign tools, by
	// "server.tool".
	Effects map[string][]permissions.Kind
}

// IsToolEnabled reports whether a built-in tool is offered: all are but exec,
// which can be switched off, and request_permission, which goes with it.
func (t ToolsConfig) IsToolEnabled(name string) bool {
	switch name {
	case "exec", "bash", "request_permission":
		return t.Exec.Enabled
	}
	return true
}

// HooksConfig are the settings of the agents' hooks.
type HooksConfig struct {
	// Confine: an allowed command of an agent whose hooks may change it runs
	// confined. It counts only where Sandbox is not "off".
	Confine bool
	// Notify: a question that waits is told on the desktop.
	Notify bool
	// GeminiPrompt: Gemini CLI asks in its own terminal.
	GeminiPrompt bool
	// Ask says where questions are asked: [AskQueue], [AskAuto] or [AskPrompt],
	// and AskIn what counts instead for the agent of that name.
	Ask   string
	AskIn map[string]string
}

// Asking says where the agent's questions are asked; on the queue where nothing
// is set.
func (h HooksConfig) Asking(agent string) string {
	if in := h.AskIn[agent]; in != "" {
		return in
	}
	if h.Ask != "" {
		return h.Ask
	}
	return AskQueue
}

// ExecConfig are the settings of the tool that runs shell commands.
type ExecConfig struct {
	Enabled            bool
	AskPermission      bool
	EnableDenyPatterns bool
	// CustomDenyPatterns and CustomAllowPatterns are regular expressions (RE2).
	CustomDenyPatterns  []string
	CustomAllowPatterns []string
	AllowRemote         bool
	// TimeoutSeconds is how long a command may run.
	TimeoutSeconds int
}

// ceilings are the modes that the managed file does not let anybody pass.
type ceilings map[string]permissions.Mode

// Options returns where the settings came from, completed.
func (s *Settings) Options() Options { return s.opts }

// Policy is what the decision needs of the settings.
func (s *Settings) Policy() permissions.Policy {
	p := permissions.Policy{
		Mode:            s.ExecutionMode,
		MaxMode:         s.MaxExecutionMode,
		SkipPermissions: s.DangerouslySkipPermissions,
		AllowOutside:    s.AllowNonWorkspaceAccess,
		AskOutside:      s.AskNonWorkspaceAccess,
		AskExec:         s.Tools.Exec.AskPermission,
		ExecEnabled:     s.Tools.Exec.Enabled,
		ExecRemote:      s.Tools.Exec.AllowRemote,
		ReadOnlyShell:   s.ReadOnlyShell,
		Network:         s.Network,
		NetworkHosts:    append([]string(nil), s.NetworkAllowHosts...),
		NetworkInPlan:   s.NetworkInPlanMode,
		ToolEffects:     s.Tools.Effects,
		Workspace:       s.roots(),
		Home:            s.opts.Home,
		RemoteDefault:   s.RemoteDefaultMode,
		RemoteMax:       s.RemoteMaxMode,
		Confined:        append([]permissions.Rule(nil), s.AllowConfined...),
	}
	for _, rules := range [][]permissions.Rule{s.Deny, s.Ask, s.Allow} {
		p.Rules = append(p.Rules, rules...)
	}
	for _, pr := range s.Problems {
		p.Broken = append(p.Broken, pr.Error())
	}
	return p
}

// Warnings are the notices together with the rules that can never matter, or do
// not count here because another layer has a list of its own. It
// compares the rules with one another, so it is for showing settings, not for
// deciding a call.
func (s *Settings) Warnings() []Notice {
	out := append(append([]Notice(nil), s.Notices...), s.replaced...)
	for _, sh := range permissions.Shadowed(s.Policy().Rules) {
		src := sh.Rule.Source
		out = append(out, Notice{src.File, src.Line, src.Col, sh.Warning()})
	}
	return out
}

// roots are the workspace's canonical roots.
func (s *Settings) roots() []string {
	var out []string
	for _, p := range s.WorkspacePaths {
		if real, err := workspace.Canonical(p); err == nil {
			out = append(out, real)
		}
	}
	return out
}

// Workspace is the boundary that the settings draw.
func (s *Settings) Workspace() *workspace.Workspace {
	return workspace.New(workspace.Config{
		Roots:      s.WorkspacePaths,
		Trusted:    s.TrustedWorkspaces,
		ReadPaths:  s.ReadPaths,
		WritePaths: s.WritePaths,
		Protected:  s.ProtectedPaths,
		Own:        s.Own(),
		Home:       s.opts.Home,
		Cwd:        s.opts.Cwd,
	})
}

// Own are mayi's own files and folders, which no agent may write.
func (s *Settings) Own() []string {
	out := []string{filepath.Dir(ManagedFile)}
	for _, file := range []string{s.opts.ManagedFile, s.opts.UserFile, s.opts.ProjectFile} {
		if dir := filepath.Dir(file); file != "" && dir != "/" {
			// A file that lies in a folder of its own protects the folder.
			if name := filepath.Base(dir); name == "mayi" || name == ".mayi" {
				file = dir
			}
			out = append(out, file)
		}
	}
	if s.opts.StateDir != "" {
		out = append(out, s.opts.StateDir)
	}
	for _, root := range s.WorkspacePaths {
		out = append(out, filepath.Join(root, ".mayi"))
	}
	return out
}

// absolute makes a configured path absolute: "~/" is the home, everything else
// is relative to the workspace.
func (s *Settings) absolute(p string) string {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		if s.opts.Home != "" {
			return s.opts.Home + p[1:]
		}
		return p
	case filepath.IsAbs(p) || s.opts.Workspace == "":
		return p
	}
	return filepath.Join(s.opts.Workspace, p)
}
