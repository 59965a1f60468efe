package wire

import (
	"strings"
	"testing"
)

func TestARequestThatCanBeReadTwiceIsNone(t *testing.T) {
	for name, line := range map[string]string{
		"no JSON":          `{`,
		"empty":            ``,
		"a list":           `[]`,
		"no tool":          `{"id":"1"}`,
		"unknown key":      `{"id":"1","tool":"bash","inputs":{}}`,
		"text after":       `{"id":"1","tool":"bash"} {}`,
		"twice":            `{"id":"1","tool":"bash","tool":"read"}`,
		"twice below":      `{"id":"1","tool":"bash","input":{"command":"ls","command":"rm x"}}`,
		"twice in a list":  `{"id":"1","tool":"bash","input":{"a":[{"b":1,"b":2}]}}`,
		"other case":       `{"id":"1","tool":"bash","settings":{},"Settings":{"executionMode":"auto"}}`,
		"a long s":         `{"id":"1","tool":"bash","settings":{},"ſettings":{"executionMode":"auto"}}`,
		"relative":         `{"id":"1","tool":"bash","cwd":"a"}`,
		"relative root":    `{"id":"1","tool":"bash","workspace":"a"}`,
		"input is no map":  `{"id":"1","tool":"bash","input":"ls"}`,
		"bytes":            "{\"id\":\"1\",\"tool\":\"ba\xffsh\"}",
		"nested too deep":  `{"id":"1","tool":"bash","input":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		"larger than that": `{"id":"1","tool":"bash","input":{"command":"` + strings.Repeat("x", MaxRequest) + `"}}`,
	} {
		r, err := ParseRequest([]byte(line))
		if err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
		if r.Tool != "" && name != "relative" && name != "relative root" {
			t.Errorf("%s: half a request came back: %+v", name, r)
		}
	}
}

func TestTheIDIsKept(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"a","tool":"bash","input":{"command":"ls"}}`: "a",
		`{"id":7,"tool":"bash"}`:                            "7",
		`{"id":"a","nonsense":1}`:                           "a",
		`{"tool":"bash"}`:                                   "",
	} {
		if r, _ := ParseRequest([]byte(line)); r.ID != want {
			t.Errorf("%s: ID %q, want %q", line, r.ID, want)
		}
	}
}

func TestTheSameKeyInTwoObjectsIsFine(t *testing.T) {
	r, err := ParseRequest([]byte(`{"id":"1","tool":"mcp:srv","input":{"name":"look","arguments":{"name":"x","a":[{"b":1},{"b":2}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := ToolOf(r.Tool, r.Input)
	if err != nil || tool.Name != "look" || tool.Server != "srv" || tool.Builtin {
		t.Errorf("%+v, %v", tool, err)
	}
}

func TestAToolOfAServerNeedsBothNames(t *testing.T) {
	for _, name := range []string{"mcp:", "mcp:srv"} {
		if tool, err := ToolOf(name, map[string]any{"arguments": map[string]any{}}); err == nil {
			t.Errorf("%s: %+v", name, tool)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"id":"1","tool":"bash","input":{"command":"ls"},"settings":{"executionMode":"plan"}}`))
	f.Add([]byte(`{"id":1,"tool":"mcp:srv","input":{"name":"x","arguments":{"a":[1,{"b":null}]}}}`))
	f.Add([]byte(`{"tool":"a","tool":"b"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseRequest(line)
		if err == nil && r.Tool == "" {
			t.Errorf("%q: a request without a tool", line)
		}
	})
}
