package effects_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mayi/pkg/effects"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
)

func hint(word byte) *bool {
	switch word {
	case 'y':
		return new(true)
	case 'n':
		return new(false)
	}
	return nil
}

// TestAServersWordTightensAlwaysAndLoosensWhereItIsTrusted: hints are readOnly,
// destructive, openWorld as y, n or - (not said).
func TestAServersWordTightensAlwaysAndLoosensWhereItIsTrusted(t *testing.T) {
	for _, c := range []struct {
		declared string
		hints    string
		trusted  bool
		want     string
	}{
		{"", "---", false, "undeclared"},
		{"", "y--", false, "undeclared"},
		{"", "y--", true, "read net_read"},
		{"", "y-n", true, "read"},
		{"", "yyn", true, "undeclared"},
		{"", "n-n", true, "undeclared"},
		{"", "-n-", true, "undeclared"},
		{"", "---", true, "undeclared"},
		{"read", "---", false, "read"},
		{"read", "y--", false, "read"},
		{"read", "n--", false, "read exec"},
		{"read", "n--", true, "read exec"},
		{"read", "-y-", false, "read exec"},
		{"read", "yy-", false, "read"},
		{"read", "--y", false, "read net_read"},
		{"read", "--n", false, "read"},
		{"read state_write", "n--", false, "read state_write"},
		{"read state_write", "ny-", false, "read state_write exec"},
		{"read fs_write", "ny-", false, "read fs_write"},
		{"read net_read", "--y", false, "read net_read"},
		// A declaration is the operator's: what a trusted server says about
		// itself takes nothing out of it.
		{"fs_write", "y-n", true, "fs_write"},
	} {
		var declared []permissions.Kind
		for w := range strings.FieldsSeq(c.declared) {
			declared = append(declared, map[string]permissions.Kind{"read": permissions.Read, "state_write": permissions.StateWrite, "fs_write": permissions.FSWrite, "net_read": permissions.NetRead}[w])
		}
		call := effects.Of(effects.Request{
			Tool: permissions.Tool{Server: "s", Name: "t"}, Input: map[string]any{"name": "t", "arguments": map[string]any{}}, Cwd: "/ws", Declared: declared,
			Foreign: &effects.Foreign{ReadOnly: hint(c.hints[0]), Destructive: hint(c.hints[1]), OpenWorld: hint(c.hints[2]), Trusted: c.trusted},
		}, shell.New(knowledge.Load()))
		if got := show(call); got != c.want {
			t.Errorf("declared %q, hints %s, trusted %v: %s, want %s", c.declared, c.hints, c.trusted, got, c.want)
		}
	}
}

// TestArgumentsThatArePathsOrURLs: by the schema's format, by the name, by the
// look.
func TestArgumentsThatArePathsOrURLs(t *testing.T) {
	schema := map[string]any{"properties": map[string]any{
		"where": map[string]any{"type": "string", "format": "path"},
		"page":  map[string]any{"type": "string", "format": "uri"},
		"many":  map[string]any{"type": "array", "items": map[string]any{"format": "file-path"}},
		"deep":  map[string]any{"properties": map[string]any{"at": map[string]any{"format": "hostname"}}},
	}}
	for _, c := range []struct{ arguments, want string }{
		{`{"where":"a"}`, "read:/ws/a"},
		{`{"page":"example.org/x"}`, "net_read:example.org"},
		{`{"many":["a","b"]}`, "read:/ws/a read:/ws/b"},
		{`{"deep":{"at":"example.org"}}`, "net_read:example.org"},
		{`{"path":"a"}`, "read:/ws/a"},
		{`{"src":"a"}`, "read:/ws/a"},
		{`{"url":"example.org"}`, "net_read:example.org"},
		{`{"base_url":"//example.org/x"}`, "net_read:example.org"},
		{`{"x":"//etc/passwd"}`, "read://etc/passwd"},
		{`{"x":"///etc/passwd"}`, "read:///etc/passwd"},
		{`{"x":"\ufeff/etc/passwd"}`, "read:/etc/passwd"},
		{`{"x":"// a remark"}`, ""},
		{`{"url":"a text"}`, ""},
		{`{"x":"example.org"}`, ""},
		{`{"x":".env"}`, "read:/ws/.env"},
		{`{"x":"sub/.git/config"}`, "read:/ws/sub/.git/config"},
		{`{"x":"v1.2"}`, ""},
		{`{"x":".5"}`, ""},
		{`{"x":"..."}`, ""},
		{`{"x":"a .env b"}`, ""},
		{`{"x":"../a"}`, "read:/ws/../a"},
		{`{"x":"a/.."}`, "read:/ws/a/.."},
		{`{"x":"https://example.org/a"}`, "net_read:example.org"},
		{`{"query":"a/b and c"}`, ""},
	} {
		var args map[string]any
		if err := json.Unmarshal([]byte(c.arguments), &args); err != nil {
			t.Fatal(err)
		}
		call := effects.Of(effects.Request{
			Tool: permissions.Tool{Server: "s", Name: "t"}, Input: map[string]any{"name": "t", "arguments": args}, Cwd: "/ws", Home: "/home/dev",
			Declared: []permissions.Kind{permissions.StateWrite}, Foreign: &effects.Foreign{Schema: schema},
		}, shell.New(knowledge.Load()))
		if got := strings.TrimSpace(strings.TrimPrefix(show(call), "state_write")); got != c.want {
			t.Errorf("%s: %s, want %s", c.arguments, got, c.want)
		}
	}
}
