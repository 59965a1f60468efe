package proxy_test

import (
	"strings"
	"testing"
)

// TestPermission: the policy's own answers are options that were offered, by
// their kind; what a person must decide goes to the editor.
func TestPermission(t *testing.T) {
	const odd = `[{"optionId":"x","name":"Yes","kind":"ALLOW_ONCE"},{"optionId":"y","name":"Yes","kind":"allow_forever"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	const noOnce = `[{"optionId":"always","name":"A","kind":"allow_always"},{"optionId":"never","name":"N","kind":"reject_always"}]`
	for _, c := range []struct{ name, call, options, want string }{
		{"allowed", run("1", "ls"), usual, "yes"},
		{"denied", run("1", "ls; rm -rf x"), usual, "no"},
		{"denied, nothing to refuse with", run("1", "rm x"), noOnce, "cancelled"},
		{"denied, no options", run("1", "rm x"), `[]`, "cancelled"},
		{"asked", run("1", "git push"), usual, "asked always yes no"},
		{"allowed, but only for always", run("1", "ls"), noOnce, "asked always never"},
		{"no option that is known allows", run("1", "ls"), odd, "n"},
		{"no options", run("1", "ls"), `[]`, "cancelled"},
		{"a command in words", `{"toolCallId":"1","kind":"execute","rawInput":{"command":["bash","-lc","rm x"]}}`, usual, "no"},
		{"a command of a call that is said to read", `{"toolCallId":"1","kind":"read","rawInput":{"command":["bash","-lc","rm x"],"path":"a"}}`, usual, "no"},
		{"no command", `{"toolCallId":"1","kind":"execute","title":"ls"}`, usual, "asked always yes no"},
		{"a command that is no text", `{"toolCallId":"1","kind":"execute","rawInput":{"command":5}}`, usual, "asked always yes no"},
		{"nothing at all", `{"toolCallId":"1"}`, usual, "asked always yes no"},
		{"an input that is no object", `{"toolCallId":"1","kind":"read","rawInput":"a"}`, usual, "asked always yes no"},
		{"an unknown kind", `{"toolCallId":"1","kind":"READ","rawInput":{"path":"a"}}`, usual, "asked always yes no"},
		{"read inside", `{"toolCallId":"1","kind":"read","rawInput":{"path":"a"}}`, usual, "yes"},
		{"read of nothing", `{"toolCallId":"1","kind":"read","rawInput":{}}`, usual, "asked always yes no"},
		{"read outside", `{"toolCallId":"1","kind":"read","rawInput":{"path":"a","other":"/etc/passwd"}}`, usual, "no"},
		{"read outside, by the location", `{"toolCallId":"1","kind":"read","rawInput":{"path":"a"},"locations":[{"path":"/etc/passwd"}]}`, usual, "no"},
		{"edit inside", `{"toolCallId":"1","kind":"edit","content":[{"type":"diff","path":"a","oldText":"/x","newText":"/etc/y"}]}`, usual, "yes"},
		{"edit inside by an input", `{"toolCallId":"1","kind":"edit","rawInput":{"filePath":"a","oldString":"/etc","newString":"/usr"}}`, usual, "yes"},
		{"edit outside", `{"toolCallId":"1","kind":"edit","rawInput":{"file_path":"a"},"content":[{"type":"diff","path":"/etc/a","newText":"y"}]}`, usual, "no"},
		{"edit of a patch", `{"toolCallId":"1","kind":"edit","rawInput":{"changes":{"/etc/a":{"type":"add"}}}}`, usual, "no"},
		{"a change that is said to be something else", `{"toolCallId":"1","kind":"other","content":[{"type":"diff","path":"/etc/a","newText":"y"}]}`, usual, "no"},
		{"edit of a protected file", `{"toolCallId":"1","kind":"edit","rawInput":{"file_path":".git/hooks/pre-commit"}}`, usual, "asked always yes no"},
		{"delete", `{"toolCallId":"1","kind":"delete","rawInput":{"path":"a"}}`, usual, "asked always yes no"},
		{"move", `{"toolCallId":"1","kind":"move","rawInput":{"from":"a","to":"b"}}`, usual, "asked always yes no"},
		{"search", `{"toolCallId":"1","kind":"search","rawInput":{"pattern":"x"}}`, usual, "yes"},
		{"search outside", `{"toolCallId":"1","kind":"search","rawInput":{"pattern":"x","path":"/etc"}}`, usual, "no"},
		{"search that climbs", `{"toolCallId":"1","kind":"search","rawInput":{"glob":"../../*"}}`, usual, "no"},
		{"fetch", `{"toolCallId":"1","kind":"fetch","rawInput":{"url":"https://example.org/"}}`, usual, "yes"},
		{"fetch of nothing", `{"toolCallId":"1","kind":"fetch","rawInput":{"q":"x"}}`, usual, "asked always yes no"},
		{"think", `{"toolCallId":"1","kind":"think","rawInput":{"thought":"x"}}`, usual, "yes"},
		{"think about a file", `{"toolCallId":"1","kind":"think","rawInput":{"path":"/etc/passwd"}}`, usual, "asked always yes no"},
		{"switch mode", `{"toolCallId":"1","kind":"switch_mode"}`, usual, "asked yes no"},
		{"a tool by its name", `{"toolCallId":"1","_meta":{"claudeCode":{"toolName":"Bash"}},"rawInput":{"command":"rm a"}}`, usual, "no"},
		{"an adapter's tool by its name", `{"toolCallId":"1","_meta":{"claudeCode":{"toolName":"mcp__acp__Read"}},"rawInput":{"file_path":"a"}}`, usual, "yes"},
		{"the plan's end by its name", `{"toolCallId":"1","_meta":{"claudeCode":{"toolName":"ExitPlanMode"}},"rawInput":{"plan":"x"}}`, usual, "asked yes no"},
		{"a mode by its options", `{"toolCallId":"1","kind":"think"}`, `[{"optionId":"acceptEdits","name":"a","kind":"allow_always"},{"optionId":"bypassPermissions","name":"b","kind":"allow_once"},{"optionId":"default","name":"d","kind":"allow_once"},{"optionId":"plan","name":"no","kind":"reject_once"}]`, "asked acceptEdits default plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, everyday)
			p.open()
			p.asks("7", c.call, c.options)
			heard := make(chan string, 1)
			go func() {
				m := p.agent.next()
				heard <- m.word()
			}()
			if strings.HasPrefix(c.want, "asked") {
				m := p.editor.next()
				got := "asked"
				for _, o := range m.Params.Options {
					got += " " + o.OptionID
				}
				if got != c.want || m.Method != "session/request_permission" || string(m.ID) != "7" {
					t.Errorf("%+v", m)
				}
				p.editor.say(`{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}`)
				c.want = "cancelled"
			}
			if got := <-heard; got != c.want {
				t.Errorf("the agent was answered %q, want %q; %s", got, c.want, p.words())
			}
		})
	}
}

// TestANameThatCanBeSplit: a rule about one reading of it holds for the call, also
// where the tool takes no arguments.
func TestANameThatCanBeSplit(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{"mcp__my__server__tool", `{"x":1}`, "cancelled"},
		{"mcp__my__server__tool", `{}`, "cancelled"},
		{"mcp__my__server__other", `{"x":1}`, "yes"},
		{"mcp__my__server__gone", `{}`, "no"},
	} {
		p := start(t, `{"remote_default_mode":"auto","executionMode":"auto","permissions":{"ask":["mcp(my__server.tool)"],"deny":["mcp(my__server.gone)"]}}`)
		p.open()
		p.asks("7", `{"toolCallId":"1","kind":"think","_meta":{"claudeCode":{"toolName":"`+c.tool+`"}},"rawInput":`+c.input+`}`, usual)
		if c.want == "cancelled" {
			if m := p.editor.next(); m.Method != "session/request_permission" {
				t.Errorf("%s: %+v", c.tool, m)
			}
			p.editor.say(`{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}`)
		}
		if got := p.agent.next().word(); got != c.want {
			t.Errorf("%s %s is answered %q, want %q; %s", c.tool, c.input, got, c.want, p.words())
		}
	}
}

// TestWhatWasSaidBefore: the request may only carry the call's id; what was said
// of it before counts, once, and for that call alone.
func TestWhatWasSaidBefore(t *testing.T) {
	p := start(t, everyday)
	p.open()
	tell := func(kind, id, rest string) {
		line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"` + kind + `","toolCallId":"` + id + `"` + rest + `}}}`
		p.agent.say(line)
		p.editor.gets(line)
	}
	ask := func(id, call, want string) {
		t.Helper()
		p.asks(id, call, usual)
		if want == "asked" {
			p.editor.next()
			p.editor.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"outcome":"cancelled"}}}`)
			want = "cancelled"
		}
		if m := p.agent.next(); m.word() != want || string(m.ID) != id {
			t.Errorf("%s: %+v, want %s", call, m, want)
		}
	}
	tell("tool_call", "a", `,"kind":"execute","title":"a","rawInput":{"command":"ls"}`)
	ask("1", `{"toolCallId":"a"}`, "yes")
	ask("2", `{"toolCallId":"a"}`, "asked") // it was used
	tell("tool_call", "b", `,"kind":"execute","title":"b","rawInput":{"command":"ls"}`)
	tell("tool_call_update", "b", `,"rawInput":{"command":"rm x"}`)
	ask("3", `{"toolCallId":"b","title":"ls"}`, "no")
	tell("tool_call", "c", `,"kind":"execute","rawInput":{"command":"ls"}`)
	ask("4", `{"toolCallId":"c","rawInput":{"command":"rm x"}}`, "no")
	tell("tool_call", "d", `,"kind":"execute","rawInput":{"command":"ls"}`)
	tell("tool_call_update", "d", `,"status":"completed"`)
	ask("5", `{"toolCallId":"d"}`, "asked") // it has ended
	tell("tool_call", "e", `,"kind":"execute","rawInput":{"command":"ls"}`)
	tell("tool_call", "e", `,"kind":"execute"`)
	ask("6", `{"toolCallId":"e"}`, "asked") // the id is another's now
	tell("tool_call", "f", `,"kind":"execute","rawInput":{"command":"ls"}`)
	ask("7", `{"toolCallId":"f","rawInput":{}}`, "yes") // nothing new
	tell("tool_call", "g", `,"kind":"read","locations":[{"path":"/etc/passwd"}]`)
	ask("8", `{"toolCallId":"g","rawInput":{"path":"a"}}`, "no")
	tell("tool_call", "h", `,"kind":"switch_mode"`)
	ask("9", `{"toolCallId":"h","rawInput":{"path":"a"}}`, "asked")
	tell("tool_call", "i", `,"_meta":{"claudeCode":{"toolName":"Bash"}},"kind":"execute","rawInput":{}`)
	ask("10", `{"toolCallId":"i","rawInput":{"command":"rm x"},"title":"ls"}`, "no")
	p.agent.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call","toolCallId":"j","kind":"execute","rawInput":{"command":"rm x"},"rawInput":{"command":"ls"}}}}`)
	ask("11", `{"toolCallId":"j"}`, "asked") // what can be read in two ways was not said
}

