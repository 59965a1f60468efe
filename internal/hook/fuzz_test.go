package hook_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzAnswers sends any bytes to any agent's hook, under settings that allow
// nothing to be run: a call that could run is blocked, and what is written is
// one object or nothing.
func FuzzAnswers(f *testing.F) {
	names := []string{"claude-code", "codex", "gemini", "qwen", "cursor", "copilot", "opencode", "crush", "generic"}
	for i, name := range names {
		f.Add(i, payload(name, "touch a"))
	}
	f.Add(0, `{"hook_event_name":"ConfigChange","file_path":"/ws"}`)
	f.Add(5, `{"hookName":"permissionRequest","toolInput":"{}","cwd":"/ws","toolName":"bash"}`)
	f.Fuzz(func(t *testing.T, which int, text string) {
		name := names[(which%len(names)+len(names))%len(names)]
		p := newPlace(t, `{"executionMode":"plan","permissions":{"deny":["tool(*)"]}}`)
		stdout, stderr, code := p.run(t, name, text)
		blocked := judge(t, name, stdout, stderr, code)
		var m map[string]any
		if json.Unmarshal([]byte(p.real(text)), &m) != nil || !utf8.ValidString(text) {
			if !blocked {
				t.Errorf("%s: what is no object is answered %q %q exit %d", name, stdout, stderr, code)
			}
		}
	})
}
