package proxy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mayi/internal/mcp/proxy"
	"mayi/pkg/approval"
)

// patience bounds what must happen; it is never waited for when all is well.
const patience = 30 * time.Second

// wire is one side of a proxy, spoken to line by line.
type wire struct {
	t     testing.TB
	name  string
	w     io.Writer
	lines chan string
}

func newWire(t testing.TB, name string, r io.Reader, w io.Writer) *wire {
	out := &wire{t: t, name: name, w: w, lines: make(chan string, 10_000)}
	go func() {
		defer close(out.lines)
		in := bufio.NewReaderSize(r, 1<<20)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			out.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return out
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w.w, l+"\n"); err != nil {
			w.t.Fatalf("the %s cannot write: %v", w.name, err)
		}
	}
}

// next is the next line that comes out on this side.
func (w *wire) next() string {
	w.t.Helper()
	select {
	case l := <-w.lines:
		return l
	case <-time.After(patience):
		w.t.Fatalf("nothing came to the %s", w.name)
	}
	return ""
}

func (w *wire) want(line string) {
	w.t.Helper()
	if got := w.next(); got != line {
		w.t.Fatalf("to the %s came\n%.2000s\nwant\n%.2000s", w.name, got, line)
	}
}

// holds checks that the next line has all the texts in it.
func (w *wire) holds(texts ...string) string {
	w.t.Helper()
	got := w.next()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			w.t.Fatalf("to the %s came\n%.2000s\nwhich lacks %s", w.name, got, text)
		}
	}
	return got
}

// sides starts a proxy with both of its sides in the test's hands.
func sides(t testing.TB, o proxy.Options) (client, server *wire) {
	t.Helper()
	ct, st, _ := run(t, o)
	return newWire(t, "client", ct.Reader, ct.Writer), newWire(t, "server", st.Reader, st.Writer)
}

const list = `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`

// listed lets the client see a list, so that the proxy need not ask for one.
func listed(client, server *wire, tools string) {
	client.t.Helper()
	client.send(list)
	server.want(list)
	server.send(`{"jsonrpc":"2.0","id":"l","result":{"tools":[` + tools + `]}}`)
	client.next()
}

func call(id, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

const open = `{"permissions":{"allow":["mcp(srv.*)"]}}`

// TestWhatIsNoCallPassesAsItCame: in both directions, byte for byte, in order.
func TestWhatIsNoCallPassesAsItCame(t *testing.T) {
	client, server := sides(t, newPlace(t, open).options(t))
	there := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"method":"ping",  "id":1.0e2,"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":"","method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"prompts/get","params":{"name":"p","b":1,"a":2}}`,
		`{"jsonrpc":"2.0","id":"\u00e9","method":"x/unknown","params":[1,2],"extra":{"deep":[null]}}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`,
		`{"jsonrpc":"2.0","id":"srv-1","result":{"roots":[]}}`,
		`{"jsonrpc":"2.0","id":"srv-2","error":{"code":-1,"message":"no","data":{"x":"<>&"}}}`,
	}
	client.send(there...)
	for _, l := range there {
		server.want(l)
	}
	back := []string{
		`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{"listChanged":true}},"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[]}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"<b>&\u2028"}}`,
		`{"jsonrpc":"2.0","id":100,"result":{}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"result":{"z":1,"a":1e400}}`,
		`{"jsonrpc":"2.0","id":"é","error":{"code":-32601,"message":"what?"},"result":null,"more":1}`,
		`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"who?"}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/unknown"}`,
		`{"jsonrpc":"2.0","id":"","result":{"contents":[{"uri":"u","text":"` + strings.Repeat("x", 10<<20) + `"}]}}`,
	}
	server.send(back...)
	for _, l := range back {
		client.want(l)
	}
}

// TestACallAndItsResultPassAsTheyCame: the bytes of an allowed call, its
// progress and its result.
func TestACallAndItsResultPassAsTheyCame(t *testing.T) {
	client, server := sides(t, newPlace(t, open).options(t))
	listed(client, server, `{"name":"a","inputSchema":{"type":"object"}}`)
	c := `{"params":{"arguments":{"n":1.50,"t":"<&>\u00e9"},"_meta":{"progressToken":"p"},"name":"a"},"id": 5 ,"method":"tools/call","jsonrpc":"2.0"}`
	client.send(c)
	server.want(c)
	for _, l := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
		`{"jsonrpc":"2.0","id":5.0,"result":{"structuredContent":{"b":[1,{}],"a":1.50},"content":[{"type":"image","data":"` + strings.Repeat("A", 12<<20) + `"}],"_meta":{"x":1}}}`,
	} {
		server.send(l)
		client.want(l)
	}
}

