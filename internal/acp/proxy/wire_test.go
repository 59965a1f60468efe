package proxy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mayi/internal/acp/proxy"
)

// TestWhatPassesUntouched: byte for byte, whatever is in it.
func TestWhatPassesUntouched(t *testing.T) {
	p := start(t, `{}`)
	p.open()
	update := func(rest string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":` + rest + `}}`
	}
	for _, line := range []string{
		update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<&>\u2028\u0000 é"}}`),
		update(`{"sessionUpdate":"something_new","x":[1.0,1e400,{"y":null}]}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"1","kind":5,"content":"x","rawInput":[1]}`),
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"tool_call","toolCallId":"1"}}}`,
		`{ "method" : "_own/thing" , "params" : [ 1 , 2 ] , "jsonrpc" : "2.0" }`,
		`{"jsonrpc":"2.0","id":"x\"y","method":"_own/request","params":{"a":1,"a":2},"more":{}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"elicitation/create","params":null}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9007199254740993}}`,
	} {
		p.agent.say(line)
		p.editor.gets(line)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"x\"y","result":{"<a>":[1.0]}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-1,"message":"no","data":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"session/prompt","params":{"sessionId":"S","prompt":[{"type":"text","text":"</a>"}]}}`,
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S"}}`,
		`{"id":-3,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"e"},"clientCapabilities":{"x":{}}},"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":4,"method":"authenticate","params":{}}`,
	} {
		p.editor.say(line)
		p.agent.gets(line)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1.5,"result":{"stopReason":"cancelled"}}`,
		`{"jsonrpc":"2.0","id":-3,"result":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"log in"}}`,
	} {
		p.agent.say(line)
		p.editor.gets(line)
	}
	// A batch is taken apart.
	p.agent.say(`[` + update(`{"sessionUpdate":"a"}`) + `, ` + update(`{"sessionUpdate":"b"}`) + `]`)
	p.editor.gets(update(`{"sessionUpdate":"a"}`))
	p.editor.gets(update(`{"sessionUpdate":"b"}`))
}

// TestWhatDoesNotPass: what two readers could take for two things, what pretends
// to be something else, and what is no message.
func TestWhatDoesNotPass(t *testing.T) {
	p := start(t, `{}`)
	p.open()
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/request_permission","params":{"sessionId":"S"}}`,
		`{"jsonrpc":"2.0","method":"fs/write_text_file","params":{"sessionId":"S","path":"/x","content":""}}`,
		`{"jsonrpc":"2.0","method":"Session/Update","params":{}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"a","sessionUpdate":"current_mode_update"}}}`,
		`{"jsonrpc":"2.0","method":"session/update","method":"x","params":{}}`,
		`{"jsonrpc":"2.0","id":5,"result":{}}`,
		`{"jsonrpc":"2.0","id":5,"error":{"code":1}}`,
		"not json", "{}", "\xff\xfe",
	} {
		p.agent.say(line)
	}
	for _, line := range []string{`{"jsonrpc":"2.0","id":6,"result":{}}`, "nor this", `{"jsonrpc":"2.0","method":"session/set_mode","params":{"sessionId":"S","modeId":"yolo"}}`} {
		p.editor.say(line)
	}
	if m := p.editor.next(); m.Error.Code != -32600 { // the answer to "nor this"
		t.Errorf("%+v", m)
	}
	p.editor.say(`{"jsonrpc":"2.0","id":7,"method":"session/Set_Mode","params":{"sessionId":"S","modeId":"yolo"}}`)
	if m := p.editor.next(); m.Error.Code != -32601 {
		t.Errorf("%+v", m)
	}
	last := `{"jsonrpc":"2.0","method":"_last","params":{}}`
	p.agent.say(last)
	p.editor.gets(last)
	p.editor.say(last)
	for m := p.agent.hear(); m != last; m = p.agent.hear() {
		if !strings.Contains(m, `"error"`) {
			t.Errorf("the agent heard %s", m)
		}
	}
	// Requests of the agent's that cannot be read are answered.
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":8,"method":"session/Request_Permission","params":{}}`,
		`{"jsonrpc":"2.0","id":8,"method":"session/request_permission"}`,
		`{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"T","toolCall":{"toolCallId":"1"},"options":` + usual + `}}`,
		`{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"S","toolCall":{"toolCallId":"1"}}}`,
		`{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"S","options":` + usual + `}}`,
		`{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"S","toolCall":{"toolCallId":"1","kind":"read","kind":"execute"},"options":` + usual + `}}`,
		`{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"S","toolCall":{"toolCallId":"1"},"options":[{"optionId":"a","kind":"reject_once","name":"No"},{"optionId":"a","kind":"allow_once","name":"Yes"}]}}`,
	} {
		p.agent.say(line)
		if m := p.agent.next(); m.Error.Code == 0 || string(m.ID) != "8" {
			t.Errorf("%s: %+v", line, m)
		}
	}
}

