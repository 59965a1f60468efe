package soundness

import (
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
)

// checker makes one, or skips where nothing can be traced.
func checker(t *testing.T, analyze Analyze) *Checker {
	t.Helper()
	if why := Missing(); why != "" {
		t.Skipf("scripts cannot be traced here: %s", why)
	}
	c, err := NewChecker(analyze, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestSoundness runs every sixteenth of the scripts, and a few random ones
// that are always the same. make soundness runs them all.
func TestSoundness(t *testing.T) {
	all, err := Load(os.DirFS("testdata"))
	if err != nil {
		t.Fatal(err)
	}
	var some []Script
	for i := 3; i < len(all); i += 24 {
		some = append(some, all[i])
	}
	some = append(some, Random(1, 6)...)
	c := checker(t, shell.New(knowledge.Load()).Analyze)
	var r Report
	c.CheckAll(some, 2, r.Add)
	if !r.Sound() {
		var b strings.Builder
		r.Details(&b)
		t.Error(b.String())
	}
	var b strings.Builder
	r.Summary(&b, "a part of the scripts")
	t.Log(b.String())
	if r.Accesses < 1000 {
		t.Errorf("only %d accesses were seen in %d scripts: the tracer misses most of them", r.Accesses, r.Scripts)
	}
}

// lies maps a script to what is taken out of its prediction. Each has to be
// found out.
var lies = []struct {
	name, script string
	drop         func(*permissions.Effect) bool
	program      string // what is found doing it
	access       string // the beginning of what is found
}{
	{"a write", "sort a.txt -o build/sorted.txt", kindOf(permissions.FSWrite), "sort", "write T/home/ws/build/sorted.txt"},
	{"a read", "cat ../notes.txt", kindOf(permissions.Read), "cat", "read T/home/notes.txt"},
	{"a redirection", "echo x > build/out", kindOf(permissions.FSWrite), "shell", "write T/home/ws/build/out"},
	{"a removal", "rm -rf build old", endsIn("/old"), "rm", "write T/home/ws/old/"},
	{"the target of a rename", "mv a.txt build/b", endsIn("/build/b"), "mv", "write T/home/ws/build/b"},
	{"a link", "ln -s a.txt build/l", kindOf(permissions.FSWrite), "ln", "write T/home/ws/build/l"},
	{"where a link leads", "echo x >> outlink", kindOf(permissions.FSWrite), "shell", "write T/home/ws/outlink"},
	{"a change of mode", "chmod 600 .env", kindOf(permissions.FSWrite), "chmod", "write T/home/ws/.env"},
	{"a mkdir", "mkdir build/x", kindOf(permissions.FSWrite), "mkdir", "write T/home/ws/build/x"},
	{"a connection", "curl -s http://example.com/", kindOf(permissions.NetRead), "curl", "connect 127.0.0.11"},
	{"a connection of the shell", "echo > /dev/tcp/127.0.0.1/9", network, "shell", "connect 127.0.0.1"},
	{"a program's own write", "sqlite3 data.db 'insert into t values(9,9)'", kindOf(permissions.FSWrite), "sqlite3", "write T/home/ws/data.db"},
	{"a write below a folder", "tar xf pack.tar -C build", kindOf(permissions.FSWrite), "tar", "write T/home/ws/build/"},
	{"a write in a sub-process", `find docs -type f -exec cp {} build \;`, kindOf(permissions.FSWrite), "cp", "write T/home/ws/build/"},
	{"a list", "ls ..", kindOf(permissions.Read), "ls", "list T/home"},
	{"a glob", "echo docs/*", kindOf(permissions.Read), "shell", "list T/home/ws/docs"},
	{"git's store", "git commit -qam x", kindOf(permissions.FSWrite), "", ""},
}

func kindOf(k permissions.Kind) func(*permissions.Effect) bool {
	return func(e *permissions.Effect) bool { return e.Kind == k }
}

func endsIn(suffix string) func(*permissions.Effect) bool {
	return func(e *permissions.Effect) bool { return strings.HasSuffix(path.Clean(e.Path), suffix) }
}

func network(e *permissions.Effect) bool {
	return e.Kind == permissions.NetRead || e.Kind == permissions.NetWrite
}

// TestFindsLies is the test of the test: a prediction with something missing is
// found out, and the honest one is not.
func TestFindsLies(t *testing.T) {
	honest := shell.New(knowledge.Load()).Analyze
	sound := checker(t, honest)
	for _, l := range lies {
		t.Run(l.name, func(t *testing.T) {
			script := Script{l.name, l.script}
			if r := sound.Check(script); r.Failed != nil || len(r.Misses) > 0 {
				t.Fatalf("the honest prediction: %v %v", r.Failed, r.Misses)
			}
			liar := *sound
			liar.analyze = func(command string, env shell.Env) shell.Analysis {
				a := honest(command, env)
				a.Effects = slices.DeleteFunc(a.Effects, func(e permissions.Effect) bool { return l.drop(&e) })
				return a
			}
			r := liar.Check(script)
			if l.access == "" {
				// Opaque by its hooks: left open, and counted as such.
				if r.Blind == 0 || r.Clear == r.Commands {
					t.Errorf("%d accesses left open, %d of %d commands clear", r.Blind, r.Clear, r.Commands)
				}
				return
			}
			for _, m := range r.Misses {
				if m.Program == l.program && strings.HasPrefix(m.Access, l.access) {
					return
				}
			}
			t.Errorf("not found out; misses: %v", r.Misses)
		})
	}
}

// TestFindsALyingEntry lets the knowledge base itself lie about a program: an
// entry that names the read and not the write.
func TestFindsALyingEntry(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		misses      []string
	}{
		{"honest", `{"operands":"read","always":["write a.txt.note"]}`, nil},
		{"lying", `{"operands":"read"}`, []string{"write T/home/ws/a.txt.note"}},
		{"lying about the read", `{"operands":"text","always":["write a.txt.note"]}`, []string{"read T/home/ws/a.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, err := knowledge.Load().Extend(map[string]json.RawMessage{"notetaker": json.RawMessage(c.entry)})
			if err != nil {
				t.Fatal(err)
			}
			r := checker(t, shell.New(base).Analyze).Check(Script{c.name, "notetaker a.txt"})
			if r.Failed != nil {
				t.Fatal(r.Failed)
			}
			var got []string
			for _, m := range r.Misses {
				first, _, _ := strings.Cut(m.Access, " (")
				if !strings.HasPrefix(first, "run ") { // what the script is written with
					got = append(got, first)
				}
			}
			if !slices.Equal(got, c.misses) {
				t.Errorf("misses %v, want %v", got, c.misses)
			}
		})
	}
}

// TestFindsAHiddenProgram: a program that no part names is found out, also
// behind a helper of a program that may start some.
func TestFindsAHiddenProgram(t *testing.T) {
	honest := shell.New(knowledge.Load()).Analyze
	c := checker(t, func(command string, env shell.Env) shell.Analysis {
		a := honest(command, env)
		for i := range a.Parts {
			if len(a.Parts[i].Words) > 0 && a.Parts[i].Words[0].Text == "wc" {
				a.Parts[i].Words, a.Parts[i].Canon = []permissions.Word{{Text: "true", Known: true}}, nil
			}
		}
		return a
	})
	for _, script := range []string{"cat a.txt | wc -l", "ls *.txt | xargs -d '\\n' -n1 wc -l", "f() { wc -l a.txt; }; f", "bash -c 'wc -l a.txt; true'", "find docs -type f -exec wc -l {} +"} {
		r := c.Check(Script{script, script})
		if !slices.ContainsFunc(r.Misses, func(m Miss) bool { return strings.HasPrefix(m.Access, "run /usr/bin/wc") }) {
			t.Errorf("%s: wc ran unnoticed: %v %v", script, r.Misses, r.Failed)
		}
	}
}