// TestABatchIsTakenApart: no call in it goes undecided.
func TestABatchIsTakenApart(t *testing.T) {
	client, server := sides(t, newPlace(t, `{"permissions":{"allow":["mcp(srv.a)"],"deny":["mcp(srv.b)"]}}`).options(t))
	listed(client, server, `{"name":"a"},{"name":"b"}`)
	client.send(`[` + call("1", "a", "{}") + `,` + call("2", "b", "{}") + `,{"jsonrpc":"2.0","id":3,"method":"ping"}]`)
	server.want(call("1", "a", "{}"))
	server.want(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	client.holds(`"id":2`, "denied by mcp(srv.b)", `"isError":true`)
}

// TestWhatCouldBeReadInTwoWaysIsNotPassedOn: by anybody's reading of JSON.
func TestWhatCouldBeReadInTwoWaysIsNotPassedOn(t *testing.T) {
	for _, c := range []struct{ line, says string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"b"}}`, "twice"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"b"}}`, "letter case"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","m\u0045thod":"tools/call"}`, "letter case"},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"a"}}`, "twice"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`, "twice"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}`, "letter case"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"path":"x","path":"/etc/passwd"}}}`, "twice"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[{"y":1,"y":2}]}}}`, "twice"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":["x"]}}`, "wrong type"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["a"]}}`, "wrong type"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, "names no tool"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["a"]}`, "no object"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/Call","params":{"name":"a"}}`, "another way"},
		{`{"jsonrpc":"2.0","id":1,"method":" tools/call","params":{"name":"a"}}`, "another way"},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"tools/call","params":{"name":"a"}}`, "neither a text nor a number"},
		{`{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{"name":"a"}}`, "no text"},
		{`{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"a"}}`, "not \\\"2.0\\\""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},"params":{"name":"a"}}`, "at once"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",}}`, "not JSON"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","x":NaN}}`, "not JSON"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\xff\"}}", "UTF-8"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`, "not JSON"},
		{`"tools/call"`, "no object"},
	} {
		client, server := sides(t, newPlace(t, `{"executionMode":"auto"}`).options(t))
		client.send(c.line, `{"jsonrpc":"2.0","method":"after"}`)
		server.want(`{"jsonrpc":"2.0","method":"after"}`)
		client.holds(`"error"`, c.says)
	}
	// What has no id cannot be answered; it is dropped all the same.
	client, server := sides(t, newPlace(t, `{"executionMode":"auto"}`).options(t))
	client.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}`, `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"a"}}`, `{"jsonrpc":"2.0","method":"after"}`)
	server.want(`{"jsonrpc":"2.0","method":"after"}`)
}

// TestAServerCannotDeceive: what it sends beyond an honest answer goes nowhere.
func TestAServerCannotDeceive(t *testing.T) {
	client, server := sides(t, newPlace(t, `{"executionMode":"auto","permissions":{"deny":["mcp(srv.b)"]}}`).options(t))
	listed(client, server, `{"name":"a"}`)
	client.send(call("1", "a", "{}"))
	server.want(call("1", "a", "{}"))
	server.send(
		`{"jsonrpc":"2.0","id":99,"result":{"content":[]}}`,  // unasked
		`{"jsonrpc":"2.0","id":"1","result":{"content":[]}}`, // another id
		`not json`, `[]`, `{}`,
		`{"jsonrpc":"2.0","id":1,"Id":7,"result":{"content":["x"]}}`, // ends the wait, with an error
	)
	client.holds(`"id":1`, `"error"`, "cannot be read")
	server.send(`{"jsonrpc":"2.0","id":1,"result":{"content":["again"]}}`) // answered twice
	// A list that two readers could take in two ways is none.
	for _, bad := range []string{
		`{"tools":[],"tools":[{"name":"b"}]}`,
		`{"tools":[],"Tools":[{"name":"b"}]}`,
		`{"tools":[{"name":"a","name":"b"}]}`,
		`{"tools":[{"name":"a","description":["x"]}]}`,
		`{"tools":[{"description":"x"}]}`,
		`{"tools":{"name":"b"}}`,
		`{"tools":[{"name":"a","inputSchema":{"type":"object","type":"string"}}]}`,
	} {
		client.send(list)
		server.want(list)
		server.send(`{"jsonrpc":"2.0","id":"l","result":` + bad + `}`)
		client.holds(`"id":"l"`, `"error"`, "list of tools cannot be read")
	}
	// An id that is under way is not taken again.
	client.send(call("5", "a", "{}"))
	server.want(call("5", "a", "{}"))
	client.send(call("5", "a", `{"x":1}`), `{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	client.holds("under way")
	client.holds("under way")
	server.send(`{"jsonrpc":"2.0","id":5,"result":{"content":[]}}`)
	client.want(`{"jsonrpc":"2.0","id":5,"result":{"content":[]}}`)
}

