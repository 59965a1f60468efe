package hook_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"mayi/internal/hook"
	"mayi/pkg/approval"
)

// wire is a running PicoClaw hook, from its other side.
type wire struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Scanner
	done chan error
	p    *place
}

func (p *place) start(t *testing.T, change ...func(*hook.Options)) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o := p.options("picoclaw", "", nil, nil)
	o.Stdin, o.Stdout, o.Stderr = inR, outW, io.Discard
	for _, f := range change {
		f(&o)
	}
	w := &wire{t: t, in: inW, out: bufio.NewScanner(outR), done: make(chan error, 1), p: p}
	go func() {
		_, err := hook.Run(context.Background(), o)
		outW.Close()
		w.done <- err
	}()
	t.Cleanup(func() { inW.Close() })
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, w.p.real(line)+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) receive() string {
	w.t.Helper()
	if !w.out.Scan() {
		w.t.Fatalf("no more messages: %v", w.out.Err())
	}
	return w.p.shown(w.out.Text())
}

func approve(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"hook.approve_tool","params":{"meta":{"SessionKey":"k1"},"context":{},"tool":%q,"arguments":%s}}`, id, tool, arguments)
}

func TestPicoClawsMessages(t *testing.T) {
	w := newPlace(t, everyday).start(t)
	for _, c := range [][2]string{
		{`{"jsonrpc":"2.0","id":1,"method":"hook.hello","params":{"name":"mayi","version":1,"modes":["approve"]}}`, `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`},
		{approve(2, "exec", `{"action":"run","command":"rm a"}`), `{"jsonrpc":"2.0","id":2,"result":{"approved":false,"reason":"mayi: rm a is denied by command(rm)"}}`},
		{approve(3, "exec", `{"action":"run","command":"touch a"}`), `{"jsonrpc":"2.0","id":3,"result":{"approved":true,"reason":"mayi: touch a is allowed by command(touch)"}}`},
		{approve(4, "exec", `"touch a"`), `{"jsonrpc":"2.0","id":4,"result":{"approved":false,"reason":"mayi: the hook's input cannot be used: arguments is no object"}}`},
		{approve(5, "exec", `{"command":"rm a","command":"touch a"}`), `{"jsonrpc":"2.0","id":5,"result":{"approved":false,"reason":"mayi: the hook's input cannot be used: the key \"command\" stands twice in one object"}}`},
		{`{"jsonrpc":"2.0","id":6,"method":"hook.approve_tool"}`, `{"jsonrpc":"2.0","id":6,"result":{"approved":false,"reason":"mayi: the hook's input cannot be used: it is empty"}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"hook.before_tool","params":{"tool":"exec","arguments":{"command":"rm a"}}}`, `{"jsonrpc":"2.0","id":7,"result":{"action":"continue"}}`},
		{`{"jsonrpc":"2.0","id":"x","method":"hook.nonsense"}`, `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"the method hook.nonsense is not known"}}`},
		{`not JSON`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not readable"}}`},
	} {
		w.send(c[0])
		if got := w.receive(); got != c[1] {
			t.Errorf("%s is answered\n%s\nwant\n%s", c[0], got, c[1])
		}
	}
	w.send("")
	w.send(`{"jsonrpc":"2.0","method":"hook.note"}`) // a notification has no answer
	w.in.Close()
	if err := <-w.done; err != nil || w.out.Scan() {
		t.Errorf("at the end: %v %q", err, w.out.Text())
	}
}

// TestPicoClawsQuestionsHoldNothingUp: while one call waits for a person, others
// are answered; the answer comes under the call's own number.
func TestPicoClawsQuestionsHoldNothingUp(t *testing.T) {
	p := newPlace(t, everyday)
	p.wait = time.Minute
	w := p.start(t)
	w.send(approve(1, "exec", `{"command":"make"}`))
	w.send(approve(2, "exec", `{"command":"touch a"}`))
	if got := w.receive(); !strings.Contains(got, `"id":2`) || !strings.Contains(got, `"approved":true`) {
		t.Errorf("first came %s", got)
	}
	q := p.answer(t, approval.Once)
	if q.Session != "picoclaw:k1" {
		t.Errorf("the question is of the session %q", q.Session)
	}
	if got := w.receive(); !strings.Contains(got, `"id":1`) || !strings.Contains(got, `"approved":true`) {
		t.Errorf("then came %s", got)
	}
}

