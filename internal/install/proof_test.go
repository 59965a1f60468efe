package install_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mayi/internal/install"
)

// right answers a forbidden command with a deny and lets another one pass, in
// each agent's own words; @R is the reason.
var right = map[string]struct{ deny, pass string }{
	"claude-code": {`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@R"}}`, ``},
	"codex":       {`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@R"}}`, ``},
	"gemini":      {`{"decision":"deny","reason":"@R"}`, `{"decision":"allow"}`},
	"qwen":        {`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@R"}}`, ``},
	"cursor":      {`{"permission":"deny","user_message":"@R"}`, `{"permission":"allow"}`},
	"copilot":     {`{"permissionDecision":"deny","permissionDecisionReason":"@R"}`, `{"permissionDecision":"allow"}`},
	"opencode":    {`{"decision":"deny","reason":"@R"}`, `{"decision":"allow"}`},
	"crush":       {`{"version":1,"decision":"deny","reason":"@R"}`, `{"version":1,"decision":"allow"}`},
}

// hookScript is a mayi that answers so.
func hookScript(deny, pass string) string {
	question := `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`
	return `#!/bin/sh
in=$(cat)
case $in in
*PermissionRequest*"rm -rf"*) printf '%s\n' '` + question + `' ;;
*ConfigChange*) printf '%s\n' '{"decision":"block","reason":"no"}' ;;
*"rm -rf"*) ` + deny + ` ;;
*'"command":"true"'*'}') ` + pass + ` ;;
*) ` + deny + ` ;;
esac
`
}

func say(text string) string {
	if text == "" {
		return ":"
	}
	return `printf '%s\n' '` + strings.ReplaceAll(text, "@R", "no") + `'`
}

// proveWith installs for an agent, with a program in the place of mayi.
func proveWith(t *testing.T, name, script string) []install.Proof {
	t.Helper()
	return proveUnder(t, install.Control{}, name, script)
}

func proveUnder(t *testing.T, control install.Control, name, script string) []install.Proof {
	t.Helper()
	m := newMachine(t)
	m.places.Control = control
	m.places.Timeout, _ = exec.LookPath("timeout")
	m.places.Program = m.path("bin/mayi")
	if err := os.WriteFile(m.places.Program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	m.install(name, install.User)
	proofs, err := install.New(m.places).Prove(name, install.User)
	if err != nil {
		t.Fatal(err)
	}
	if len(proofs) < 4 {
		t.Fatalf("only %d proofs: %+v", len(proofs), proofs)
	}
	return proofs
}

// TestProof: the proof holds for a hook that answers as the agent wants it.
func TestProof(t *testing.T) {
	for name, words := range right {
		t.Run(name, func(t *testing.T) {
			if failed := install.Failed(proveWith(t, name, hookScript(say(words.deny), say(words.pass)))); failed != "" {
				t.Error(failed)
			}
		})
	}
}

// TestProofFails: and it fails for every hook that would not stop a call, or
// that would stop all of them.
func TestProofFails(t *testing.T) {
	for name, words := range right {
		deny, pass := say(words.deny), say(words.pass)
		broken := map[string]string{
			"lets all pass":     hookScript(pass, pass),
			"denies everything": hookScript(deny, deny),
			"says nothing":      hookScript(":", pass),
			"unknown word":      hookScript(say(strings.ReplaceAll(words.deny, `"deny"`, `"forbid"`)), pass),
			"two objects":       hookScript(deny+"; "+deny, pass),
			"text in front":     hookScript("echo note; "+deny, pass),
			"breaks off":        hookScript(say(words.deny[:len(words.deny)-2]), pass),
		}
		switch name {
		case "codex":
			broken["no reason"] = hookScript(say(strings.ReplaceAll(words.deny, "@R", "")), pass)
			broken["another key"] = hookScript(say(strings.Replace(words.deny, "{", `{"continue":false,`, 1)), pass)
		case "claude-code":
			// With onFailure it blocks on what it cannot use.
			delete(broken, "unknown word")
		case "opencode":
			for _, blocks := range []string{"says nothing", "unknown word", "two objects", "text in front", "breaks off"} {
				delete(broken, blocks) // the plugin throws
			}
		}
		for what, script := range broken {
			t.Run(name+"/"+what, func(t *testing.T) {
				if install.Failed(proveWith(t, name, script)) == "" {
					t.Error("the proof holds")
				}
			})
		}
	}
}

// TestProofUnderAPolicy: a hook has to say what mayi says, also where that is a
// refusal of everything.
func TestProofUnderAPolicy(t *testing.T) {
	for _, name := range []string{"claude-code", "opencode"} {
		deny, pass := say(right[name].deny), say(right[name].pass)
		for _, c := range []struct {
			what, script string
			control      install.Control
			holds        bool
		}{
			{"refuses as the policy does", hookScript(deny, deny), install.Control{Refusal: "no"}, true},
			{"refuses for another reason", hookScript(deny, deny), install.Control{Refusal: "plan mode"}, false},
			{"lets pass what the policy refuses", hookScript(deny, pass), install.Control{Refusal: "no"}, false},
			{"cannot be tried", hookScript(deny, pass), install.Control{Asks: true}, true},
		} {
			t.Run(name+"/"+c.what, func(t *testing.T) {
				proofs := proveUnder(t, c.control, name, c.script)
				if (install.Failed(proofs) == "") != c.holds {
					t.Errorf("%+v", proofs)
				}
			})
		}
	}
}

// TestPicoclawProof: its hook is one process that stays.
func TestPicoclawProof(t *testing.T) {
	script := func(forbidden, harmless string) string {
		return `#!/bin/sh
while read -r line; do
	case $line in
	*hook.hello*) echo '{"jsonrpc":"2.0","id":1,"result":{"ok":true}}' ;;
	*"rm -rf"*) echo '{"jsonrpc":"2.0","id":2,"result":` + forbidden + `}' ;;
	*'"command":"true"'*) echo '{"jsonrpc":"2.0","id":3,"result":` + harmless + `}' ;;
	*) echo '{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"no"}}' ;;
	esac
done
`
	}
	const yes, no = `{"approved":true}`, `{"approved":false}`
	for _, c := range []struct {
		what, script string
		holds        bool
	}{
		{"right", script(no, yes), true}, {"lets all pass", script(yes, yes), false}, {"denies everything", script(no, no), false},
		{"dies", "#!/bin/sh\nexit 1\n", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := newMachine(t)
			m.places.Program = m.path("bin/mayi")
			m.write("home/.picoclaw/config.json", "{}\n")
			if err := os.WriteFile(m.places.Program, []byte(c.script), 0o755); err != nil {
				t.Fatal(err)
			}
			m.install("picoclaw", install.User)
			proofs, err := install.New(m.places).Prove("picoclaw", install.User)
			if err != nil {
				t.Fatal(err)
			}
			if (install.Failed(proofs) == "") != c.holds {
				t.Errorf("%+v", proofs)
			}
		})
	}
}

