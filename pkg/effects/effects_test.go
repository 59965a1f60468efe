package effects_test

import (
	"fmt"
	"strings"
	"testing"

	"mayi/pkg/effects"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
)

func of(t permissions.Tool, in map[string]any, declared ...permissions.Kind) permissions.Call {
	return effects.Of(effects.Request{
		Tool: t, Input: in, Cwd: "/ws", Home: "/home/dev", User: "dev", Declared: declared,
	}, shell.New(knowledge.Load()))
}

// show writes what a call would do, one word for each effect.
func show(c permissions.Call) string {
	var out []string
	for _, e := range c.Effects {
		w := e.Kind.String()
		switch {
		case e.Path != "":
			w += ":" + e.Path
		case e.Host != "":
			w += ":" + e.Host
		}
		if e.Recursive {
			w += "/**"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func TestBuiltinToolsDeclareWhatTheyDo(t *testing.T) {
	for _, c := range []struct{ tool, in, want string }{
		{"read", "file_path=a", "read:/ws/a"},
		{"read", "file_path=~/a", "read:/home/dev/a"},
		{"read", "file_path=link/../a", "read:/ws/link/../a"},
		{"read", "", "undeclared"},
		{"read", "file_path=a\x00b", "undeclared"},
		{"write", "file_path=/etc/a", "fs_write:/etc/a"},
		{"edit", "file_path=a", "read:/ws/a fs_write:/ws/a"},
		{"ls", "", "read:/ws/."},
		{"ls", "path=b", "read:/ws/b"},
		{"grep", "pattern=/etc", "read:/ws/./**"},
		{"find", "pattern=*.go", "read:/ws/./**"},
		// A pattern that leaves the folder is a read of where it leads.
		{"glob", "pattern=/etc/*", "read:/ws/./** read:/etc/*/**"},
		{"glob", "pattern=../*", "read:/ws/./** read:/ws/./../*/**"},
		{"glob", "pattern={/etc/*,x}", "read:/ws/./** read:/etc/*/**"},
		{"glob", "pattern=src/{a,b}", "read:/ws/./**"},
		{"read", "file_path=a;path=/etc/b", "read:/ws/a read:/etc/b"},
		{"write", "file_path=a;path=b\x00", "undeclared"},
		{"grep", "path=a;directory=/etc", "read:/ws/a/** read:/etc/**"},
		{"glob", "pattern=~/x", "read:/ws/./** read:/home/dev/x/**"},
		{"glob", "pattern=a/../../b", "read:/ws/./** read:/ws/./a/../../b/**"},
		{"web_fetch", "url=https://Example.org/x", "net_read:example.org"},
		{"web_fetch", "url=file:///etc/passwd", "read:/etc/passwd undeclared"},
		{"web_fetch", "url=FILE:/etc/%70asswd", "read:/etc/passwd undeclared"},
		{"web_fetch", "url=http://2130706433/", "net_read undeclared"},
		{"web_fetch", "", "undeclared"},
		{"tool_search", "query=x", "read"},
		{"todo", "", "state_write"},
		{"no_such_tool", "", "undeclared"},
		{"bash", "action=list", "read"},
		{"bash", "action=kill", "state_write"},
		{"bash", "action=levitate", "undeclared"},
		{"bash", "", "undeclared"},
		{"bash", "command=cat x;cwd=/etc", "read:/etc/x"},
	} {
		in := map[string]any{}
		for _, kv := range strings.Split(c.in, ";") {
			if k, v, ok := strings.Cut(kv, "="); ok {
				in[k] = v
			}
		}
		got := of(permissions.Tool{Name: c.tool, Builtin: true}, in)
		text := show(got)
		if c.tool == "bash" {
			text, _, _ = strings.Cut(strings.ReplaceAll(text, "exec ", ""), " exec")
		}
		if text != c.want {
			t.Errorf("%s %q: %s, want %s", c.tool, c.in, text, c.want)
		}
	}
}

// TestATextOfAnotherTypeIsNoPath: what the tool would not take as a text must
// not be taken for "left out".
func TestATextOfAnotherTypeIsNoPath(t *testing.T) {
	for _, in := range []map[string]any{{"path": 7}, {"path": []any{"/etc"}}, {"path": "a\x00"}} {
		if got := show(of(permissions.Tool{Name: "ls", Builtin: true}, in)); got != "undeclared" {
			t.Errorf("ls %v: %s", in, got)
		}
	}
	if got := show(of(permissions.Tool{Name: "bash", Builtin: true}, map[string]any{"command": 7})); got != "undeclared" {
		t.Errorf("bash: %s", got)
	}
}

// TestANameMakesNoTool: an MCP tool called write is not the built-in one.
func TestANameMakesNoTool(t *testing.T) {
	in := map[string]any{"file_path": "a"}
	for _, tool := range []permissions.Tool{
		{Name: "write", Server: "srv"}, {Name: "write"}, {Name: "write", Server: "srv", Builtin: true},
		{Name: "bash", Server: "srv"}, {Name: "bash"},
	} {
		got := of(tool, in)
		if got.Shell || got.Effects[0].Kind != permissions.Undeclared {
			t.Errorf("%+v: %s (shell %v), want undeclared first", tool, show(got), got.Shell)
		}
	}
}

func TestForeignArguments(t *testing.T) {
	const undeclared = "undeclared "
	for name, c := range map[string]struct {
		in   map[string]any
		want string
	}{
		"nothing":         {map[string]any{"q": "hello"}, "read"},
		"a path key":      {map[string]any{"path": "sub/x"}, "read read:/ws/sub/x"},
		"any key":         {map[string]any{"q": "/etc/passwd"}, "read read:/etc/passwd"},
		"climbing":        {map[string]any{"q": "a/../../b"}, "read read:/ws/a/../../b"},
		"home":            {map[string]any{"q": "~/.ssh"}, "read read:/home/dev/.ssh"},
		"nested":          {map[string]any{"a": []any{map[string]any{"file": "/etc/a"}}}, "read read:/etc/a"},
		"a key is a path": {map[string]any{"edits": map[string]any{"/etc/a": "x"}}, "read read:/etc/a"},
		"file URL":        {map[string]any{"q": "file:///etc/a"}, "read read:/etc/a"},
		"blanks around":   {map[string]any{"path": " /etc/a\n"}, "read read:/etc/a"},
		"a path of lines": {map[string]any{"path": "/etc/a\nb"}, "read read:/etc/a\nb"},
		"a path with NUL": {map[string]any{"file": "/etc/\x00a"}, "read read:/etc/\x00a"},
		"a text of lines": {map[string]any{"content": "/etc/a\nb"}, "read"},
		"blank before":    {map[string]any{"path": " /etc/a"}, "read read:/etc/a read:/ws/ /etc/a"},
		"URL":             {map[string]any{"q": "https://example.org/x"}, "read net_read:example.org"},
		"URL in a text":   {map[string]any{"q": "see https://example.org/x"}, "read"},
		"MCP's form":      {map[string]any{"name": "look", "arguments": map[string]any{"path": "/etc/a"}}, "read read:/etc/a"},
	} {
		if got := show(of(permissions.Tool{Name: "look", Server: "srv"}, c.in, permissions.Read)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		// Without a declaration all of it may be written, too.
		if got := show(of(permissions.Tool{Name: "look", Server: "srv"}, c.in)); !strings.HasPrefix(got+" ", undeclared) {
			t.Errorf("%s, undeclared: %s", name, got)
		}
	}
	both := show(of(permissions.Tool{Name: "look", Server: "srv"}, map[string]any{"path": "/etc/a"}))
	if both != "undeclared read:/etc/a fs_write:/etc/a" {
		t.Errorf("undeclared: %s", both)
	}
}

func TestTooManyArgumentsAreUndeclared(t *testing.T) {
	in := map[string]any{}
	for i := range 5000 {
		in[fmt.Sprint("k", i)] = "x"
	}
	got := of(permissions.Tool{Name: "look", Server: "srv"}, in, permissions.Read)
	if last := got.Effects[len(got.Effects)-1]; last.Kind != permissions.Undeclared {
		t.Errorf("%d effects, none undeclared", len(got.Effects))
	}
}

func TestAnUnknownDeclarationIsUndeclared(t *testing.T) {
	got := of(permissions.Tool{Name: "look", Server: "srv"}, nil, permissions.Read, permissions.Undeclared)
	if show(got) != "undeclared" {
		t.Error(show(got))
	}
}

// TestAPanicIsNothingRead: whatever goes wrong while a call is worked out.
func TestAPanicIsNothingRead(t *testing.T) {
	got := effects.Of(effects.Request{
		Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": "ls"},
	}, nil)
	if !got.Shell || len(got.Unread) == 0 {
		t.Errorf("%s, unread %v: nothing says that it could not be read", show(got), got.Unread)
	}
}
