package proxy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answered lets the agent ask about a call in session S, and the person choose an
// option.
func (p place) answered(id, call, option string) {
	p.t.Helper()
	p.asks(id, call, usual)
	p.editor.hear()
	p.chooses(id, option)
}

func (p place) chooses(id, option string) {
	p.t.Helper()
	p.editor.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}`)
	p.agent.hear()
}

// asked sends a request of the agent's and reports whether the person is asked
// about it, who then says no.
func (p place) asked(line string) bool {
	p.t.Helper()
	p.agent.say(line)
	m := p.editor.next()
	if m.Method != "session/request_permission" {
		return false
	}
	p.editor.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"cancelled"}}}`)
	p.agent.hear()
	for m := p.editor.next(); m.Method != "session/update"; m = p.editor.next() {
		p.t.Errorf("%+v", m)
	}
	return true
}

// tells is a session/update about a call, which the editor hears of.
func (p place) tells(update string) {
	p.t.Helper()
	p.agent.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{` + update + `}}}`)
	p.editor.hear()
}

// change is a call of the id that changes a file; a change is its old text, "-"
// for none, and its new one.
func change(id, path string, changes ...[2]string) string {
	var blocks []map[string]any
	for _, c := range changes {
		b := map[string]any{"type": "diff", "path": path, "oldText": c[0], "newText": c[1]}
		if c[0] == "-" {
			b["oldText"] = nil
		}
		blocks = append(blocks, b)
	}
	raw, _ := json.Marshal(map[string]any{"toolCallId": id, "kind": "edit", "content": blocks})
	return string(raw)
}

func write(id, path, content string) string {
	raw, _ := json.Marshal(content)
	return request(id, "fs/write_text_file", `"path":"`+path+`","content":`+string(raw))
}

// TestNobodyIsAskedTwice: the answer to a tool call covers the one request that
// belongs to it, where it is for exactly what the person was shown.
func TestNobodyIsAskedTwice(t *testing.T) {
	type changes = [][2]string
	for _, c := range []struct {
		name string
		// was is what the file holds, "-" for none; then what it holds when it
		// is written to, "" for the same.
		was, then string
		shown     changes
		written   string
		asked     bool
	}{
		{"a new file", "-", "", changes{{"-", "one\n"}}, "one\n", false},
		{"a new file, by an empty old text", "-", "", changes{{"", "one\n"}}, "one\n", false},
		{"a new content for the whole", "old\n", "", changes{{"-", "one\n"}}, "one\n", false},
		{"the whole before and after", "old\n", "", changes{{"old\n", "one\n"}}, "one\n", false},
		{"nothing instead", "old\n", "", changes{{"old\n", ""}}, "", false},
		{"a part", "a\nold\nb\n", "", changes{{"old", "one"}}, "a\none\nb\n", false},
		{"a part taken out", "a\nold\nb\n", "", changes{{"old\n", ""}}, "a\nb\n", false},
		{"two parts", "a\nold\nb\n", "", changes{{"old", "one"}, {"b", "two"}}, "a\none\ntwo\n", false},

		{"something else", "-", "", changes{{"-", "one"}}, "two", true},
		{"more than was shown", "-", "", changes{{"-", "one"}}, "the one", true},
		{"more around the part", "a\nold\nb\n", "", changes{{"old", "one"}}, "a\none\nb\ncurl x | sh\n", true},
		{"the part alone", "a\nold\nb\n", "", changes{{"old", "one"}}, "one", true},
		{"a part of the whole that was shown", "old\n", "", changes{{"-", "one\ntwo\n"}}, "one\n", true},
		{"one of two parts", "a\nold\nb\n", "", changes{{"old", "one"}, {"b", "two"}}, "a\none\nb\n", true},
		{"a part that is there twice", "old\nold\n", "", changes{{"old", "one"}}, "one\nold\n", true},
		{"a part that is there twice, overlapping", "aaa", "", changes{{"aa", "b"}}, "ba", true},
		{"a part that is not there", "a\n", "", changes{{"old", "one"}}, "one", true},
		{"a part of what is not there", "-", "", changes{{"old", "one"}}, "one", true},
		{"an empty old text where there is one", "old\n", "", changes{{"", "one\n"}}, "one\n", true},
		{"a whole and a part", "old\n", "", changes{{"-", "one\n"}, {"one", "two"}}, "two\n", true},
		{"a file that has changed since", "a\nold\n", "b\nold\n", changes{{"old", "one"}}, "b\none\n", true},
		{"a file as it was before it changed", "a\nold\n", "b\nold\n", changes{{"old", "one"}}, "a\none\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, everyday)
			p.open()
			file := p.space + "/.git/hooks/pre-commit"
			put := func(text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if c.was != "-" {
				put(c.was)
			}
			p.answered("1", change("a", file, c.shown...), "yes")
			if c.then != "" {
				put(c.then)
			}
			if asked := p.asked(write("2", file, c.written)); asked != c.asked {
				t.Errorf("asked about it: %v, want %v", asked, c.asked)
			}
			if !c.asked && !p.asked(write("3", file, c.written)) {
				t.Error("one answer has covered two requests")
			}
		})
	}
}

// TestAnswersAboutCommands cover the very command, in its folder, and nothing
// that was not shown.
func TestAnswersAboutCommands(t *testing.T) {
	for _, c := range []struct {
		name, shown, asks string
		asked             bool
	}{
		{"the same", `{"command":"make"}`, `"command":"make"`, false},
		{"the same, in words", `{"command":["make","a b"]}`, `"command":"make 'a b'"`, false},
		{"the folder that it has anyway", `{"command":"make"}`, `"command":"make","cwd":"@"`, false},
		{"a mark of the agent's", `{"command":"make"}`, `"command":"make","env":[{"name":"CLAUDECODE","value":"1"}]`, false},
		{"arguments that are the same to every shell", `{"command":"make all"}`, `"command":"make","args":["all"]`, false},
		{"the folder that was shown", `{"command":"make","cwd":"@/sub"}`, `"command":"make","cwd":"@/sub"`, false},

		{"another command", `{"command":"make"}`, `"command":"make all"`, true},
		{"a variable that steers", `{"command":"make"}`, `"command":"make","env":[{"name":"LD_PRELOAD","value":"/tmp/x"}]`, true},
		{"a variable that only make reads", `{"command":"make"}`, `"command":"make","env":[{"name":"GOAL","value":"x"}]`, true},
		{"a mark with something else in it", `{"command":"make"}`, `"command":"make","env":[{"name":"CLAUDECODE","value":"2"}]`, true},
		{"another folder", `{"command":"make"}`, `"command":"make","cwd":"@/sub"`, true},
		{"not the folder that was shown", `{"command":"make","cwd":"@/sub"}`, `"command":"make"`, true},
		{"arguments that a shell reads in another way", `{"command":"make 'a b'"}`, `"command":"make","args":["a b"]`, true},
		{"more arguments", `{"command":"make"}`, `"command":"make","args":["all"]`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, everyday)
			if err := os.Mkdir(p.space+"/sub", 0o755); err != nil {
				t.Fatal(err)
			}
			p.open()
			in := func(s string) string { return strings.ReplaceAll(s, "@", p.space) }
			p.answered("1", `{"toolCallId":"a","kind":"execute","title":"run","rawInput":`+in(c.shown)+`}`, "yes")
			if asked := p.asked(request("2", "terminal/create", in(c.asks))); asked != c.asked {
				t.Errorf("asked about it: %v, want %v", asked, c.asked)
			}
			if !c.asked && !p.asked(request("3", "terminal/create", in(c.asks))) {
				t.Error("one answer has covered two requests")
			}
		})
	}
}

// TestAnswersEnd: with their call, with their turn, where the call is asked about
// again, and where the agent said more of it under the question; and they are
// nothing to another session.
func TestAnswersEnd(t *testing.T) {
	const ended = `"sessionUpdate":"tool_call_update","toolCallId":"a","status":"failed"`
	for _, c := range []struct {
		name  string
		asked bool
		do    func(p place, call string)
	}{
		{"nothing happens", false, func(p place, call string) { p.answered("1", call, "yes") }},
		{"the call goes on", false, func(p place, call string) {
			p.asks("1", call, usual)
			p.editor.hear()
			p.tells(`"sessionUpdate":"tool_call_update","toolCallId":"a","status":"in_progress"`)
			p.chooses("1", "yes")
			p.tells(`"sessionUpdate":"tool_call_update","toolCallId":"a","title":"x"`)
		}},
		{"another call ends", false, func(p place, call string) {
			p.answered("1", call, "yes")
			p.tells(strings.ReplaceAll(ended, `"a"`, `"b"`))
		}},
		{"the call has ended", true, func(p place, call string) {
			p.answered("1", call, "yes")
			p.tells(ended)
		}},
		{"the call ended under the question", true, func(p place, call string) {
			p.asks("1", call, usual)
			p.editor.hear()
			p.tells(ended)
			p.chooses("1", "yes")
		}},
		{"something else is shown under the question", true, func(p place, call string) {
			p.asks("1", call, usual)
			p.editor.hear()
			p.tells(`"sessionUpdate":"tool_call_update","toolCallId":"a","content":[]`)
			p.chooses("1", "yes")
		}},
		{"the id is used for a new call", true, func(p place, call string) {
			p.answered("1", call, "yes")
			p.tells(`"sessionUpdate":"tool_call","toolCallId":"a","title":"x"`)
		}},
		{"the person said no the second time", true, func(p place, call string) {
			p.answered("1", call, "yes")
			p.answered("2", change("a", p.space+"/.git/config", [2]string{"-", "x"}), "no")
		}},
		{"the turn ends", true, func(p place, call string) {
			p.editor.say(`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"S","prompt":[]}}`)
			p.agent.hear()
			p.answered("1", call, "yes")
			p.agent.say(`{"jsonrpc":"2.0","id":5,"result":{"stopReason":"end_turn"}}`)
			p.editor.hear()
		}},
		{"the turn fails", true, func(p place, call string) {
			p.editor.say(`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"S","prompt":[]}}`)
			p.agent.hear()
			p.answered("1", call, "yes")
			p.agent.say(`{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"x"}}`)
			p.editor.hear()
		}},
		{"the turn ends under the question", true, func(p place, call string) {
			p.editor.say(`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"S","prompt":[]}}`)
			p.agent.hear()
			p.asks("1", call, usual)
			p.editor.hear()
			p.agent.say(`{"jsonrpc":"2.0","id":5,"result":{"stopReason":"end_turn"}}`)
			p.editor.hear()
			p.chooses("1", "yes")
		}},
		{"another turn begins", true, func(p place, call string) {
			p.answered("1", call, "yes")
			p.editor.say(`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"S","prompt":[]}}`)
			p.agent.hear()
		}},
		{"the turn is cancelled", true, func(p place, call string) {
			p.answered("1", call, "yes")
			p.editor.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S"}}`)
			p.agent.hear()
		}},
		{"it was another session's", true, func(p place, call string) {
			p.editor.say(`{"jsonrpc":"2.0","id":8,"method":"session/new","params":{"cwd":"` + p.space + `","mcpServers":[]}}`)
			p.agent.hear()
			p.agent.say(`{"jsonrpc":"2.0","id":8,"result":{"sessionId":"T"}}`)
			p.editor.hear()
			p.agent.say(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"T","toolCall":` + call + `,"options":` + usual + `}}`)
			p.editor.hear()
			p.chooses("1", "yes")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, everyday)
			p.open()
			file := p.space + "/.git/hooks/pre-commit"
			c.do(p, change("a", file, [2]string{"-", "one"}))
			if asked := p.asked(write("9", file, "one")); asked != c.asked {
				t.Errorf("asked about it: %v, want %v", asked, c.asked)
			}
		})
	}
}

// TestAnswersAndLinks: what was answered about a name holds for that name, while
// it leads to the same file.
func TestAnswersAndLinks(t *testing.T) {
	for _, c := range []struct {
		name, dir, then, writes string
		asked                   bool
	}{
		{"the link", "/.git/hooks/", "pre-commit", "/link", false},
		{"the link turned", "/.git/hooks/", "pre-push", "/link", true},
		{"a link that a rule asks about", "/", "pre-commit", "/link", false},
		{"a link that a rule asks about, turned", "/", "other", "/link", true},
		{"its file by another name", "/.git/hooks/", "pre-commit", "/.git/hooks/pre-commit", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, strings.Replace(everyday, `"allow"`, `"ask":["tool(write)"],"allow"`, 1))
			p.open()
			dir := p.space + c.dir
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			lead := func(to string) {
				t.Helper()
				_ = os.Remove(p.space + "/link")
				if err := os.Symlink(dir+to, p.space+"/link"); err != nil {
					t.Fatal(err)
				}
			}
			lead("pre-commit")
			call := change("a", p.space+"/link", [2]string{"-", "one"})
			// By the tool's own name the question is the same for every file.
			call = strings.Replace(call, `"kind":"edit"`, `"_meta":{"claudeCode":{"toolName":"Write"}},"rawInput":{"file_path":"`+p.space+`/link","content":"one"}`, 1)
			p.answered("1", call, "yes")
			lead(c.then)
			if asked := p.asked(write("2", p.space+c.writes, "one")); asked != c.asked {
				t.Errorf("asked about it: %v, want %v", asked, c.asked)
			}
		})
	}
}

// TestOneAnswerForOneRequest also where the call names its file in several ways.
func TestOneAnswerForOneRequest(t *testing.T) {
	p := start(t, strings.Replace(everyday, "{", `{"askNonWorkspaceAccess":true,`, 1))
	p.open()
	if err := os.WriteFile(p.dir+"/far", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file, other := p.dir+"/./far", p.dir+"/far"
	p.answered("1", `{"toolCallId":"a","kind":"read","locations":[{"path":"`+file+`"},{"path":"`+other+`"}],"rawInput":{}}`, "yes")
	read := func(id, name string) string { return request(id, "fs/read_text_file", `"path":"`+name+`"`) }
	if p.asked(read("2", file)) {
		t.Error("asked about what was answered")
	}
	if !p.asked(read("3", other)) {
		t.Error("one answer has covered two requests")
	}
}

// TestManyChanges: of very many files the first ones are followed; the others are
// asked about again.
func TestManyChanges(t *testing.T) {
	p := start(t, everyday)
	p.open()
	var blocks []string
	name := func(i int) string { return fmt.Sprintf("%s/.git/hooks/f%03d", p.space, i) }
	for i := range 65 {
		blocks = append(blocks, `{"type":"diff","path":"`+name(i)+`","oldText":"","newText":"one"}`)
	}
	p.answered("1", `{"toolCallId":"a","kind":"edit","content":[`+strings.Join(blocks, ",")+`]}`, "yes")
	if p.asked(write("2", name(63), "one")) {
		t.Error("asked about one of the first")
	}
	if !p.asked(write("3", name(64), "one")) {
		t.Error("the one too many was not asked about")
	}
}
