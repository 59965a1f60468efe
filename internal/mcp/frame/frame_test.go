package frame_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"mayi/internal/mcp/frame"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ raw, key, method, kind string }{
		{`{"jsonrpc":"2.0","id":1,"method":"m"}`, "n1", "m", "request"},
		{` { "method" : "m\u0041" , "id" : "x\n" , "jsonrpc" : "2.0" } `, "sx\n", "mA", "request"},
		{`{"jsonrpc":"2.0","id":null,"method":"m","params":{}}`, "", "m", "notification"},
		{`{"jsonrpc":"2.0","method":""}`, "", "", "notification"},
		{`{"jsonrpc":"2.0","id":-7,"result":[1,{"a":"}"}]}`, "n-7", "", "response"},
		{`{"jsonrpc":"2.0","id":"","error":{"code":1,"message":"\"]"}}`, "s", "", "response"},
		{`{"jsonrpc":"2.0","id":1.5,"result":null}`, "f1.5", "", "response"},
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":null,"unknown":{"id":2}}`, "n1", "", "response"},
	} {
		m, err := frame.Parse([]byte(c.raw))
		kind := "notification"
		switch {
		case m.Request():
			kind = "request"
		case m.Response():
			kind = "response"
		}
		if err != nil || m.Key() != c.key || m.Method != c.method || kind != c.kind {
			t.Errorf("%s: %q %q %s, %v", c.raw, m.Key(), m.Method, kind, err)
		}
	}
	for _, bad := range []string{"", "null", "1", `"a"`, `[]`, `{}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":2.0,"id":1,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"method":null}`, `{"jsonrpc":"2.0","id":true,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"method":"m"}{}`, `{"jsonrpc":"2.0","id":1,"method":"m"`,
		`{"JSONRPC":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","\u0069d":1,"id":2,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"method":"m","error":{}}`} {
		if m, err := frame.Parse([]byte(bad)); !errors.Is(err, frame.ErrUnreadable) {
			t.Errorf("%s: %+v, %v", bad, m, err)
		}
	}
}

// TestIDKey: ids that mean the same have one key, others do not.
func TestIDKey(t *testing.T) {
	same := [][]string{{"1", "1.0", "1e0", "10e-1"}, {`"a"`, `"\u0061"`}, {`"1"`}, {"-1"}, {"9007199254740993"}, {"9007199254740992"}, {"1.5", "15e-1"}, {`""`}, {`"n1"`}}
	seen := map[string]int{}
	for i, list := range same {
		for _, id := range list {
			key := frame.IDKey(json.RawMessage(id))
			if at, ok := seen[key]; ok && at != i || key == "" {
				t.Errorf("%s has the key %q", id, key)
			}
			seen[key] = i
		}
	}
	if len(seen) != len(same) {
		t.Errorf("%d keys for %d ids", len(seen), len(same))
	}
}

func TestStrict(t *testing.T) {
	o, err := frame.Object([]byte(`{"a":[1e400,{"b":null}],"c":"\u00e9"}`))
	if raw, _ := json.Marshal(o); err != nil || string(raw) != `{"a":[1e400,{"b":null}],"c":"é"}` {
		t.Errorf("%s, %v", raw, err)
	}
	for _, empty := range []string{"", "null", "{}"} {
		if o, err := frame.Object([]byte(empty)); err != nil || len(o) != 0 {
			t.Errorf("%q: %v, %v", empty, o, err)
		}
	}
	for _, bad := range []string{`{"a":1,"a":1}`, `{"x":[{"a":1,"\u0061":2}]}`, `[]`, `"x"`, `{"a":1} {}`, `{"a":`, strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300)} {
		if o, err := frame.Object([]byte(bad)); err == nil {
			t.Errorf("%.40s: %v", bad, o)
		}
	}
}

func TestLines(t *testing.T) {
	long := `{"x":"` + strings.Repeat("y", 1<<20) + `"}`
	var out bytes.Buffer
	ended := 0
	l := frame.NewLines(strings.NewReader("\n{\"a\":1}\r\n\n"+long+"\n  \n{\"last\":1}"), &out, func() error { ended++; return nil })
	for _, want := range []string{`{"a":1}`, long, `{"last":1}`} {
		if p, err := l.Read(context.Background()); err != nil || string(p.Raw) != want {
			t.Fatalf("%.60s, %v", p.Raw, err)
		}
	}
	if _, err := l.Read(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	for _, raw := range []string{`{"b":2}`, ""} {
		if err := l.Write(context.Background(), frame.Packet{Raw: []byte(raw)}); err != nil {
			t.Error(err)
		}
	}
	if out.String() != "{\"b\":2}\n" {
		t.Errorf("written: %q", out.String())
	}
	for range 2 {
		if err := l.Close(); err != nil || ended != 1 {
			t.Errorf("closed %d times, %v", ended, err)
		}
	}
}

// FuzzParse: what is taken as a message is one by the standard library's
// reading, too, with the same method and id; and it stands on one line.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, "{\"jsonrpc\" :\"2.0\",\n\"id\":\"x\",\"result\":[{}]}", `{"jsonrpc":"2.0","method":"a","Method":"b"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := frame.Parse(raw)
		if err != nil {
			return
		}
		if bytes.ContainsAny(m.Raw, "\r\n") {
			t.Errorf("%q has a line break", m.Raw)
		}
		var got struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%q was taken: %v", raw, err)
		}
		if got.Method != m.Method || (got.ID != nil) != (m.ID != nil) {
			t.Errorf("%q: %q and %q, %v and %s", raw, got.Method, m.Method, got.ID, m.ID)
		}
	})
}
