package knowledge

import "testing"

func TestEntryRefuses(t *testing.T) {
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
