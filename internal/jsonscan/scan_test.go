package jsonscan

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// readTree reads a value with the scanner the way that [json.Unmarshal] would.
func readTree(s *Scanner) any {
	switch s.next() {
	case '{':
		out := map[string]any{}
		s.Members(func(key []byte) {
			k := string(key)
			out[k] = readTree(s)
		})
		return out
	case '[':
		out := []any{}
		s.Elements(func() { out = append(out, readTree(s)) })
		return out
	case '"':
		return s.Str()
	}
	var v any
	if err := json.Unmarshal(s.Skip(), &v); err != nil {
		s.Fail("%w", err)
	}
	return v
}

// sameAsJSON checks that the scanner reads what the standard decoder reads.
func sameAsJSON(t *testing.T, name string, data []byte) {
	t.Helper()
	var want any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := New(data)
	if got := readTree(s); s.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s is read as\n%v\nand is\n%v\n%v", name, got, want, s.Err())
	}
	s = New(data)
	if raw := s.Skip(); !bytes.Equal(raw, bytes.TrimSpace(data)) {
		t.Errorf("%s: the scanner steps over %q", name, raw)
	}
}

// TestReadsTheData: the scanner takes its input for JSON, so all that is built
// in has to be, and is read as such.
func TestReadsTheData(t *testing.T) {
	var names []string
	for _, dir := range []string{"../../pkg/shell/knowledge/data/*.json", "../../pkg/shell/knowledge/data/programs/*.json", "../../pkg/workspace/*.json"} {
		found, err := filepath.Glob(dir)
		if err != nil || len(found) == 0 {
			t.Fatalf("no data in %s: %v", dir, err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sameAsJSON(t, name, data)
	}
}

func TestFind(t *testing.T) {
	object := []byte(`{"log whatchanged": {"a": "}"}, "show": 1, "sh ow": 2, "show": 3, "\u0061b": 4}`)
	for name, want := range map[string]string{"log": `{"a": "}"}`, "whatchanged": `{"a": "}"}`, "show": "1", "ow": "2", "ab": "4", "": "", " ": "", "lo": "", "log whatchanged": ""} {
		if _, got := Find(object, name); string(got) != want {
			t.Errorf("%q is %s, not %s", name, got, want)
		}
	}
	for text, want := range map[string]bool{"": true, "null": true, "{}": true, " { } ": true, `{"a": 1}`: false} {
		if Empty([]byte(text)) != want {
			t.Errorf("%s is empty: %v", text, !want)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, text := range []string{"", "{", "{} {}", "{}}", "nul", `{"a":}`} {
		if _, err := Whole([]byte(text)); err == nil {
			t.Errorf("taken: %s", text)
		}
	}
	if raw, err := Whole([]byte(" {} \n")); string(raw) != "{}" || err != nil {
		t.Errorf("%q, %v", raw, err)
	}
}

// FuzzScanner: whatever the text, the walk ends; what is JSON it reads as the
// standard decoder does.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a": [1, true, null, "x\\\"y"], "b": {}}`, `"\ud800"`, `[[],[{}]]`, `{"a":1,"a":2}`, `{"\u0061":"\\"}`, ` 1e5 `, `{"a":`, `]`, `{"a" 1}`, `"\`, `{"a":"b`, `[1`, "\"\xff\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			sameAsJSON(t, text, []byte(text))
			return
		}
		readTree(New([]byte(text)))
		Find([]byte(text), "a")
	})
}
