package knowledge

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"mayi/pkg/shell/value"
)

func extend(t *testing.T, b *Base, entries map[string]string) *Base {
	t.Helper()
	raw := map[string]json.RawMessage{}
	for k, v := range entries {
		raw[k] = json.RawMessage(v)
	}
	out, err := b.Extend(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lines(b *Base, command string) string {
	return strings.Join(show(b.Describe(words(command))), "; ")
}

func TestExtendAddsAProgram(t *testing.T) {
	b := Load()
	if got := lines(b, "mydeploy -n x"); got != "not known" {
		t.Fatalf("before: %s", got)
	}
	e := extend(t, b, map[string]string{"mydeploy": `{"flags": "-n", "operands": "read", "always": ["net-out"]}`})
	if got := lines(e, "mydeploy -n x"); got != "net-out …; read x" {
		t.Errorf("after: %s", got)
	}
	if got := lines(b, "mydeploy -n x"); got != "not known" {
		t.Errorf("the first base changed: %s", got)
	}
	if got := lines(e, "ls"); got != "list ." {
		t.Errorf("what was known: %s", got)
	}
	again := extend(t, e, map[string]string{"other": `{"operands": "text*"}`})
	if got := lines(again, "mydeploy x") + lines(again, "other x"); got != "net-out …; read xnothing" {
		t.Errorf("extended twice: %s", got)
	}
}

// TestExtendNeverLoosens: whatever an entry for a known program says, all that
// was said before still is.
func TestExtendNeverLoosens(t *testing.T) {
	b := Load()
	entries := []string{
		`{}`,
		`{"unknown": "text", "operands": "text*"}`,
		`{"flags": "-o -r -e -i", "transparent": true}`,
		`{"options": {"-o": "text"}, "operands": "", "none": []}`,
		`{"style": "none", "operands": "text*", "transparent": true}`,
		`{"commands": {"log": {"unknown": "text"}}, "harmless": ""}`,
		`{"always": ["executes: x", "workspace: y", "unread: z", "state"]}`,
	}
	commands := []string{"sort -o f g", "rm -rf x", "git log --output=f", "git push", "sed -i s/a/b/ f", "ls", "env A=1 sh -c x", "sort --bogus x",
		"curl -d @f https://a", "timeout 1 rm x", "tar xf a", "python3 x.py", "git -C a status"}
	for _, entry := range entries {
		for _, c := range commands {
			name, _, _ := strings.Cut(c, " ")
			e := extend(t, b, map[string]string{name: entry})
			was, is := show(b.Describe(words(c))), show(e.Describe(words(c)))
			for _, line := range was {
				if line != "transparent" && line != "nothing" && !slices.Contains(is, line) {
					t.Errorf("%s with %s loses %q: %v", c, entry, line, is)
				}
			}
			for _, line := range is {
				if (line == "transparent" || line == "nothing") && !slices.Contains(was, line) {
					t.Errorf("%s with %s gains %q", c, entry, line)
				}
			}
			if a, b := b.Describe(words(c)), e.Describe(words(c)); a.Name != b.Name || !sameInts(a.Canon, b.Canon) {
				t.Errorf("%s with %s: the spelling for rules changes", c, entry)
			}
		}
	}
}

func TestExtendTightens(t *testing.T) {
	e := extend(t, Load(), map[string]string{
		"rg":  `{"options": {"--sort": {"value": "text", "does": ["executes: patched"]}}}`,
		"git": `{"commands": {"log": {"always": ["read ~/secret"]}}}`,
	})
	if got := lines(e, "rg --sort path x y"); got != "executes; read-tree y" {
		t.Error(got)
	}
	if got := lines(e, "rg x y"); got != "read-tree y" {
		t.Error(got)
	}
	if got := lines(e, "git log"); got != "list .; name 2; read ~/secret" {
		t.Error(got)
	}
	if got := lines(e, "git status"); got != "list .; name 2" {
		t.Error(got)
	}
}

func TestExtendErrors(t *testing.T) {
	for _, c := range []struct{ name, entry, want string }{
		{"", `{}`, "no program's name"},
		{"a/b", `{}`, "no program's name"},
		{"x", `{`, "commands: x: "},
		{"x", `{} {}`, "text after the entry"},
		{"x", `{"flagz": "-a"}`, "flagz"},
		{"x", `{"operands": "raed"}`, `unknown role "raed"`},
		{"x", `{"flags": "-a -a"}`, "twice"},
		{"x", `{"flags": "a"}`, "dash"},
		{"x", `{"harmless": "-a"}`, "in no list"},
		{"x", `{"with": "g"}`, "unknown group"},
		{"x", `{"reader": "nosuch"}`, "unknown reader"},
		{"x", `{"operands": "read* list*"}`, "any number"},
		{"x", `{"commands": {"a": {"same": "b"}}}`, "no table of its own"},
		{"x", `{"commands": {"a b": {}, "b": {}}}`, "twice"},
	} {
		_, err := Load().Extend(map[string]json.RawMessage{c.name: json.RawMessage(c.entry)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.name, c.entry, err, c.want)
		}
	}
}

// TestConcurrent: one base, many goroutines that need the same data first.
func TestConcurrent(t *testing.T) {
	b := Load()
	e := extend(t, b, map[string]string{"ls": `{"always": ["state"]}`})
	var wg sync.WaitGroup
	for range 32 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, n := range []string{"ls", "git", "sort", "sed", "dir", "nosuch"} {
				b.Describe([]value.Value{value.Exact(n)})
				e.Describe([]value.Value{value.Exact(n), value.Exact("status")})
			}
			b.EnvEffect("GIT_PAGER", value.Exact("x"))
		}()
	}
	wg.Wait()
	if got := lines(e, "dir"); got != "list ." {
		t.Errorf("an alias of an extended program: %s", got)
	}
}