// TestPicoClawIsAnsweredInTime, also where the decision hangs or breaks.
func TestPicoClawIsAnsweredInTime(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	for name, open := range map[string]func(hook.Place) (*hook.Door, error){
		"hangs":  func(hook.Place) (*hook.Door, error) { <-hang; return nil, io.EOF },
		"panics": func(hook.Place) (*hook.Door, error) { panic("x") },
		"fails":  func(hook.Place) (*hook.Door, error) { return nil, hook.ErrNeedsStore },
	} {
		w := newPlace(t, everyday).start(t, func(o *hook.Options) { o.Open, o.Limit = open, 200*time.Millisecond })
		w.send(approve(1, "exec", `{"command":"touch a"}`))
		var m struct {
			Result struct {
				Approved *bool
				Reason   string
			}
		}
		if err := json.Unmarshal([]byte(w.receive()), &m); err != nil || m.Result.Approved == nil || *m.Result.Approved || m.Result.Reason == "" {
			t.Errorf("%s: %+v (%v)", name, m, err)
		}
	}
}

// TestPicoClawsLongMessages: one that is too long is refused, and the next read.
func TestPicoClawsLongMessages(t *testing.T) {
	w := newPlace(t, everyday).start(t)
	w.send(approve(1, "write_file", `{"path":"a","content":"`+strings.Repeat("x", hook.MaxInput)+`"}`))
	if got := w.receive(); !strings.Contains(got, `"error"`) {
		t.Errorf("%.200s", got)
	}
	w.send(approve(2, "exec", `{"command":"touch a"}`))
	if got := w.receive(); !strings.Contains(got, `"approved":true`) {
		t.Errorf("%.200s", got)
	}
}

// TestPicoClawsBadMessages: whatever comes in that is no call is answered with a
// refusal, and the next one is answered as ever.
func TestPicoClawsBadMessages(t *testing.T) {
	p := newPlace(t, everyday)
	w := p.start(t)
	good := approve(1, "exec", `{"action":"run","command":"touch a"}`)
	for what, line := range map[string]string{
		"truncated":                good[:len(good)-20],
		"params is null":           `{"jsonrpc":"2.0","id":1,"method":"hook.approve_tool","params":null}`,
		"params is a list":         `{"jsonrpc":"2.0","id":1,"method":"hook.approve_tool","params":[1]}`,
		"params is a text":         `{"jsonrpc":"2.0","id":1,"method":"hook.approve_tool","params":"exec"}`,
		"no tool":                  `{"jsonrpc":"2.0","id":1,"method":"hook.approve_tool","params":{"arguments":{"command":"touch a"}}}`,
		"the tool is a number":     strings.Replace(good, `"exec"`, "7", 1),
		"the tool has a NUL":       strings.Replace(good, `"exec"`, `"exec\u0000"`, 1),
		"no arguments":             strings.Replace(good, `"arguments"`, `"argument"`, 1),
		"arguments in capitals":    strings.Replace(good, `"arguments"`, `"ARGUMENTS"`, 1),
		"arguments twice":          strings.Replace(good, `"arguments"`, `"ARGUMENTS":{"command":"rm a"},"arguments"`, 1),
		"the command is a list":    strings.Replace(good, `"touch a"`, `["touch a"]`, 1),
		"the command is a number":  strings.Replace(good, `"touch a"`, "1e99999", 1),
		"the command has a NUL":    strings.Replace(good, "touch a", `touch a\u0000`, 1),
		"another case":             strings.Replace(good, `"command"`, `"Command":"rm a","command"`, 1),
		"another action":           strings.Replace(good, `"run"`, `"run ","Action":"run"`, 1),
		"a folder that is no text": strings.Replace(good, `"command"`, `"cwd":7,"command"`, 1),
		"deep":                     strings.Replace(good, `"touch a"`, strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000), 1),
		"no UTF-8":                 strings.Replace(good, "touch a", "touch \xff", 1),
		"10 MB":                    strings.Replace(good, "touch a", "touch "+strings.Repeat("a", 10<<20), 1),
	} {
		w.send(line)
		if got := w.receive(); !strings.Contains(got, `"approved":false,"reason":"mayi: `) && !strings.Contains(got, `"error":{`) {
			t.Errorf("%s: %.300s is answered %s", what, line, got)
		}
		w.send(good)
		if got := w.receive(); !strings.Contains(got, `"approved":true`) {
			t.Fatalf("after %s: %s", what, got)
		}
	}
}
