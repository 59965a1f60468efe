package knowledge

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestDataDecodes: every data file compiles, and every alias leads to a file.
func TestDataDecodes(t *testing.T) {
	b := Load()
	names := b.Names()
	known := map[string]bool{}
	for _, n := range names {
		known[n] = true
		tab, err := b.builtin(n)
		if err == nil {
			err = tab.force()
		}
		if err != nil {
			t.Errorf("%s: %v", n, err)
		}
	}
	data, err := files.ReadFile("data/aliases.json")
	if err != nil {
		t.Fatal(err)
	}
	var lists map[string]string
	if err := json.Unmarshal(data, &lists); err != nil {
		t.Fatal(err)
	}
	for file, list := range lists {
		if !known[file] {
			t.Errorf("aliases lead to %s, which has no file", file)
		}
		for _, n := range strings.Fields(list) {
			if known[n] {
				t.Errorf("%s is an alias and has a file", n)
			}
			known[n] = true
		}
	}
	t.Logf("%d programs in %d files", len(known), len(names))
}

// TestCommandsComeLast: a file is read as the entry that it is, which takes that
// nothing follows its sub-commands.
func TestCommandsComeLast(t *testing.T) {
	for _, n := range Load().Names() {
		data := entryOf(n)
		e, err := decodeEntry(data)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		f, err := decodeFile(data)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		if commands, ok := strings.CutPrefix(string(f.Commands), string(e.Commands)); !ok || strings.TrimSpace(commands) != "}" && e.Commands != nil {
			t.Errorf("%s: %.40q follows the commands", n, commands)
		}
		f.Commands = e.Commands
		if !reflect.DeepEqual(e, f) {
			t.Errorf("%s: something follows the commands", n)
		}
	}
}

// TestWhenNamesOptions: a condition names options that the table knows; a
// misspelled one would silently never hold.
func TestWhenNamesOptions(t *testing.T) {
	b := Load()
	for _, n := range b.Names() {
		tab, err := b.builtin(n)
		if err != nil {
			t.Fatal(err)
		}
		walk(tab, func(tab *table) {
			for _, w := range tab.when {
				for _, o := range append(append([]string{}, w.any...), w.not...) {
					c := call{table: tab}
					if c.lookupExact(o) == nil {
						t.Errorf("%s: a condition names %s, which no list holds", n, o)
					}
				}
			}
		})
	}
}

func walk(t *table, f func(*table)) {
	f(t)
	_ = t.each(func(_ string, sub *table) error { walk(sub, f); return nil })
}
