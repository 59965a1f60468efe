package install

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTOMLSet(t *testing.T) {
	key := tomlKey{[]string{"hooks", "state", "/a b/hooks.json:pre_tool_use:0:0"}, "trusted_hash", "sha256:1"}
	const table = "[hooks.state.\"/a b/hooks.json:pre_tool_use:0:0\"]\n"
	cases := []struct{ name, before, after, fails string }{
		{"empty", "", table + "trusted_hash = \"sha256:1\"\n", ""},
		{"no end of line", "a = 1", "a = 1\n\n" + table + "trusted_hash = \"sha256:1\"\n", ""},
		{"line ends of Windows", "a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(table+"trusted_hash = \"sha256:1\"\n", "\n", "\r\n"), ""},
		{"the table is there", table + "seen = true # x\n[b]\n", table + "trusted_hash = \"sha256:1\"\nseen = true # x\n[b]\n", ""},
		{"at the very end", strings.TrimSuffix(table, "\n"), table + "trusted_hash = \"sha256:1\"\n", ""},
		{"another value", table + "trusted_hash = 'sha256:0' # old\n", table + "trusted_hash = \"sha256:1\" # old\n", ""},
		{"other quotes", "[ hooks . state . '/a b/hooks.json:pre_tool_use:0:0' ] # c\n", "[ hooks . state . '/a b/hooks.json:pre_tool_use:0:0' ] # c\ntrusted_hash = \"sha256:1\"\n", ""},
		{"there already", table + "trusted_hash = \"sha256:1\"\n", table + "trusted_hash = \"sha256:1\"\n", ""},
		{"lists of tables", "[[x]]\na = 1\n[[x]]\na = 2\n", "[[x]]\na = 1\n[[x]]\na = 2\n\n" + table + "trusted_hash = \"sha256:1\"\n", ""},
		{"a header in a text", "t = '''\n" + table + "'''\n", "t = '''\n" + table + "'''\n\n" + table + "trusted_hash = \"sha256:1\"\n", ""},
		{"inline", "hooks = {state = {}}\n", "", "in a way that mayi cannot add to"},
		{"a list of tables in its place", "[[hooks.state]]\na = 1\n", "", "in a way that mayi cannot add to"},
		{"hooks is a text", "hooks = \"x\"\n", "", "in a way that mayi cannot add to"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := parseTOML("config.toml", []byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			err = d.set(key)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) || string(d.text) != c.before {
					t.Errorf("%v, and the text is %q", err, d.text)
				}
				return
			}
			if err != nil || string(d.text) != c.after {
				t.Errorf("%v\n%q, want\n%q", err, d.text, c.after)
			}
		})
	}
}

// TestTOMLUndone: a key that was added is taken out again without a trace, and
// what was in the file before is read from it all the while.
func TestTOMLUndone(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"# a comment\n", "\n", "[a]\nx = 1\n", "[a.b] # c\n", "[hooks]\n", "[hooks.state]\n", "[hooks.state.\"k\"]\nseen = true\n",
		"[[l]]\ny = ['a',\n 'b'] # end\n", "[t]\ns = \"\"\"\n[hooks.state.K]\n\"\"\"\n", "[q.\"a.b\"]\nz = {m = 1}\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		seen := map[string]bool{}
		for _, p := range rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces") {
			if !seen[p] {
				seen[p] = true
				b.WriteString(p)
			}
		}
		before := b.String()
		d, err := parseTOML("x", []byte(before))
		if err != nil {
			t.Skip("not a file that anybody has")
		}
		k := tomlKey{[]string{"hooks", "state", rapid.SampledFrom([]string{"k", "/x:0", "ü\""}).Draw(t, "name")}, "trusted_hash", "h"}
		if err := d.set(k); err != nil {
			t.Fatal(err)
		}
		if d.get(k.table, k.key) != "h" {
			t.Fatalf("the key is not in\n%s", d.text)
		}
		if err := d.unset(k); err != nil {
			t.Fatal(err)
		}
		if string(d.text) != before {
			t.Fatalf("left is\n%q, want\n%q", d.text, before)
		}
	})
}