// TestOrder: a thousand messages in each direction, with requests that are
// decided and questions that stay open between them, arrive in order, each once.
func TestOrder(t *testing.T) {
	const n = 1000
	p := start(t, everyday)
	p.open()
	big := strings.Repeat("x", 2000)
	go func() {
		for i := range n {
			switch {
			case i%10 == 3:
				p.asks(fmt.Sprint(100000+i), run(fmt.Sprint("c", i), "ls"), usual)
			case i%100 == 7:
				p.asks(fmt.Sprint(200000+i), run(fmt.Sprint("d", i), fmt.Sprint("git push ", i)), usual)
			}
			p.agent.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"x","n":%d,"text":"%s"}}}`, i, big))
		}
	}()
	go func() {
		for i := range n {
			p.editor.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"_n","params":{"n":%d,"text":"%s"}}`, i, big))
		}
	}()
	heard := make(chan string, 1)
	go func() {
		next, allowed := 0, 0
		for next < n || allowed < n/10 {
			line := p.agent.hear()
			switch {
			case strings.Contains(line, fmt.Sprintf(`"n":%d,`, next)):
				next++
			case strings.Contains(line, `"optionId":"yes"`):
				allowed++
			default:
				heard <- "the agent heard " + line[:min(len(line), 200)]
				return
			}
		}
		heard <- ""
	}()
	next, asked := 0, 0
	for next < n {
		line := p.editor.hear()
		switch {
		case strings.Contains(line, fmt.Sprintf(`"n":%d,`, next)):
			next++
		case strings.Contains(line, fmt.Sprintf("git push %d", next)):
			asked++
		default:
			t.Fatalf("after %d the editor heard %.200s", next, line)
		}
	}
	if got := <-heard; got != "" || asked != n/100 {
		t.Errorf("%s; %d questions", got, asked)
	}
}

// TestHugeMessages: 20 MB pass, and are decided.
func TestHugeMessages(t *testing.T) {
	p := start(t, everyday)
	p.open()
	huge := strings.Repeat("y", 20<<20)
	line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call","toolCallId":"1","kind":"edit","content":[{"type":"diff","path":"` + p.space + `/a","newText":"` + huge + `"}]}}}`
	go p.agent.say(line)
	if got := p.editor.hear(); got != line {
		t.Errorf("%d bytes of %d", len(got), len(line))
	}
	p.asks("1", `{"toolCallId":"1"}`, usual)
	if got := p.agent.next().word(); got != "yes" {
		t.Error(got)
	}
	write := request("2", "fs/write_text_file", `"path":"`+p.space+`/a","content":"`+huge+`"`)
	go p.agent.say(write)
	if got := p.editor.hear(); got != write {
		t.Errorf("%d bytes of %d", len(got), len(write))
	}
}

// TestAnAgentThatDoesNotListen does not stop what it says from being heard: two
// sides that wait for one another would stand still.
func TestAnAgentThatDoesNotListen(t *testing.T) {
	p := start(t, everyday)
	p.open()
	for i := range 100 {
		p.asks(fmt.Sprint(1000+i), run("c", "rm x"), usual)
	}
	last := `{"jsonrpc":"2.0","method":"_last"}`
	p.agent.say(last)
	p.editor.gets(last)
	for range 100 {
		if got := p.agent.next().word(); got != "no" {
			t.Fatal(got)
		}
	}
}