// TestCodexMustTrust: a hook that Codex would skip is no hook.
func TestCodexMustTrust(t *testing.T) {
	m := newMachine(t)
	fakeCodex(m)
	m.places.Program = m.path("bin/mayi")
	words := right["codex"]
	if err := os.WriteFile(m.places.Program, []byte(hookScript(say(words.deny), say(words.pass))), 0o755); err != nil {
		t.Fatal(err)
	}
	m.install("codex", install.User)
	i := install.New(m.places)
	proofs, err := i.Prove("codex", install.User)
	if err != nil || install.Failed(proofs) != "" {
		t.Fatalf("%+v, %v", proofs, err)
	}
	m.write("home/.codex/config.toml", "model = \"x\"\n")
	proofs, err = i.Prove("codex", install.User)
	if err != nil || !strings.Contains(install.Failed(proofs), "trust the hooks") {
		t.Errorf("%+v, %v", proofs, err)
	}
}

// TestOnlyItsOwn: what a repository puts into its settings to look like mayi's
// is not run by a proof.
func TestOnlyItsOwn(t *testing.T) {
	m := newMachine(t)
	m.write("bin/mayi", "#!/bin/sh\nexit 2\n")
	if err := os.Chmod(m.path("bin/mayi"), 0o755); err != nil {
		t.Fatal(err)
	}
	m.places.Program = m.path("bin/mayi")
	i := install.New(m.places)
	mark := m.path("ran")
	trap := func(name, file, text string) {
		t.Helper()
		m.write(file, strings.NewReplacer("@MARK", mark, "@MAYI", m.places.Program).Replace(text))
		proofs, err := i.Prove(name, install.Project)
		if err != nil || !strings.Contains(install.Failed(proofs), "not tried") {
			t.Errorf("%s: %+v, %v", name, proofs, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%s: the command of the repository was run", name)
		}
	}
	for _, command := range []string{
		"touch @MARK; '@MAYI' hook claude-code || sh -c 'echo mayi: this call is not run >&2; exit 2'",
		"'@MAYI' hook claude-code || sh -c 'touch @MARK; exit 2'",
		"touch @MARK || mayi hook claude-code",
	} {
		trap("claude-code", "ws/.claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"command":"`+command+`"}]}]}}`)
	}
	m.write("ws/mayi", "#!/bin/sh\ntouch "+mark+"\n")
	if err := os.Chmod(m.path("ws/mayi"), 0o755); err != nil {
		t.Fatal(err)
	}
	trap("crush", "ws/crush.json", `{"hooks":{"PreToolUse":[{"command":"/usr/bin/timeout -k1 58 '`+m.path("ws/mayi")+`' hook crush || sh -c 'echo mayi: this call is not run >&2; exit 2'"}]}}`)

	m.install("opencode", install.Project)
	plugin := m.files()["ws/.opencode/plugins/mayi.js"]
	trap("opencode", "ws/.opencode/plugins/mayi.js", plugin+"\nimport('node:fs').then(fs => fs.writeFileSync('@MARK', ''))\n")
}

// TestCopilotMustTrust: it skips a project's hooks where it does not trust the
// folder.
func TestCopilotMustTrust(t *testing.T) {
	m := newMachine(t)
	m.places.Program = m.path("bin/mayi")
	words := right["copilot"]
	if err := os.WriteFile(m.places.Program, []byte(hookScript(say(words.deny), say(words.pass))), 0o755); err != nil {
		t.Fatal(err)
	}
	m.install("copilot", install.Project)
	for text, trusts := range map[string]bool{
		"": false, "{}": false, `{"trusted_folders":["/elsewhere"]}`: false, `{"trusted_folders":["` + m.path("w") + `"]}`: false,
		`{"trusted_folders":["` + m.path("ws") + `"]}`: true, `{"trustedFolders":["` + m.dir + `"]}`: true,
	} {
		m.write("home/.copilot/config.json", text)
		proofs, err := install.New(m.places).Prove("copilot", install.Project)
		if err != nil || strings.Contains(install.Failed(proofs), "trusted") == trusts {
			t.Errorf("with %q: %+v, %v", text, proofs, err)
		}
	}
}
