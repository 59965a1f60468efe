package hook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPropertyEveryReaderIsHeld: an agent in Go reads its tools' input with keys
// in any letter case, and the last of two counts. Whatever one reader or the
// other would run is blocked where it is denied.
func TestPropertyEveryReaderIsHeld(t *testing.T) {
	places := map[string]*place{}
	for name := range programs() {
		places[name] = newPlace(t, everyday)
	}
	keys := []string{"command", "Command", "COMMAND", "commanD", "com_mand", "com-mand", "description", "Description"}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"crush", "claude-code", "codex", "gemini", "qwen", "copilot", "opencode"}).Draw(rt, "agent")
		var members []string
		exact := ""
		for range rapid.IntRange(1, 4).Draw(rt, "members") {
			k, v := rapid.SampledFrom(keys).Draw(rt, "key"), rapid.SampledFrom([]string{"touch a", "rm a"}).Draw(rt, "value")
			members = append(members, fmt.Sprintf("%q:%q", k, v))
			if k == "command" {
				exact = v
			}
		}
		input := "{" + strings.Join(members, ",") + "}"
		var folded struct {
			Command string `json:"command"`
		}
		if err := json.Unmarshal([]byte(input), &folded); err != nil {
			rt.Fatal(err)
		}
		text := strings.Replace(payload(name, "touch a"), `{"command":"touch a"}`, input, 1)
		if blocked := places[name].blocked(t, name, text); !blocked && (exact != "touch a" || folded.Command != "touch a") {
			rt.Fatalf("%s runs %s", name, input)
		}
	})
}

// TestAKeyInAnotherCase: what a tool is told under such a key is not passed over.
func TestAKeyInAnotherCase(t *testing.T) {
	crush := func(tool, input string) string {
		return fmt.Sprintf(`{"event":"PreToolUse","session_id":"s1","cwd":"/ws","tool_name":%q,"tool_input":%s}`, tool, input)
	}
	p := newPlace(t, everyday)
	for _, c := range []struct {
		text    string
		blocked bool
	}{
		{crush("bash", `{"command":"touch a","description":"x","run_in_background":true}`), false},
		{crush("bash", `{"command":"touch a","working_dir":"/ws/sub"}`), false},
		{crush("bash", `{"command":"touch a","Working_Dir":"/"}`), true},
		{crush("bash", `{"command":"touch a","workingdir":"/"}`), true},
		{crush("bash", `{"Command":"touch a"}`), true},
		{crush("ls", `{}`), false},
		{crush("ls", `{"Path":"/root"}`), true},
		{crush("ls", `{"ignore":["a"]}`), false},
		{crush("glob", `{"pattern":"*","PATH":"/"}`), true},
		{crush("view", `{"file_path":"a","File_Path":"/etc/shadow"}`), true},
		{crush("view", `{"file_path":"a","\u017fize":1}`), false},
		{crush("todos", `{"Name":"a","Path":"b"}`), false}, // nothing in it is gone by
		{crush("fetch", `{"url":"https://example.org/","URL":"http://169.254.169.254/"}`), true},
		{`{"tool":"patch","sessionID":"s1","callID":"c1","args":{"patchText":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch","PatchText":"x"},"cwd":"/ws"}`, true},
	} {
		agent := "crush"
		if strings.Contains(c.text, "callID") {
			agent = "opencode"
		}
		if got := p.blocked(t, agent, c.text); got != c.blocked {
			stdout, _, _ := p.run(t, agent, c.text)
			t.Errorf("%s: blocked %v, want %v: %s", c.text, got, c.blocked, stdout)
		}
	}
}