// TestACallOfAToolThatWasNotListed: the proxy looks for itself what the tool is,
// before the call and behind what was sent before it.
func TestACallOfAToolThatWasNotListed(t *testing.T) {
	o := newPlace(t, open).options(t)
	client, server := sides(t, o)
	client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, call("1", "a", "{}"), call("2", "a", "{}"))
	server.want(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var asked struct {
		ID     json.RawMessage
		Method string
		Params map[string]any
	}
	page := func(result string) {
		t.Helper()
		if err := json.Unmarshal([]byte(server.next()), &asked); err != nil || asked.Method != "tools/list" {
			t.Fatalf("%+v, %v", asked, err)
		}
		server.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":` + result + `}`)
	}
	page(`{"tools":[{"name":"z"}],"nextCursor":"more"}`)
	page(`{"tools":[{"name":"a","description":"d"}]}`)
	if asked.Params["cursor"] != "more" {
		t.Errorf("the second page was asked for with %v", asked.Params)
	}
	server.want(call("1", "a", "{}"))
	server.want(call("2", "a", "{}"))
	if p, ok := o.Pins.Approved("a"); !ok || p.Tool.Description != "d" {
		t.Errorf("approved: %+v", p)
	}
}

// TestNothingWaitsBehindAQuestion: and what the client cancels is not asked any
// more, nor run.
func TestNothingWaitsBehindAQuestion(t *testing.T) {
	o := newPlace(t, `{"permissions":{"allow":["mcp(srv.a)"]}}`).options(t)
	ct, st, done := run(t, o)
	client, server := newWire(t, "client", ct.Reader, ct.Writer), newWire(t, "server", st.Reader, st.Writer)
	listed(client, server, `{"name":"a"},{"name":"b"}`)
	client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	server.next()
	server.send(`{"jsonrpc":"2.0","id":0,"result":{}}`)
	client.next()
	form := func() string {
		t.Helper()
		var q struct {
			ID     json.RawMessage
			Method string
			Params struct{ Message string }
		}
		if err := json.Unmarshal([]byte(client.next()), &q); err != nil || q.Method != "elicitation/create" || !strings.Contains(q.Params.Message, "srv.b") {
			t.Fatalf("no question: %+v, %v", q, err)
		}
		return string(q.ID)
	}
	client.send(call("1", "b", "{}"), call("2", "a", "{}"))
	server.want(call("2", "a", "{}")) // the question is open meanwhile
	server.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	id := form()
	client.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	client.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"answer":"once"}}}`)
	server.want(call("1", "b", "{}"))

	client.send(call("3", "b", `{"x":1}`))
	id = form()
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	client.holds("notifications/cancelled", id)
	client.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"answer":"once"}}}`)
	client.send(`{"jsonrpc":"2.0","method":"after"}`)
	// Neither the call nor the late answer reaches the server.
	server.want(`{"jsonrpc":"2.0","method":"after"}`)
	// A cancellation of what the server has is passed on.
	c := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	client.send(c)
	server.want(c)
	// What was cancelled is not answered.
	ct.Writer.Close()
	<-done
	for l := range client.lines {
		if strings.Contains(l, `"id":3`) {
			t.Errorf("the cancelled call was answered: %s", l)
		}
	}
}

// TestAThousandCallsAtOnce: none is lost, none comes twice, and their order is
// kept.
func TestAThousandCallsAtOnce(t *testing.T) {
	const n = 1000
	client, server := sides(t, newPlace(t, open).options(t))
	listed(client, server, `{"name":"a"}`)
	go func() {
		for i := range n {
			client.send(call(fmt.Sprint(i), "a", fmt.Sprintf(`{"i":%d}`, i)))
		}
	}()
	for i := range n {
		server.want(call(fmt.Sprint(i), "a", fmt.Sprintf(`{"i":%d}`, i)))
	}
	go func() {
		for i := n - 1; i >= 0; i-- {
			server.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"i":%d}}`, i, i))
		}
	}()
	for i := n - 1; i >= 0; i-- {
		client.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"i":%d}}`, i, i))
	}
}

