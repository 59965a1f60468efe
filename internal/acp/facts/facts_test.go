package facts_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"mayi/internal/acp/facts"
)

func decode(t *testing.T, raw string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var claude = facts.Agent{Name: "claude", Table: "claude-code", Cwd: "/ws"}

// TestReadings: what is made of the messages of agents, as they send them.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		name string
		said []string
		want string
	}{
		{"claude: the name before, the input with the question",
			[]string{`{"toolCallId":"1","_meta":{"claudeCode":{"toolName":"Bash"}},"kind":"execute","rawInput":{}}`, `{"toolCallId":"1","rawInput":{"command":"ls","description":"x"},"title":"ls"}`},
			`bash {"command":"ls"}`},
		{"claude: an edit with its change",
			[]string{`{"_meta":{"claudeCode":{"toolName":"Edit"}},"rawInput":{"file_path":"/ws/a","old_string":"x","new_string":"y"},"content":[{"type":"diff","path":"/ws/b","newText":"y"}]}`},
			`edit {"file_path":"/ws/a","new_string":"y","old_string":"x","paths":["/ws/b"]}`},
		{"claude: a server's tool",
			[]string{`{"_meta":{"claudeCode":{"toolName":"mcp__srv__do"}},"rawInput":{"a":1}}`},
			`srv.do {"arguments":{"a":1},"name":"do"}`},
		{"codex: a command in words, in a folder",
			[]string{`{"kind":"execute","title":"ls","rawInput":{"call_id":"x","command":["bash","-lc","ls 'a b'"],"cwd":"/ws/sub"}}`},
			`bash {"command":"bash -lc 'ls '\\''a b'\\'''","cwd":"/ws/sub"}`},
		{"codex: a patch",
			[]string{`{"kind":"edit","rawInput":{"call_id":"x","changes":{"/ws/a":{"type":"add","content":"/etc/x"}}},"locations":[{"path":"/ws/b"}]}`},
			`multi_edit {"paths":["/ws/a","/ws/b"]}`},
		{"opencode: nothing new with the question",
			[]string{`{"kind":"execute","title":"bash","rawInput":{"command":"ls","description":"x"}}`, `{"kind":"execute","title":"bash","rawInput":{}}`},
			`bash {"command":"ls"}`},
		{"opencode: something else with the question",
			[]string{`{"kind":"edit","rawInput":{"filePath":"/ws/a","newString":"/etc"}}`, `{"kind":"edit","rawInput":{"filepath":"/ws/b","diff":"--- /etc"}}`},
			`multi_edit {"paths":["/ws/b"]}`},
		{"gemini: a command that is not told",
			[]string{`{"kind":"execute","title":"rm x [in /ws] (tidy)","content":[]}`},
			`claude.execute {"arguments":{"title":" rm x [in /ws] (tidy)"},"name":"execute"}`},
		{"a tool of which only the title tells whose it is",
			[]string{`{"kind":"other","title":"mcp__srv__do","rawInput":{"a":1}}`},
			`claude.other {"arguments":{"a":1,"title":" mcp__srv__do"},"name":"other"}; srv.do {"arguments":{"a":1,"title":" mcp__srv__do"},"name":"other"} only`},
	} {
		var call facts.Call
		for _, raw := range c.said {
			call.Add(decode(t, raw))
		}
		var got []string
		for _, r := range call.Readings(claude) {
			in, err := json.Marshal(r.Input)
			if err != nil {
				t.Fatal(err)
			}
			name := r.Tool.Name
			if r.Tool.Server != "" {
				name = r.Tool.Server + "." + name
			}
			if name += " " + string(in); r.Only {
				name += " only"
			}
			got = append(got, name)
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
	}
}

// FuzzReadings: whatever is said, there is a reading that counts, nothing is
// written into what was said, and a command that is told is read as one.
func FuzzReadings(f *testing.F) {
	for _, s := range []string{
		`{"kind":"execute","rawInput":{"command":"ls"}}`, `{"kind":"read","locations":[{"path":"/a"}],"rawInput":{"paths":["x"],"command":["a"]}}`,
		`{"kind":"edit","content":[{"type":"diff","path":"a"}],"rawInput":{"paths":"x"}}`, `{"kind":5,"content":{}}`, `{"_meta":{"toolName":"mcp__a__b__c"},"rawInput":{"x":null}}`,
		`{"_meta":{"claudeCode":{"toolName":"Read"}},"rawInput":{"file_path":["a"],"paths":[1]},"locations":[{"path":"b"}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var said, kept map[string]any
		if json.Unmarshal(raw, &said) != nil || json.Unmarshal(raw, &kept) != nil {
			return
		}
		var call facts.Call
		call.Add(said)
		counts, shell := 0, false
		for _, r := range call.Readings(claude) {
			if !r.Only {
				counts++
			}
			shell = shell || r.Tool.Builtin && r.Tool.Name == "bash"
		}
		if counts == 0 {
			t.Fatalf("%s has no reading", raw)
		}
		if !reflect.DeepEqual(said, kept) {
			t.Fatalf("%s was changed", raw)
		}
		in, _ := said["rawInput"].(map[string]any)
		if command, ok := in["command"].(string); ok && command != "" && call.Name == "" && call.Wrong == "" && !shell {
			t.Fatalf("%s is not read as a command", raw)
		}
	})
}

// TestChanges: a change whose texts cannot be read makes the call unreadable.
func TestChanges(t *testing.T) {
	for block, want := range map[string]bool{
		`{"type":"diff","path":"/a","newText":"x"}`:                true,
		`{"type":"diff","path":"/a","oldText":null,"newText":""}`:  true,
		`{"type":"diff","path":"/a","oldText":"y","newText":"x"}`:  true,
		`{"type":"diff","path":"/a"}`:                              false,
		`{"type":"diff","path":"/a","newText":1}`:                  false,
		`{"type":"diff","path":"/a","oldText":["y"],"newText":""}`: false,
		`{"type":"diff","newText":"x"}`:                            false,
	} {
		var call facts.Call
		call.Add(decode(t, `{"kind":"edit","content":[`+block+`]}`))
		if read := call.Wrong == ""; read != want {
			t.Errorf("%s: read %v (%s)", block, read, call.Wrong)
		}
	}
}
