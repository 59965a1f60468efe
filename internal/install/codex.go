package install

import (
	"path/filepath"
	"strings"
)

const codexName = "codex"

func codex() agent {
	return agent{
		name: codexName, title: "OpenAI Codex", programs: []string{"codex"}, folder: codexHome,
		scopes: []Scope{User, Project, Managed}, targets: codexTargets,
		guarded: seconds(codexName),
		events:  []string{"PreToolUse", "PermissionRequest"},
		probes: func(p Places) []probe {
			call := func(event, command string) any {
				return map[string]any{
					"session_id": proofSession, "turn_id": "proof", "cwd": p.Cwd, "hook_event_name": event, "model": "proof", "permission_mode": "default",
					"tool_name": "Bash", "tool_input": map[string]any{"command": command}, "tool_use_id": "call_proof",
				}
			}
			return []probe{
				denied("PreToolUse", call("PreToolUse", p.forbidden())), passed("PreToolUse", call("PreToolUse", Harmless)), broken("PreToolUse"),
				denied("PermissionRequest", call("PermissionRequest", p.forbidden())),
			}
		},
		read: readCodex,
		off: func(p Places) []string {
			var out []string
			for _, file := range []string{under(codexHome(p), "config.toml"), p.project(".codex", "config.toml")} {
				if codexSwitchedOff(file) {
					out = append(out, file+" says features.hooks = false: Codex runs no hooks here; [features] hooks = true in /etc/codex/requirements.toml prevents that (mayi install codex --scope managed)")
				}
			}
			return out
		},
		confirm: codexConfirm,
		blind: []string{
			"write_stdin reaches no hook: what the model types into a program that is running already is not seen. So no rule allows an interactive interpreter; it is asked about, and whoever lets one start has let in what is typed into it.",
			"A hook that is not trusted is skipped in silence. `mayi install codex` writes the trust, `mayi doctor` asks Codex for it again: any change of the entry, or of its place in hooks.json, ends it.",
			"The .codex/config.toml of a trusted project can say features.hooks = false and switches off all hooks. The managed scope prevents that.",
			"Past its time limit, or killed together with its shell, a hook lets the call through. mayi answers before, and the installed command line ends a mayi that hangs, where the machine has `timeout`.",
		},
	}
}

func codexHome(p Places) string { return p.env("CODEX_HOME", p.home(".codex")) }

func codexTargets(p Places, s Scope) []target {
	if s == Managed {
		return []target{{file: under(p.Etc, "codex", "requirements.toml"), edit: codexManaged{p.command(codexName, seconds(codexName))}}}
	}
	file := under(codexHome(p), "hooks.json")
	if s == Project {
		file = p.project(".codex", "hooks.json")
	}
	hooks := entries{codexName, []entry{
		hooked("PreToolUse", codexGroup(p)), hooked("PermissionRequest", codexGroup(p)),
	}}
	return []target{{file: file, edit: hooks}, {file: under(codexHome(p), "config.toml"), edit: codexTrust{p: p, hooksFile: file, hooks: hooks}}}
}

func codexGroup(p Places) hookGroup {
	return hookGroup{"*", []commandHook{{Type: "command", Command: p.command(codexName, seconds(codexName)), Timeout: seconds(codexName)}}}
}

// codexSwitchedOff reports whether a config.toml says features.hooks = false.
func codexSwitchedOff(file string) bool {
	text, _, err := readFile(file)
	if err != nil || text == nil {
		return false
	}
	t, err := parseTOML(file, text)
	return err == nil && t.get([]string{"features"}, "hooks") == false
}

// codexManaged are the tables for requirements.toml. Hooks that stand there are
// trusted, and hooks = true keeps a project from switching them off.
type codexManaged struct{ command string }

const codexMark = "# Written by mayi install codex; mayi uninstall codex --scope managed takes it out."

func (m codexManaged) block() string {
	var b strings.Builder
	b.WriteString(codexMark + "\n")
	for _, event := range []string{"PreToolUse", "PermissionRequest"} {
		b.WriteString("[[hooks." + event + "]]\nmatcher = \"*\"\n")
		b.WriteString("[[hooks." + event + ".hooks]]\ntype = \"command\"\ncommand = " + tomlString(m.command) + "\ntimeout = " + itoa(seconds(codexName)) + "\n")
	}
	return b.String()
}

func (m codexManaged) put(file string, text []byte, u *undo) ([]byte, error) {
	text, err := m.cut(file, text)
	if err != nil {
		return nil, err
	}
	t, err := parseTOML(file, text)
	if err != nil {
		return nil, err
	}
	if t.get([]string{"features"}, "hooks") == nil {
		u.Keys = append(u.Keys, "features.hooks")
	}
	if err := t.set(tomlKey{[]string{"features"}, "hooks", true}); err != nil {
		return nil, err
	}
	if err := t.add(m.block()); err != nil {
		return nil, err
	}
	return t.text, nil
}

func (m codexManaged) take(file string, text []byte, u undo) ([]byte, bool, error) {
	text, err := m.cut(file, text)
	if err != nil {
		return nil, false, err
	}
	t, err := parseTOML(file, text)
	if err != nil {
		return nil, false, err
	}
	if len(u.Keys) > 0 {
		if err := t.unset(tomlKey{[]string{"features"}, "hooks", true}); err != nil {
			return nil, false, err
		}
	}
	return t.text, strings.TrimSpace(string(t.text)) == "", nil
}

// cut takes the block out, as it was written: from its mark to the end of the
// last line that is of mayi's making.
func (m codexManaged) cut(file string, text []byte) ([]byte, error) {
	before, rest, found := strings.Cut(string(text), codexMark)
	if !found {
		return text, nil
	}
	lines := strings.SplitAfter(rest, "\n")
	n := 1
	for n < len(lines) && m.line(strings.TrimSpace(lines[n])) {
		n++
	}
	out := []byte(strings.TrimSuffix(before, "\n"))
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	out = append(out, strings.Join(lines[n:], "")...)
	if _, err := parseTOML(file, out); err != nil {
		return nil, err
	}
	return out, nil
}

func (m codexManaged) line(s string) bool {
	return strings.HasPrefix(s, "[[hooks.PreToolUse") || strings.HasPrefix(s, "[[hooks.PermissionRequest") ||
		s == `matcher = "*"` || s == `type = "command"` || strings.HasPrefix(s, "timeout = ") ||
		strings.HasPrefix(s, "command = ") && hookCall(codexName).MatchString(s)
}

func (m codexManaged) commands(file string, text []byte) ([]string, error) {
	t, err := parseTOML(file, text)
	if err != nil {
		return nil, err
	}
	var out []string
	hooks, _ := t.tree["hooks"].(map[string]any)
	for _, event := range []string{"PreToolUse", "PermissionRequest"} {
		groups, _ := hooks[event].([]any)
		for _, g := range groups {
			group, _ := g.(map[string]any)
			inner, _ := group["hooks"].([]any)
			for _, h := range inner {
				hook, _ := h.(map[string]any)
				if c, ok := hook["command"].(string); ok && hookCall(codexName).MatchString(c) {
					out = append(out, c)
				}
			}
		}
	}
	return out, nil
}

// under joins, and is "" where there is no folder to begin with.
func under(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}