// TestTheAgentDies: what the editor waits for is answered, and it is told.
func TestTheAgentDies(t *testing.T) {
	p := start(t, everyday)
	p.open()
	p.editor.say(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"S"}}`)
	p.agent.hear()
	p.asks("1", run("a", "git push"), usual) // asked at the editor
	p.editor.hear()
	p.agent.say(request("2", "terminal/create", `"command":"make"`)) // asked by mayi
	p.editor.hear()
	p.asks("3", run("b", "touch x"), usual) // allowed, and not heard of again
	p.agent.hear()
	p.agent.out.Close()
	var last message
	for last = p.editor.next(); string(last.ID) != `"p"`; last = p.editor.next() {
		if last.Method == "" && last.Error.Code == 0 {
			t.Errorf("%+v", last)
		}
	}
	if !strings.Contains(last.Error.Message, "the agent has ended") {
		t.Errorf("%+v", last)
	}
	p.editor.hung()
	select {
	case err := <-p.done:
		if !errors.Is(err, proxy.ErrAgentEnded) {
			t.Error(err)
		}
		p.done <- err
	case <-time.After(patience):
		t.Fatal("the proxy did not end")
	}
	got := ""
	for _, r := range p.records() {
		got += r.Event + " " + r.Text + ": " + r.Outcome + "\n"
	}
	if !strings.Contains(got, "end touch x: the session ended before it was told") || strings.Contains(got, "begin git push") || strings.Contains(got, "begin make") {
		t.Error(got)
	}
}

// TestTheEditorDies: the agent is ended, and what was asked is not allowed.
func TestTheEditorDies(t *testing.T) {
	p := start(t, everyday)
	p.open()
	p.agent.say(request("2", "terminal/create", `"command":"make"`))
	p.editor.hear()
	p.asks("1", run("a", "git push"), usual)
	p.editor.hear()
	p.editor.say(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"S"}}`)
	for line := p.agent.hear(); !strings.Contains(line, "session/prompt"); line = p.agent.hear() {
		t.Errorf("the agent heard %s", line)
	}
	p.editor.out.Close()
	// What it has asked for is answered; nobody can be asked any more.
	if m := p.agent.next(); m.Error.Code != proxy.CodeRefused { // the question about make
		t.Errorf("%+v", m)
	}
	p.asks("3", run("b", "git pull"), usual)
	if got := p.agent.next().word(); got != "no" {
		t.Errorf("without an editor git pull was answered %s", got)
	}
	p.agent.say(`{"jsonrpc":"2.0","id":"p","result":{}}`)
	for line := p.editor.hear(); line != `{"jsonrpc":"2.0","id":"p","result":{}}`; line = p.editor.hear() {
		if !strings.Contains(line, "$/cancel_request") && !strings.Contains(line, "session/update") {
			t.Errorf("the editor heard %s", line)
		}
	}
	for line, ok := <-p.agent.lines; ok; line, ok = <-p.agent.lines {
		if strings.Contains(line, `"result"`) {
			t.Errorf("the agent heard %s", line)
		}
	}
	select {
	case err := <-p.done:
		if err != nil {
			t.Error(err)
		}
		p.done <- err
	case <-time.After(patience):
		t.Fatal("the proxy did not end")
	}
	for _, r := range p.records() {
		if r.Event == "begin" {
			t.Errorf("%+v", r)
		}
	}
}

// TestBrokenSettings: what would run is denied, what does not is passed.
func TestBrokenSettings(t *testing.T) {
	p := start(t, `{"remote_default_mode":"auto","permissions":{"alow":[]}}`)
	p.opens(modesOf("plan", "plan", "yolo"))
	p.editor.hear()
	p.asks("1", run("a", "ls"), usual)
	if got := p.agent.next().word(); got != "no" {
		t.Error(got)
	}
	p.agent.say(request("2", "fs/write_text_file", `"path":"`+p.space+`/a","content":""`))
	if m := p.agent.next(); m.Error.Code != proxy.CodeRefused || !strings.Contains(m.Error.Message, "settings") {
		t.Errorf("%+v", m)
	}
	line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"x"}}}`
	p.agent.say(line)
	p.editor.gets(line)
}