// TestThePersonsAnswer: it holds as far as its option says, is an option that was
// offered, and beats no deny.
func TestThePersonsAnswer(t *testing.T) {
	p := start(t, everyday)
	p.open()
	ask := func(id, command, answer, want string) {
		t.Helper()
		p.asks(id, run("c"+id, command), usual)
		if answer != "" {
			if m := p.editor.next(); string(m.ID) != id {
				t.Fatalf("%+v", m)
			}
			p.editor.say(`{"jsonrpc":"2.0","id":` + id + `,` + answer + `}`)
		}
		if m := p.agent.next(); m.word() != want || string(m.ID) != id {
			t.Errorf("%s, %s: %+v, want %s", command, answer, m, want)
		}
	}
	selected := func(option string) string {
		return `"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}`
	}
	ask("1", "git push a", selected("yes"), "yes")
	ask("2", "git push a", selected("yes"), "yes")    // once was for once
	ask("3", "git push b", selected("always"), "yes") // kept here, so that the agent goes on asking
	ask("4", "git push b", "", "yes")
	ask("5", "git push c", selected("no"), "no")
	ask("6", "git push c", "", "no") // and is not asked again
	ask("7", "git push d", selected("maybe"), "no")
	ask("8", "git push d", selected("allow_once"), "no")
	ask("9", "git push d", `"result":{"outcome":{"outcome":"selected","optionId":"yes","optionId":"no"}}`, "no")
	ask("10", "git push d", `"result":{"outcome":{"outcome":"Selected","optionId":"yes"}}`, "no")
	ask("11", "git push d", `"result":{}`, "no")
	ask("12", "git push d", `"error":{"code":-32601,"message":"x"}`, "error -32601")
	ask("13", "git push d", `"result":{"outcome":{"outcome":"cancelled"}}`, "cancelled")
	ask("14", "git push d; rm x", "", "no")
	p.asks("15", run("c15", "git push e"), usual)
	text := ""
	for _, c := range p.editor.next().Params.ToolCall.Content {
		text += c.Content.Text
	}
	if !strings.Contains(text, "git push e") || !strings.Contains(text, "No rule allows the command") {
		t.Errorf("the person is shown %q", text)
	}
	got := ""
	for _, r := range p.records() {
		got += r.Event + " " + r.Text + "\n"
	}
	for _, want := range []string{"begin git push a", "refused git push d; rm x", "answer git push c"} {
		if !strings.Contains(got, want) {
			t.Errorf("not in the log: %s\n%s", want, got)
		}
	}
}
