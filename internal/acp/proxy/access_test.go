package proxy_test

import (
	"os"
	"strings"
	"testing"
)

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"sessionId":"S",` + params + `}}`
}

// TestFilesAndTerminals that the agent asks the editor for are decided first.
func TestFilesAndTerminals(t *testing.T) {
	for _, c := range []struct{ name, method, params, want string }{
		{"read", "fs/read_text_file", `"path":"@/a"`, "pass"},
		{"read outside", "fs/read_text_file", `"path":"/etc/passwd"`, "refused"},
		{"read, relative", "fs/read_text_file", `"path":"a"`, "wrong"},
		{"read, by a link that leads out", "fs/read_text_file", `"path":"@/out"`, "refused"},
		{"read, twice", "fs/read_text_file", `"path":"@/a","path":"/etc/passwd"`, "wrong"},
		{"read, in another case", "fs/read_text_file", `"Path":"@/a"`, "wrong"},
		{"write", "fs/write_text_file", `"path":"@/a","content":"x"`, "pass"},
		{"write outside", "fs/write_text_file", `"path":"/tmp/x","content":"x"`, "refused"},
		{"write of a protected file", "fs/write_text_file", `"path":"@/.git/hooks/pre-commit","content":"x"`, "ask"},
		{"command", "terminal/create", `"command":"ls"`, "pass"},
		{"command line", "terminal/create", `"command":"ls; rm x"`, "refused"},
		{"command that is asked for", "terminal/create", `"command":"make"`, "ask"},
		{"command with arguments", "terminal/create", `"command":"ls","args":["-l","a b"]`, "pass"},
		{"arguments that a shell would run", "terminal/create", `"command":"ls","args":["-l",";","rm","x"]`, "refused"},
		{"arguments that a shell would ask for", "terminal/create", `"command":"ls","args":["$(make)"]`, "ask"},
		{"a shell in arguments", "terminal/create", `"command":"bash","args":["-c","rm x"]`, "refused"},
		{"a variable", "terminal/create", `"command":"ls","env":[{"name":"CLAUDECODE","value":"1"}]`, "pass"},
		{"a variable that steers", "terminal/create", `"command":"ls","env":[{"name":"LD_PRELOAD","value":"/tmp/x.so"}]`, "ask"},
		{"a variable that is none", "terminal/create", `"command":"ls","env":[{"name":"A=1; rm x; B","value":"1"}]`, "wrong"},
		{"a folder outside", "terminal/create", `"command":"ls","cwd":"/etc"`, "ask"},
		{"a relative folder", "terminal/create", `"command":"ls","cwd":".."`, "wrong"},
		{"no command", "terminal/create", `"args":["ls"]`, "wrong"},
		{"another method", "terminal/output", `"terminalId":"1"`, "pass"},
		{"another spelling", "fs/Write_text_file", `"path":"/tmp/x","content":"x"`, "wrong"},
		{"an unknown method on files", "fs/delete_file", `"path":"/tmp/x"`, "wrong"},
		{"an unknown method on terminals", "terminal/run", `"command":"ls"`, "wrong"},
		{"an extension", "_example/x", `"path":"/tmp/x"`, "pass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, everyday)
			if err := os.Symlink("/etc/passwd", p.space+"/out"); err != nil {
				t.Fatal(err)
			}
			p.open()
			line := strings.ReplaceAll(request("7", c.method, c.params), "@", p.space)
			p.agent.say(line)
			switch c.want {
			case "pass":
				p.editor.gets(line)
				p.editor.say(`{"jsonrpc":"2.0","id":7,"result":{"content":"<x>"}}`)
				p.agent.gets(`{"jsonrpc":"2.0","id":7,"result":{"content":"<x>"}}`)
			case "refused":
				if m := p.agent.next(); m.Error.Code != -32001 || string(m.ID) != "7" || !strings.HasPrefix(m.Error.Message, "mayi: not allowed: ") {
					t.Errorf("%+v", m)
				}
			case "wrong":
				if m := p.agent.next(); m.Error.Code == 0 || m.Error.Code == -32001 || string(m.ID) != "7" {
					t.Errorf("%+v", m)
				}
			case "ask":
				m := p.editor.next()
				if m.Method != "session/request_permission" || m.Params.SessionID != "S" || !strings.HasPrefix(m.Params.ToolCall.Title, "mayi: The agent wants to") {
					t.Errorf("%+v", m)
				}
				p.editor.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}`)
				if m := p.agent.next(); m.Error.Code != -32001 {
					t.Errorf("%+v", m)
				}
			}
		})
	}
}

// TestTheQuestionIsMayis: mayi words it, the person answers it, and nobody else.
func TestTheQuestionIsMayis(t *testing.T) {
	p := start(t, everyday)
	p.open()
	line := request("7", "terminal/create", `"command":"make \u202e all"`)
	p.agent.say(line)
	m := p.editor.next()
	if text := m.Params.ToolCall.Content[0].Content.Text; !strings.Contains(text, "make ⟨U+202E⟩ all") || !strings.Contains(text, "Risk:") {
		t.Errorf("the person is shown %q", text)
	}
	// The agent answers for the client; that goes nowhere.
	p.agent.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}`)
	p.agent.say(`{"jsonrpc":"2.0","id":7,"result":{"terminalId":"1"}}`)
	// Nor is it the editor's to answer what it was not asked.
	p.editor.say(`{"jsonrpc":"2.0","id":7,"result":{"terminalId":"1"}}`)
	// The id is under way.
	p.agent.say(request("7", "fs/read_text_file", `"path":"/etc/passwd"`))
	if e := p.agent.next(); e.Error.Code != -32600 {
		t.Errorf("%+v", e)
	}
	p.editor.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}`)
	p.editor.gets(line)
	// A late second answer is none.
	p.editor.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"session"}}}`)
	p.editor.say(`{"jsonrpc":"2.0","id":7,"result":{"terminalId":"1"}}`)
	p.agent.gets(`{"jsonrpc":"2.0","id":7,"result":{"terminalId":"1"}}`)

	// An answer that was not offered is none.
	p.agent.say(request("8", "terminal/create", `"command":"make two"`))
	m = p.editor.next()
	p.editor.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`)
	if e := p.agent.next(); e.Error.Code != -32001 {
		t.Errorf("%+v", e)
	}
	// The agent withdraws its request.
	p.editor.hear() // the note that it was refused
	p.agent.say(request("9", "terminal/create", `"command":"make three"`))
	m = p.editor.next()
	p.agent.say(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}`)
	if e := p.agent.next(); e.Error.Code != -32001 || string(e.ID) != "9" {
		t.Errorf("%+v", e)
	}
}
