package hook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mayi/internal/hook"
)

// program is one agent as the tests know it: a call that it sends, and what it
// was seen to do with an answer.
type program struct {
	// payload is a call of its shell tool in /ws; %s is the command as JSON.
	payload string
	// needs are the fields that have to be there and of their type.
	needs []string
	// blocks is whether the program does not run the call after this answer.
	blocks func(out map[string]any, stdout, stderr string, code int) bool
}

func programs() map[string]program {
	claude := `{"session_id":"s1","cwd":"/ws","hook_event_name":"PreToolUse","tool_name":"%s","tool_input":{"command":%%s}}`
	common := []string{"session_id", "cwd", "hook_event_name", "tool_name", "tool_input"}
	decision := func(out map[string]any) (event, word, reason string) {
		o, _ := out["hookSpecificOutput"].(map[string]any)
		event, _ = o["hookEventName"].(string)
		word, _ = o["permissionDecision"].(string)
		reason, _ = o["permissionDecisionReason"].(string)
		return event, word, reason
	}
	return map[string]program{
		"claude-code": {fmt.Sprintf(claude, "Bash"), common, func(out map[string]any, _, _ string, code int) bool {
			event, word, _ := decision(out)
			return code == 2 || code == 0 && event == "PreToolUse" && word == "deny"
		}},
		"codex": {fmt.Sprintf(claude, "Bash"), common, func(out map[string]any, _, stderr string, code int) bool {
			_, word, reason := decision(out)
			o, _ := out["hookSpecificOutput"].(map[string]any)
			return code == 2 && stderr != "" || code == 0 && word == "deny" && reason != "" && len(out) == 1 && len(o) == 3
		}},
		"qwen": {fmt.Sprintf(claude, "run_shell_command"), common, func(out map[string]any, _, stderr string, code int) bool {
			_, word, _ := decision(out)
			return word == "deny" || code == 2 && stderr != ""
		}},
		"gemini": {strings.Replace(fmt.Sprintf(claude, "run_shell_command"), "PreToolUse", "BeforeTool", 1), common, func(out map[string]any, _, _ string, _ int) bool {
			return out["decision"] == "deny"
		}},
		"cursor": {`{"conversation_id":"s1","workspace_roots":["/ws"],"hook_event_name":"beforeShellExecution","command":%s,"cwd":"/ws"}`,
			[]string{"conversation_id", "hook_event_name", "command"}, func(out map[string]any, _, _ string, code int) bool {
				return code == 0 && out["permission"] == "deny"
			}},
		"copilot": {`{"sessionId":"s1","timestamp":1767225600000,"cwd":"/ws","toolName":"bash","toolArgs":{"command":%s}}`,
			[]string{"sessionId", "cwd", "toolName", "toolArgs"}, func(out map[string]any, _, _ string, code int) bool {
				return code != 0 || out["permissionDecision"] == "deny"
			}},
		"opencode": {`{"tool":"bash","sessionID":"s1","callID":"c1","args":{"command":%s},"cwd":"/ws"}`,
			[]string{"tool", "sessionID", "args", "cwd"}, func(out map[string]any, _, _ string, code int) bool {
				return code == 0 && out["decision"] == "deny"
			}},
		"crush": {`{"event":"PreToolUse","session_id":"s1","cwd":"/ws","tool_name":"bash","tool_input":{"command":%s}}`,
			[]string{"event", "session_id", "cwd", "tool_name", "tool_input"}, func(out map[string]any, _, stderr string, code int) bool {
				return code == 2 || code == 49 || code == 0 && out["decision"] == "deny"
			}},
		"generic": {`{"tool":"bash","session":"s1","input":{"command":%s},"cwd":"/ws"}`,
			[]string{"tool", "session", "input", "cwd"}, func(out map[string]any, _, _ string, code int) bool {
				return code == 20 && out["decision"] == "deny"
			}},
	}
}

// blocked sends the payload and reports what the program would do.
func (p *place) blocked(t *testing.T, agent string, payload string) bool {
	t.Helper()
	stdout, stderr, code := p.run(t, agent, payload)
	return judge(t, agent, stdout, stderr, code)
}

func judge(t *testing.T, agent, stdout, stderr string, code int) bool {
	t.Helper()
	var out map[string]any
	if stdout != "" {
		// Text around the object, or none, makes some programs run the call.
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || strings.Count(stdout, "\n") != 1 || !strings.HasPrefix(stdout, "{") {
			t.Errorf("%s: the answer is not one object on one line: %q", agent, stdout)
		}
	}
	return programs()[agent].blocks(out, stdout, stderr, code)
}

func payload(agent, command string) string {
	b, _ := json.Marshal(command)
	return fmt.Sprintf(programs()[agent].payload, b)
}

// TestEveryAgentIsKnownHere: what follows from the names holds for all of them.
func TestEveryAgentIsKnownHere(t *testing.T) {
	for _, name := range hook.Names() {
		if _, ok := programs()[name]; !ok && !hook.Stays(name) {
			t.Errorf("%s is not among the programs of the tests", name)
		}
		if hook.Limit(name) <= 0 {
			t.Errorf("%s has no time limit", name)
		}
	}
}

// TestAllowedAndDenied: the two calls that everything else is compared with.
func TestAllowedAndDenied(t *testing.T) {
	for name := range programs() {
		p := newPlace(t, everyday)
		if p.blocked(t, name, payload(name, "touch a")) {
			t.Errorf("%s: an allowed command is blocked", name)
		}
		for _, command := range []string{"rm a", "touch a && rm -rf /", "sh -c 'rm a'", "touch $(rm a)", "$X a", "make"} {
			if name != "cursor" && name != "copilot" && name != "qwen" || command != "make" && command != "$X a" {
				if !p.blocked(t, name, payload(name, command)) {
					t.Errorf("%s: %s runs", name, command)
				}
			}
		}
	}
}

// TestANameThatCanBeSplit: a rule that denies any reading of it, or says to ask
// about it, holds for the call.
func TestANameThatCanBeSplit(t *testing.T) {
	crush := `{"event":"PreToolUse","session_id":"s","cwd":"/ws","tool_name":"mcp_my_server_tool","tool_input":{}}`
	for rules, blocks := range map[string]bool{
		`"allow":["mcp(my.server_tool)"]`:                                 false,
		`"allow":["mcp(my.server_tool)"],"deny":["mcp(my_server.tool)"]`:  true,
		`"allow":["mcp(my.server_tool)"],"deny":["mcp(my_server.*)"]`:     true,
		`"allow":["mcp(my.server_tool)"],"deny":["mcp(my_server.other)"]`: false,
		`"allow":["mcp(my_server.tool)"]`:                                 true,
		`"allow":["mcp(my.*)","mcp(my_server.tool)"],"deny":["mcp(x.y)"]`: false,
		`"allow":["mcp(my.*)"],"ask":["mcp(my_server.tool)"]`:             true,
		`"allow":["mcp(my.*)"],"ask":["mcp(my_server.other)"]`:            false,
	} {
		p := newPlace(t, `{"permissions":{`+rules+`}}`)
		if got := p.blocked(t, "crush", crush); got != blocks {
			t.Errorf("%s: blocked %v", rules, got)
		}
	}
}
