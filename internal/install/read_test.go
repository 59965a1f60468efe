package install

import "testing"

// TestReaders holds what each agent was seen to make of an answer: whether the
// call was blocked.
func TestReaders(t *testing.T) {
	const (
		claudeDeny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}`
		question   = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"R"}}}`
	)
	by := map[string]agent{}
	for _, a := range agents() {
		by[a.name] = a
	}
	cases := []struct {
		agent, event, stdout, stderr string
		code                         int
		blocked                      bool
	}{
		// With onFailure "block".
		{"claude-code", "PreToolUse", "", "", 0, false},
		{"claude-code", "PreToolUse", claudeDeny, "", 0, true},
		{"claude-code", "PreToolUse", claudeDeny, "noise", 1, true},
		{"claude-code", "PreToolUse", `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, "", 0, true},
		{"claude-code", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"perhaps"}}`, "", 0, true},
		{"claude-code", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"x"}}}`, "", 0, false},
		{"claude-code", "PreToolUse", "text\n" + claudeDeny, "", 0, false},
		{"claude-code", "PreToolUse", claudeDeny + "\ntext", "", 0, false},
		{"claude-code", "PreToolUse", "{", "", 0, false},
		{"claude-code", "PreToolUse", "", "E", 2, true},
		{"claude-code", "PreToolUse", "", "", 1, true},
		{"claude-code", "PreToolUse", "", "", -1, true},
		{"claude-code", "ConfigChange", `{"decision":"block","reason":"R"}`, "", 0, true},
		{"claude-code", "ConfigChange", `{}`, "", 0, false},

		{"codex", "PreToolUse", claudeDeny, "", 0, true},
		{"codex", "PreToolUse", claudeDeny, "noise", 0, true},
		{"codex", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`, "", 0, false},
		{"codex", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R","updatedInput":{}}}`, "", 0, false},
		{"codex", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"R"}}`, "", 0, false},
		{"codex", "PreToolUse", `{"suppressOutput":true,` + claudeDeny[1:], "", 0, false},
		{"codex", "PreToolUse", `{"systemMessage":"x",` + claudeDeny[1:], "", 0, true},
		{"codex", "PreToolUse", claudeDeny, "E", 1, false},
		{"codex", "PreToolUse", claudeDeny, "", 2, false},
		{"codex", "PreToolUse", "", "E", 2, true},
		{"codex", "PreToolUse", "", "", -1, false},
		{"codex", "PermissionRequest", question, "", 0, true},
		{"codex", "PermissionRequest", "", "E", 2, true},
		{"codex", "PermissionRequest", claudeDeny, "", 0, false},

		{"gemini", "BeforeTool", `{"decision":"deny","reason":"R"}`, "", 0, true},
		{"gemini", "BeforeTool", `{"decision":"deny"}`, "", 1, true},
		{"gemini", "BeforeTool", `{"decision":"allow"}`, "E", 2, false},
		{"gemini", "BeforeTool", claudeDeny, "", 0, false},
		{"gemini", "BeforeTool", "", "E", 2, true},
		{"gemini", "BeforeTool", "", "", 2, false},
		{"gemini", "BeforeTool", "text", "", 2, true},
		{"gemini", "BeforeTool", "", "E", 1, false},
		{"gemini", "BeforeTool", "", "", -1, false},

		{"qwen", "PreToolUse", claudeDeny, "", 0, true},
		{"qwen", "PreToolUse", claudeDeny, "", 1, true},
		{"qwen", "PreToolUse", `{"decision":"deny","reason":"R"}`, "", 0, true},
		{"qwen", "PreToolUse", "", "E", 2, true},
		{"qwen", "PreToolUse", "", "", 2, false},
		{"qwen", "PreToolUse", "", "", 49, false},
		{"qwen", "PreToolUse", "", "", -1, false},
		{"qwen", "PermissionRequest", question, "", 0, true},
		{"qwen", "PermissionRequest", "", "", 0, false},

		{"cursor", "preToolUse", `{"permission":"deny"}`, "", 0, true},
		{"cursor", "preToolUse", `{"permission":"allow"}`, "", 0, false},
		{"cursor", "preToolUse", "", "E", 2, true},
		{"cursor", "preToolUse", "", "", 0, false},

		{"copilot", "preToolUse", `{"permissionDecision":"deny"}`, "", 0, true},
		{"copilot", "preToolUse", claudeDeny, "", 0, false},
		{"copilot", "preToolUse", "", "", 1, true},
		{"copilot", "preToolUse", "", "", 0, false},

		{"crush", "PreToolUse", `{"version":2,"decision":"deny"}`, "", 0, true},
		{"crush", "PreToolUse", claudeDeny, "", 0, true},
		{"crush", "PreToolUse", `{"decision":"deny"}`, "", 1, false},
		{"crush", "PreToolUse", `{"decision":"ask"}`, "", 0, false},
		{"crush", "PreToolUse", "", "", 2, true},
		{"crush", "PreToolUse", "", "", 49, true},
		{"crush", "PreToolUse", "", "", -1, false},
	}
	for _, c := range cases {
		got, said := by[c.agent].read(c.event, answer{[]byte(c.stdout), []byte(c.stderr), c.code})
		if got != c.blocked {
			t.Errorf("%s %s %q %q exit %d: blocked is %v (%s)", c.agent, c.event, c.stdout, c.stderr, c.code, got, said)
		}
		if said == "" {
			t.Errorf("%s %s %q: nothing is said about it", c.agent, c.event, c.stdout)
		}
	}
}

func TestProgramIn(t *testing.T) {
	for _, program := range []string{"/usr/local/bin/mayi", "/opt/a b/mayi", "/opt/it's/mayi-2", `/odd"/mayi`, "/my hook codex x/mayi", "/a' hook codex || sh -c x/mayi"} {
		for _, timeout := range []string{"", "/usr/bin/timeout", "/it's mine/timeout"} {
			p := Places{Program: program, Timeout: timeout}
			command := p.command("codex", 60)
			if got := programIn(command); got != program {
				t.Errorf("in %s the program is %q", command, got)
			}
			if !hookCall("codex").MatchString(command) {
				t.Errorf("%s is not recognised", command)
			}
		}
	}
	for _, other := range []string{"my-mayi hook codex", "/bin/maybe hook codex", "mayi hook codexes", "echo mayi", "mayi hook gemini"} {
		if hookCall("codex").MatchString(other) {
			t.Errorf("%q is taken for mayi's", other)
		}
	}
}
