package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// files returns a registry with the file tools.
func (b *bench) files(t testing.TB) *Registry {
	t.Helper()
	r := NewRegistry(b.session)
	for _, tool := range append(FileTools(b.session), NewToolSearch(r), b.exec) {
		if err := r.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestFileTools(t *testing.T) {
	b := newBench(t)
	write(t, filepath.Join(b.root, "a.txt"), "one\ntwo\nthree\n")
	write(t, filepath.Join(b.root, "bin"), "a\x00b")
	write(t, filepath.Join(b.root, "empty"), "")
	write(t, filepath.Join(b.root, "src", "m.go"), "package m\n\nfunc Foo() {}\n")
	write(t, filepath.Join(b.root, "src", "deep", "n.go"), "package n // Foo\n")
	write(t, filepath.Join(b.root, ".git", "config"), "Foo\n")
	write(t, filepath.Join(b.root, "crlf"), "a\r\nb\r\n")
	write(t, filepath.Join(b.root, "long"), strings.Repeat("y", lineBytes+10)+"\nshort\n")
	write(t, filepath.Join(b.outside, "secret.go"), "Foo secret\n")
	for _, l := range [][2]string{{b.outside, "out"}, {"a.txt", "in"}, {"loop", "loop"}} {
		if err := os.Symlink(l[0], filepath.Join(b.root, l[1])); err != nil {
			t.Fatal(err)
		}
	}
	r := b.files(t)
	type m = map[string]any
	for _, tt := range []struct {
		name, tool string
		args       m
		want, not  []string
		isError    bool
	}{
		{"read", "read", m{"file_path": "a.txt"}, []string{"one\ntwo\nthree\n"}, nil, false},
		{"read through an inner link", "read", m{"file_path": "in"}, []string{"two"}, nil, false},
		{"read lines", "read", m{"file_path": "a.txt", "offset": 2, "limit": 1}, []string{"two\n", "lines 2 to 2", "offset=3"}, []string{"one", "three"}, false},
		{"read beyond the end", "read", m{"file_path": "a.txt", "offset": 9}, []string{"has 3 lines"}, nil, true},
		{"read binary", "read", m{"file_path": "bin"}, []string{"binary file of 3 bytes"}, nil, false},
		{"read empty", "read", m{"file_path": "empty"}, []string{"empty"}, nil, false},
		{"read a folder", "read", m{"file_path": "src"}, []string{"is a folder"}, nil, true},
		{"read a long line", "read", m{"file_path": "long"}, []string{"11 bytes of this line left out", "short"}, nil, false},
		{"read what is not there", "read", m{"file_path": "none"}, []string{"does not exist"}, nil, true},
		{"read outside", "read", m{"file_path": b.outside + "/secret.go"}, []string{"Permission needed", b.outside}, []string{"Foo"}, false},
		{"read outside through a link", "read", m{"file_path": "out/secret.go"}, []string{"Permission needed", b.outside}, []string{"Foo"}, false},
		{"read a loop", "read", m{"file_path": "loop"}, nil, nil, false},
		{"ls", "ls", m{}, []string{"a.txt\n", "src/\n", "out@\n", ".git/\n"}, nil, false},
		{"ls a file", "ls", m{"path": "a.txt"}, []string{"a.txt  14 bytes"}, nil, false},
		{"find by name", "find", m{"pattern": "*.go"}, []string{"src/m.go", "src/deep/n.go"}, []string{"secret"}, false},
		{"find by path", "find", m{"pattern": "src/*.go"}, []string{"src/m.go"}, []string{"deep"}, false},
		{"find deep", "find", m{"pattern": "**/deep/*", "path": "src"}, []string{"deep/n.go"}, nil, false},
		{"find leaves .git out", "find", m{"pattern": "config"}, []string{"nothing matches"}, nil, false},
		{"find climbing", "find", m{"pattern": "../*"}, []string{"must not climb"}, nil, true},
		{"find absolute", "find", m{"pattern": "/etc/*"}, []string{"relative"}, nil, true},
		{"find bad glob", "find", m{"pattern": "[a"}, []string{"no glob"}, nil, true},
		{"grep", "grep", m{"pattern": "Foo"}, []string{"src/m.go:3:func Foo() {}", "src/deep/n.go:1:"}, []string{"secret", ".git"}, false},
		{"grep one file", "grep", m{"pattern": "t.o", "path": "a.txt"}, []string{"a.txt:2:two"}, nil, false},
		{"grep with a glob", "grep", m{"pattern": "Foo", "glob": "n.*"}, []string{"n.go"}, []string{"m.go"}, false},
		{"grep ignoring case", "grep", m{"pattern": "FOO", "ignore_case": true}, []string{"m.go:3"}, nil, false},
		{"grep without a match", "grep", m{"pattern": "nowhere"}, []string{"no match"}, nil, false},
		{"grep bad pattern", "grep", m{"pattern": "("}, []string{"no regular expression"}, nil, true},
		{"write", "write", m{"file_path": "new/deep/f", "content": "hello"}, []string{"wrote 5 bytes", "a new file"}, nil, false},
		{"write again", "write", m{"file_path": "new/deep/f", "content": "bye"}, []string{"in place of 5 bytes"}, nil, false},
		{"write onto a folder", "write", m{"file_path": "src", "content": "x"}, []string{"is a folder"}, nil, true},
		{"write below a file", "write", m{"file_path": "a.txt/x", "content": "x"}, nil, nil, true},
		{"write outside", "write", m{"file_path": "out/planted", "content": "x"}, []string{"Permission needed", b.outside + "/planted"}, nil, false},
		{"edit", "edit", m{"file_path": "new/deep/f", "old_string": "b", "new_string": "goodb"}, []string{"one occurrence"}, nil, false},
		{"edit what is not there", "edit", m{"file_path": "a.txt", "old_string": "nope", "new_string": "x"}, []string{"was not found"}, nil, true},
		{"edit what is there twice", "edit", m{"file_path": "a.txt", "old_string": "t", "new_string": "x"}, []string{"2 times"}, nil, true},
		{"edit all", "edit", m{"file_path": "a.txt", "old_string": "t", "new_string": "T", "replace_all": true}, []string{"2 occurrences"}, nil, false},
		{"edit nothing", "edit", m{"file_path": "a.txt", "old_string": "one", "new_string": "one"}, []string{"the same"}, nil, true},
		{"edit by nothing", "edit", m{"file_path": "a.txt", "old_string": "", "new_string": "one"}, []string{"empty"}, nil, true},
		{"edit other line ends", "edit", m{"file_path": "crlf", "old_string": "a\nb", "new_string": "x"}, []string{"CR LF"}, nil, true},
		{"edit other blanks", "edit", m{"file_path": "src/m.go", "old_string": "func  Foo()", "new_string": "x"}, []string{"blanks"}, nil, true},
		{"edit binary", "edit", m{"file_path": "bin", "old_string": "a", "new_string": "x"}, []string{"binary"}, nil, true},
		{"search tools", "tool_search", m{"query": "regular expression"}, []string{"grep(glob?, ignore_case?, path?, pattern)"}, nil, false},
		{"search nothing", "tool_search", m{"query": "zebra"}, []string{"no tool matches"}, nil, false},
		{"unknown tool", "raed", m{}, []string{`did you mean "read"?`}, nil, true},
		{"unknown argument", "read", m{"file_path": "a.txt", "ofset": 1}, []string{`did you mean "offset"?`}, nil, true},
		{"missing argument", "read", m{}, []string{`"file_path" is missing`}, nil, true},
		{"wrong type", "read", m{"file_path": 3}, []string{"do not fit"}, nil, true},
		{"too small", "read", m{"file_path": "a.txt", "offset": 0}, []string{"do not fit"}, nil, true},
		{"not JSON", "read", m{"file_path": make(chan int)}, []string{"no JSON"}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := r.Execute(t.Context(), tt.tool, tt.args)
			wantText(t, "ForLLM", res.ForLLM, tt.want...)
			for _, n := range tt.not {
				if strings.Contains(res.ForLLM, n) {
					t.Errorf("%q holds %q", res.ForLLM, n)
				}
			}
			if res.IsError != tt.isError {
				t.Errorf("IsError = %v: %q", res.IsError, res.ForLLM)
			}
		})
	}
	for name, want := range map[string]string{"new/deep/f": "goodbye", "a.txt": "one\nTwo\nThree\n"} {
		if got, err := os.ReadFile(filepath.Join(b.root, name)); string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(b.outside, "planted")); err == nil {
		t.Error("a file was written outside")
	}
}

func TestLongListingsSayWhatTheyCut(t *testing.T) {
	b := newBench(t)
	var lines strings.Builder
	for i := range listEntries + 5 {
		write(t, filepath.Join(b.root, "d", fmt.Sprintf("f%04d", i)), "match\n")
		fmt.Fprintln(&lines, "line", i)
	}
	for range 2000 {
		fmt.Fprintln(&lines, "more")
	}
	write(t, filepath.Join(b.root, "lines"), lines.String())
	write(t, filepath.Join(b.root, "wide"), strings.Repeat(strings.Repeat("z", 1000)+"\n", 500))
	r := b.files(t)
	type m = map[string]any
	for tool, tt := range map[string]struct {
		args m
		want string
	}{
		"ls":   {m{"path": "d"}, "5 more entries"},
		"find": {m{"pattern": "f*"}, "cut off"},
		"grep": {m{"pattern": "match"}, "cut off"},
		"read": {m{"file_path": "lines"}, "offset=2001"},
	} {
		wantText(t, tool, r.Execute(t.Context(), tool, tt.args).ForLLM, tt.want)
	}
	res := r.Execute(t.Context(), "read", m{"file_path": "wide"})
	wantText(t, "read", res.ForLLM, "more follows")
	if len(res.ForLLM) > readBytes+1000 {
		t.Errorf("%d bytes of result", len(res.ForLLM))
	}
}

// swapGate puts a link in the place of a folder as soon as a call was decided.
type swapGate struct {
	*fakeGate
	swap func()
}

func (g swapGate) Begin(ctx context.Context, v gate.Verdict) (func(string), error) {
	end, err := g.fakeGate.Begin(ctx, v)
	g.swap()
	return end, err
}

// TestSwapGainsNothing: what was checked is what is opened, or nothing is.
func TestSwapGainsNothing(t *testing.T) {
	type m = map[string]any
	for tool, args := range map[string]m{
		"read":  {"file_path": "d/f"},
		"write": {"file_path": "d/f", "content": "planted"},
		"edit":  {"file_path": "d/f", "old_string": "secret", "new_string": "planted"},
		"ls":    {"path": "d"},
		"find":  {"pattern": "*", "path": "d"},
		"grep":  {"pattern": "secret", "path": "d"},
		"exec":  {"command": "cat f", "cwd": "d"},
	} {
		t.Run(tool, func(t *testing.T) {
			b := newBench(t)
			write(t, filepath.Join(b.root, "d", "f"), "harmless")
			write(t, filepath.Join(b.outside, "f"), "secret")
			d := filepath.Join(b.root, "d")
			b.session.opt.Gate = swapGate{b.gate, func() {
				if err := os.Rename(d, d+".old"); err != nil {
					t.Error(err)
				}
				if err := os.Symlink(b.outside, d); err != nil {
					t.Error(err)
				}
			}}
			res := b.files(t).Execute(t.Context(), tool, args)
			if !res.IsError || strings.Contains(res.ForLLM, "secret") {
				t.Errorf("%+v", res)
			}
			if got, _ := os.ReadFile(filepath.Join(b.outside, "f")); string(got) != "secret" {
				t.Errorf("the file outside holds %q", got)
			}
		})
	}
}

func TestFileQuestionGoesToTheAsker(t *testing.T) {
	var asked atomic.Int32
	b := newBench(t, func(_ *Options, so *SessionOptions) {
		so.Asker = askerFunc(func(q approval.Question) approval.Choice {
			asked.Add(1)
			if q.Needs[0].Access == permissions.FSWrite {
				return approval.No
			}
			return approval.Once
		})
	})
	write(t, filepath.Join(b.outside, "f"), "text")
	r := b.files(t)
	args := map[string]any{"file_path": b.outside + "/f"}
	for i := range 2 {
		if res := r.Execute(t.Context(), "read", args); res.ForLLM != "text" {
			t.Errorf("%+v", res)
		}
		if int(asked.Load()) != i+1 {
			t.Errorf("asked %d times after %d reads", asked.Load(), i+1)
		}
	}
	args["content"] = "x"
	for range 2 {
		if res := r.Execute(t.Context(), "write", args); !res.IsError || !strings.Contains(res.ForLLM, "denied") {
			t.Errorf("%+v", res)
		}
	}
	if asked.Load() != 3 {
		t.Errorf("asked %d times, want 3", asked.Load())
	}
}
