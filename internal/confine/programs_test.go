package confine_test

import (
	"os"
	"strings"
	"testing"
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
