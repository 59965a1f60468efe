package knowledge

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// readTree reads a value with the scanner the way that [json.Unmarshal] would.
func readTree(s *scan) any {
	switch s.next() {
	case '{':
		out := map[string]any{}
		s.members(func(key []byte) {
			k := string(key)
			out[k] = readTree(s)
		})
		return out
	case '[':
		out := []any{}
		s.elements(func() { out = append(out, readTree(s)) })
		return out
	case '"':
		return s.str()
	}
	var v any
	if err := json.Unmarshal(s.skip(), &v); err != nil {
		s.fail("%w", err)
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
	s := &scan{text: data}
	if got := readTree(s); s.err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s is read as\n%v\nand is\n%v\n%v", name, got, want, s.err)
	}
	s = &scan{text: data}
	if raw := s.skip(); !bytes.Equal(raw, bytes.TrimSpace(data)) {
		t.Errorf("%s: the scanner steps over %q", name, raw)
	}
}

// TestScanReadsTheData: the scanner takes its input for JSON, so all that is
// built in has to be, and is read as such.
func TestScanReadsTheData(t *testing.T) {
	for _, name := range Load().Names() {
		data, err := files.ReadFile("data/programs/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		sameAsJSON(t, name, data)
	}
	for _, name := range []string{"data/aliases.json", "data/env.json"} {
		data, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sameAsJSON(t, name, data)
	}
}

func TestScanRefuses(t *testing.T) {
	for _, text := range []string{
		``, `{`, `{"flags"`, `{"flags":`, `{"flags": }`, `{"flags": "-a`, `{"flags": "-a\"}`, `{"flags": 1}`, `{"flags": ["-a"]}`, `{"flags": "-a" "text": "-b"}`,
		`{"stop": "true"}`, `{"stop": tru}`, `{"none": "stdin"}`, `{"none": ["stdin"`, `{"none": ["stdin" "state"]}`, `{"when": {}}`, `{"when": [1]}`, `{"prints": [{"max": 1.5}]}`,
		`{"options": [`, `{"keys": []}`, `[]`, `1`, `"x"`, `{1: 2}`, `{"nosuch": 1}`, `{"when": [{"nosuch": 1}]}`, `{"groups": {}`,
	} {
		if _, err := decodeEntry([]byte(text)); err == nil {
			t.Errorf("taken: %s", text)
		}
	}
	for _, text := range []string{`{}`, `null`, ` { "flags" : null , "when" : [ ] , "abbreviations": false } `, `{"flags": "-a\u0062"}`} {
		if _, err := decodeEntry([]byte(text)); err != nil {
			t.Errorf("refused: %s: %v", text, err)
		}
	}
	if e, _ := decodeEntry([]byte(`{"flags": "-a\u0062 \"\\"}`)); e.Flags != `-ab "\` {
		t.Errorf("escapes are read as %q", e.Flags)
	}
}

// TestCommandsAreFound: a sub-command is found by each of its names, and by no
// part of one.
func TestCommandsAreFound(t *testing.T) {
	git, err := Load().builtin("git")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	_ = git.each(func(name string, want *table) error {
		if name == "other" {
			return nil
		}
		n++
		if l := git.command(name); l == nil {
			t.Errorf("git %s is not found", name)
		} else if got, err := l.get(); got != want || err != nil {
			t.Errorf("git %s has two tables, %v", name, err)
		}
		return nil
	})
	if n < 100 {
		t.Errorf("only %d sub-commands", n)
	}
	for _, name := range []string{"", " ", "statu", "tatus", "log whatchanged", "og"} {
		if git.command(name) != nil {
			t.Errorf("git has a sub-command %q", name)
		}
	}
}

// FuzzScan: whatever the text, the scanner ends; what is JSON it reads as the
// standard decoder does.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a": [1, true, null, "x\\\"y"], "b": {}}`, `"\ud800"`, `[[],[{}]]`, `{"a":1,"a":2}`, `{"\u0061":"\\"}`, ` 1e5 `, `{"a":`, `]`, `{"a" 1}`, `"\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = decodeEntry([]byte(text))
		_, _ = parseEnv([]byte(text))
		find([]byte(text), "a")
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			sameAsJSON(t, text, []byte(text))
		}
	})
}