// TestTheServersEnd: what it has not answered is answered with an error.
func TestTheServersEnd(t *testing.T) {
	ct, st, done := run(t, newPlace(t, open).options(t))
	client, server := newWire(t, "client", ct.Reader, ct.Writer), newWire(t, "server", st.Reader, st.Writer)
	listed(client, server, `{"name":"a"}`)
	client.send(call("7", "a", "{}"))
	server.want(call("7", "a", "{}"))
	st.Writer.Close()
	client.holds(`"id":7`, "the server has ended")
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the proxy goes on")
	}
}

// TestTheClientsEnd: what it has sent before is decided, passed on and answered.
func TestTheClientsEnd(t *testing.T) {
	ct, st, done := run(t, newPlace(t, `{"permissions":{"allow":["mcp(srv.a)"]}}`).options(t))
	client, server := newWire(t, "client", ct.Reader, ct.Writer), newWire(t, "server", st.Reader, st.Writer)
	listed(client, server, `{"name":"a"},{"name":"b"}`)
	client.send(call("1", "a", "{}"), call("2", "b", "{}"))
	ct.Writer.Close()
	server.want(call("1", "a", "{}"))
	client.holds(`"id":2`, "permission was not given")
	server.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	client.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the proxy goes on")
	}
}

// TestAnApprovedToolIsKnownAfterARestart: and the list shows it as it was.
func TestAnApprovedToolIsKnownAfterARestart(t *testing.T) {
	p := newPlace(t, open)
	client, server := sides(t, p.options(t))
	listed(client, server, `{"name":"a","description":"old"}`)
	client.send(call("1", "a", "{}"))
	server.want(call("1", "a", "{}"))

	o := p.options(t)
	person := &asker{choice: approval.No}
	o.Queue = person
	client, server = sides(t, o)
	client.send(list)
	server.want(list)
	server.send(`{"jsonrpc":"2.0","id":"l","result":{"tools":[{"name":"a","description":"new"},{"name":"c","x":1}],"_meta":{"k":1}}}`)
	client.holds(`"description":"old"`, `{"name":"c","x":1}`, `"_meta":{"k":1}`)
	client.send(call("2", "a", "{}"))
	client.holds(`"id":2`, "denied this call")
	if q := person.take(); len(q) != 1 || !strings.Contains(q[0].Command, "- old\n+ new") {
		t.Errorf("asked: %+v", q)
	}
}

// TestAnnotations: a contradiction is noticed in a call.
func TestAnnotations(t *testing.T) {
	for _, c := range []struct {
		settings, annotations string
		trusted, runs         bool
	}{
		{`{"tools":{"srv.a":{"effects":["read"]}}}`, `{"readOnlyHint":true}`, false, true},
		{`{"tools":{"srv.a":{"effects":["read"]}}}`, `{"destructiveHint":true}`, false, false},
		{`{}`, `{"readOnlyHint":true}`, false, false},
		{`{}`, `{"readOnlyHint":true}`, true, true},
		{`{"executionMode":"plan"}`, `{"readOnlyHint":true,"openWorldHint":false}`, true, true},
		{`{"network":"deny"}`, `{"readOnlyHint":true}`, true, false},
	} {
		o := newPlace(t, c.settings).options(t)
		o.Trusted = c.trusted
		client, server := sides(t, o)
		listed(client, server, `{"name":"a","annotations":`+c.annotations+`}`)
		client.send(call("1", "a", "{}"), `{"jsonrpc":"2.0","method":"after"}`)
		if c.runs {
			server.want(call("1", "a", "{}"))
		} else {
			client.holds(`"isError":true`)
		}
		server.want(`{"jsonrpc":"2.0","method":"after"}`)
	}
}

// BenchmarkCall is one call through the proxy and back; direct is the same
// without it.
func BenchmarkCall(b *testing.B) {
	var ids atomic.Int64
	p := newPlace(b, open)
	client, server := sides(b, p.options(b))
	listed(client, server, `{"name":"a"}`)
	go func() {
		for l := range server.lines {
			var m struct{ ID json.RawMessage }
			if json.Unmarshal([]byte(l), &m) == nil && m.ID != nil {
				server.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[]}}`)
			}
		}
	}()
	for b.Loop() {
		client.send(call(fmt.Sprint(ids.Add(1)), "a", `{"text":"hello"}`))
		client.next()
	}
}
