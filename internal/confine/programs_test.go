package confine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mayi/pkg/approval"
)

// TestAProgramThatTheCallNames: what was decided by name runs, wherever the PATH
// finds it; what it names in turn was not decided.
func TestAProgramThatTheCallNames(t *testing.T) {
	r := newRoom(t, `{"permissions":{"allow":["command(named)","command(linked)","command(sh)","command(secret)"],"deny":["read(keys/**)"]},"executionMode":"auto"}`)
	bin := r.outside + "/bin"
	for _, d := range []string{bin, r.outside + "/lib", r.app.Settings.Options().Home + "/.ssh"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script := func(name string) {
		r.file(name, "#!/bin/sh\necho RAN $0\n")
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{bin + "/named", bin + "/other", r.outside + "/lib/l.sh", r.app.Settings.Options().Home + "/.ssh/secret"} {
		script(f)
	}
	if err := os.Symlink("../lib/l.sh", bin+"/linked"); err != nil {
		t.Fatal(err)
	}
	r.file(r.space+"/s.sh", "other; "+bin+"/other")
	path := "PATH=/usr/local/bin:/usr/bin:/bin:" + bin + ":" + r.app.Settings.Options().Home + "/.ssh"
	for line, ok := range map[string]bool{
		"named": true, "named; true": true, "true && named | cat": true, "linked": true, "linked | cat": true, "env named": true,
		"sh s.sh": false, "secret": false, "secret; true": false,
	} {
		v := r.decide(line)
		code, out, said, err := r.runHeld(v, "required", path)
		if strings.Contains(out, "RAN") != ok {
			t.Errorf("%s: code %d, %v, printed %q, said %q", line, code, err, out, said)
		}
		if line == "sh s.sh" && (!strings.Contains(said, `tried to run "`+bin+`/other"`) || strings.Count(said, "\n") != 1) {
			t.Errorf("%s: said %q", line, said)
		}
	}
}

// TestAVersionManagersShim: a program that the PATH finds as a shim in the home
// folder runs with what the shim needs of its version manager; a shim that leads
// elsewhere is refused, and it is said what to grant.
func TestAVersionManagersShim(t *testing.T) {
	r := newRoom(t, `{"executionMode":"auto"}`)
	home := r.app.Settings.Options().Home
	plant := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(r.file(name, "#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ shims, tool string }{
		{home + "/.pyenv/shims", home + "/.pyenv/versions/3/bin/python3"},
		{home + "/.asdf/shims", home + "/.asdf/installs/python/3/bin/python3"},
		{home + "/.local/share/mise/shims", home + "/.local/share/mise/installs/python/3/bin/python3"},
		{home + "/.cargo/bin", home + "/.rustup/toolchains/stable/bin/cargo"},
		{r.outside + "/pyenv/shims", r.outside + "/pyenv/versions/3/bin/python3"},
	} {
		plant(c.tool, `echo RAN "$@"`)
		plant(c.shims+"/tool", "exec "+c.tool+` "$@"`)
		code, out, said, err := r.runHeld(r.decide("tool x"), "required", "PATH="+c.shims+":/usr/bin:/bin")
		if ok := strings.HasPrefix(c.shims, home); (out == "RAN x\n") != ok {
			t.Errorf("%s: code %d, %v, printed %q, said %q", c.shims, code, err, out, said)
		} else if !ok && !strings.Contains(said, `tried to run "`+c.tool+`", which is outside of what this command was granted; to grant it,`) {
			t.Errorf("%s: said %q", c.shims, said)
		}
	}
}

// TestAProgramThatNobodyNamedIsAskedAbout: what a script runs outside waits for
// the person, and the answers are those of any other question.
func TestAProgramThatNobodyNamedIsAskedAbout(t *testing.T) {
	r := newRoom(t, `{"executionMode":"auto","permissions":{"allow":["command(sh)"]}}`)
	tool := r.file(r.outside+"/tool", "#!/bin/sh\necho RAN\n")
	if err := os.Chmod(tool, 0o755); err != nil {
		t.Fatal(err)
	}
	r.file(r.space+"/s.sh", tool+"; "+tool)
	for i, c := range []struct {
		answer approval.Choice
		runs   int
		asks   int
	}{{approval.Once, 2, 2}, {approval.Session, 2, 1}, {approval.No, 2, 0}} {
		asked := 0
		_, out, said := r.run("sh s.sh", approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
			if asked++; !strings.Contains(q.Command, "sh wants to run "+tool) {
				t.Errorf("%d: %q", i, q.Command)
			}
			return approval.Answer{Choice: c.answer, By: "test"}, nil
		}))
		if strings.Count(out, "RAN") != c.runs || asked != c.asks {
			t.Errorf("%d: asked %d times, printed %q, said %q", i, asked, out, said)
		}
	}
	other := newRoom(t, `{"executionMode":"auto","permissions":{"allow":["command(sh)"]}}`)
	other.file(other.space+"/s.sh", tool)
	for name, asker := range map[string]approval.Asker{"nobody": nil, "no": approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Choice: approval.No, By: "test"}, nil
	})} {
		if code, out, said := other.run("sh s.sh", asker); code == 0 || strings.Contains(out, "RAN") || !strings.Contains(strings.Join(said, " "), "tried to run") {
			t.Errorf("%s: code %d, printed %q, said %q", name, code, out, said)
		}
	}
}
