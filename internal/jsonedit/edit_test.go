package jsonedit_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"mayi/internal/jsonedit"
)

func TestEdit(t *testing.T) {
	type edit = func(*jsonedit.Doc) error
	add := func(value any, path ...string) edit {
		return func(d *jsonedit.Doc) error { return d.Append(path, value) }
	}
	set := func(value any, path ...string) edit {
		return func(d *jsonedit.Doc) error { return d.Set(path, value) }
	}
	drop := func(path ...string) edit {
		return func(d *jsonedit.Doc) error { return d.Remove(path...) }
	}
	take := func(i int, path ...string) edit {
		return func(d *jsonedit.Doc) error { return d.RemoveElement(path, i) }
	}
	cases := []struct {
		name, before string
		edit         edit
		after        string
	}{
		{"nothing there", "", set(1, "a"), "{\n  \"a\": 1\n}\n"},
		{"only blanks", " \n", set(1, "a"), "{\n  \"a\": 1\n}\n"},
		{"byte order mark", "\ufeff{}", set(1, "a"), "\ufeff{\n  \"a\": 1\n}"},
		{"one line", `{"a": 1}`, set(2, "b"), `{"a": 1, "b": 2}`},
		{"one line, several wanted", `{"a": 1}`, set([]int{1}, "b"), "{\"a\": 1,\n  \"b\": [\n    1\n  ]\n}"},
		{"one line with blanks", `{ "a": [ 1 ] }`, add([]int{2}, "a"), "{ \"a\": [ 1,\n  [\n    2\n  ]\n] }"},
		{"closed on the line", "{ \"a\": [ 1,\n  2 ] }", add(3, "a"), "{ \"a\": [ 1,\n  2,\n  3 ] }"},
		{"in place", "{\"a\": 1 /* x */}", set("y", "a"), "{\"a\": \"y\" /* x */}"},
		{"objects on the way", "{\n\t\"x\": {}\n}\n", set(1, "x", "y", "z"), "{\n\t\"x\": {\n\t\t\"y\": {\n\t\t\t\"z\": 1\n\t\t}\n\t}\n}\n"},
		{"trailing comma", "{\n  \"a\": [\n    1, // one\n  ],\n}", add(2, "a"), "{\n  \"a\": [\n    1, // one\n    2,\n  ],\n}"},
		{"comment behind the last", "{\n  \"a\": [\n    1 // one\n  ]\n}", add(2, "a"), "{\n  \"a\": [\n    1, // one\n    2\n  ]\n}"},
		{"line ends of Windows", "{\r\n  \"a\": 1\r\n}\r\n", set(2, "b"), "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n"},
		{"by number", `{"a": [{"b": [1]}]}`, add(2, "a", "0", "b"), `{"a": [{"b": [1, 2]}]}`},
		{"no escapes", "{}", set("<&>", "a"), "{\n  \"a\": \"<&>\"\n}"},

		{"take the only one", `{"a": [1]}`, take(0, "a"), `{"a": []}`},
		{"take the first", `{"a": [1, 2]}`, take(0, "a"), `{"a": [2]}`},
		{"take the last", `{"a": [1, 2]}`, take(1, "a"), `{"a": [1]}`},
		{"take the last, comma kept", `{"a": [1, 2, ]}`, take(1, "a"), `{"a": [1, ]}`},
		{"take a line", "{\n  \"a\": [\n    1,\n    2, // two\n    3\n  ]\n}", take(0, "a"), "{\n  \"a\": [\n    2, // two\n    3\n  ]\n}"},
		{"keep the comment", "{\n  \"a\": [\n    1, // one\n    2\n  ]\n}", take(1, "a"), "{\n  \"a\": [\n    1 // one\n  ]\n}"},
		{"a comma in a comment", "{\n  \"a\": [\n    1 /* , */, 2\n  ]\n}", take(1, "a"), "{\n  \"a\": [\n    1 /* , */\n  ]\n}"},
		{"drop a member", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", drop("b"), "{\n  \"a\": 1\n}\n"},
		{"drop the first member", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", drop("a"), "{\n  \"b\": 2\n}\n"},
		{"drop what is not there", "{\n  \"a\": 1\n}\n", drop("b", "c"), "{\n  \"a\": 1\n}\n"},
		{"drop the only member", "{\n  \"a\": {\n    \"b\": 2\n  }\n}\n", drop("a", "b"), "{\n  \"a\": {}\n}\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := jsonedit.Parse("f", []byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.edit(d); err != nil {
				t.Fatal(err)
			}
			if string(d.Bytes()) != c.after {
				t.Errorf("got\n%s\nwant\n%s", d.Bytes(), c.after)
			}
		})
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	for _, c := range []struct {
		text string
		edit func(*jsonedit.Doc) error
		want string
	}{
		{"{\n \"ä\": }", nil, "f:2:7: the file cannot be read"},
		{"[]", nil, "f:1:1: the outermost value is not an object"},
		{"{\"a\": \"\xff\"}", nil, "f:1:8: this is not valid UTF-8"},
		{strings.Repeat("[", 500), nil, "f:1:201: this is nested too deeply"},
		{"{\n\"a\": 1}", func(d *jsonedit.Doc) error { return d.Append([]string{"a"}, 1) }, "f:2:6: a is not a list"},
		{"{\n\"a\": 1}", func(d *jsonedit.Doc) error { return d.Set([]string{"a", "b"}, 1) }, "f:2:6: a is not an object"},
		{"{\"a\": 1,\n\"a\": 2}", func(d *jsonedit.Doc) error { return d.Set([]string{"a"}, 1) }, `f:2:1: "a" stands here for the second time`},
		{"{\"a\": [1]}", func(d *jsonedit.Doc) error { return d.Replace([]string{"a"}, 1, 2) }, "f:1:7: a has no element 1"},
	} {
		d, err := jsonedit.Parse("f", []byte(c.text))
		if err == nil && c.edit != nil {
			err = c.edit(d)
		}
		var at *jsonedit.Error
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestEverythingElseStays: after an edit the file holds what it held, with the
// one difference that was asked for, and every comment is still there.
func TestEverythingElseStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawDoc(t)
		d, err := jsonedit.Parse("f", []byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		before := decode(t, text)
		list, isList := before["list"].([]any)
		value := map[string]any{"new": "element"}
		if err := d.Append([]string{"list"}, value); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		want := decode(t, text)
		want["list"] = append(list, any(value))
		compare(t, d, want, text)
		comments(t, d, text)

		if err := d.RemoveElement([]string{"list"}, len(list)); err != nil {
			t.Fatalf("%v in\n%s", err, d.Bytes())
		}
		if want["list"] = list; !isList {
			want["list"] = []any{}
		}
		compare(t, d, want, text)
		comments(t, d, text)

		for name := range before {
			if err := d.Remove(name); err != nil {
				t.Fatalf("%v in\n%s", err, d.Bytes())
			}
			delete(want, name)
		}
		compare(t, d, want, text)
	})
}

func compare(t *rapid.T, d *jsonedit.Doc, want map[string]any, before string) {
	t.Helper()
	if got := decode(t, string(d.Bytes())); !reflect.DeepEqual(got, want) {
		t.Fatalf("out of\n%s\ncame\n%s\nwhich says %v, want %v", before, d.Bytes(), got, want)
	}
}

func comments(t *rapid.T, d *jsonedit.Doc, before string) {
	t.Helper()
	for _, c := range []string{"// one", "/* two */", "// three, [ } \""} {
		if strings.Count(before, c) != strings.Count(string(d.Bytes()), c) {
			t.Fatalf("out of\n%s\ncame\n%s\nand the comments are not those of before", before, d.Bytes())
		}
	}
}

func decode(t *rapid.T, text string) map[string]any {
	t.Helper()
	plain, err := hujson.Standardize([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var out map[string]any
	if err := json.Unmarshal(plain, &out); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return out
}

// drawDoc draws an object with a few members, comments between, and layout of
// every kind. Comments stand before elements and behind the last, not inside of
// what is taken out.
func drawDoc(t *rapid.T) string {
	space := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\n\t", " // one\n", "/* two */", "\n  // three, [ } \"\n  "})
	gap := func(what string) string { return space.Draw(t, what) }
	value := func() string {
		return rapid.SampledFrom([]string{"1", `"x"`, `"a, b"`, `{"k": [1, 2]}`, "[]", "{ }", `"// no"`}).Draw(t, "value")
	}
	var members []string
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c,d"}), 0, 3, rapid.ID).Draw(t, "names") {
		members = append(members, `"`+name+`": `+value())
	}
	if rapid.Bool().Draw(t, "list") {
		var els []string
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			els = append(els, gap("before an element")+value())
		}
		end := ""
		if len(els) > 0 && rapid.Bool().Draw(t, "trailing comma") {
			end = ","
		}
		members = append(members, `"list": [`+strings.Join(els, ",")+end+gap("behind the elements")+"]")
	}
	var b strings.Builder
	b.WriteString("{")
	for i, m := range members {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(gap("before a member") + m)
	}
	if len(members) > 0 && rapid.Bool().Draw(t, "last comma") {
		b.WriteString(",")
	}
	b.WriteString(gap("at the end") + "}")
	return b.String()
}
