package gate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

const flowRules = `{"permissions":{"allow":["command(find)","command(git)","command(cat)","command(grep)","command(wc)","command(rg)",
	"command(sed)","command(rm)","command(head)","command(ls)","command(sort)","command(cp)","command(mkdir)","command(touch)","command(mktemp)"]}}`

// TestFlowsStayInside decides command lines whose file names come from a
// listing: allowed where no name in the tree can become another word.
func TestFlowsStayInside(t *testing.T) {
	p := newPlace(t)
	p.project(t)
	g := p.gate(t, flowRules)
	for _, line := range []string{
		"find . -name '*.go' | xargs grep foo",
		"find src -type f -print0 | xargs -0 grep x",
		"git ls-files | xargs wc -l",
		"git ls-files | grep go | sort -r | head -n 3 | xargs cat",
		"grep -rl x src | xargs sed -i s/a/b/",
		"find src | xargs -I{} touch {}.bak",
		"for f in $(git ls-files src); do wc -l $f; done",
		"find src | while read -r f; do cat \"$f\"; done",
		"find src -print0 | while IFS= read -r -d '' f; do cat \"$f\"; done",
		"cat $(git ls-files '*.go')",
		"timeout 5 find src -type f | xargs cat",
		"git diff --name-only | xargs cat",
		"x=$(mktemp); echo hi > \"$x\"; cat \"$x\"; rm \"$x\"",
		"d=$(mktemp -d); cp a.txt \"$d/a\"; rm -rf \"$d\"",
		"d=$(mktemp -d /tmp/job.XXXXXX); touch \"$d/a\"; rm -rf \"$d\"",
	} {
		want(t, g.Decide(context.Background(), bash("s", line)), permissions.Allow)
	}
}

// TestFlowsThatLeave decides command lines whose listed names may lead
// elsewhere, or whose names are code.
func TestFlowsThatLeave(t *testing.T) {
	p := newPlace(t)
	p.project(t)
	g := p.gate(t, flowRules)
	for _, line := range []string{
		"find " + p.outside + " | xargs cat",
		"ls -a | xargs cat",
		"ls -R | xargs cat",
		"find . -printf '/etc/%p' | xargs cat",
		"find . | sed s,^.,/etc, | xargs cat",
		"find . | cut -c2- | xargs cat",
		"find . | tail -c 5 | xargs cat",
		"find . -print0 | xargs cat",
		"git diff --name-only HEAD~1 | xargs cat",
		"git diff --line-prefix=/etc/ --name-only | xargs cat",
		"git ls-files .. | xargs cat",
		"git -C sub ls-files | xargs cat",
		"grep -rl --label=/etc/passwd x - . | xargs cat",
		"rg -l --path-separator // x | xargs cat",
		"find . | xargs -E x cat",
		"find . | xargs -d / cat",
		"find . | while IFS=/ read -r f g; do cat \"$g\"; done",
		"find .. | while read -r f; do cat ${f##*/}/x; done",
		"find . | while read -r f; do cat ${f%/*}/../../x; done",
		"find . | xargs sh -c 'cat \"$@\"' _; cat $(find .)$(find .)",
		"{ find .; echo /etc/passwd; } | xargs cat",
		"cat $(ls)/../../x",
		"find . -name '*.go' -o -name '*.txt' | xargs rm",
		"find . -print -name x | xargs rm",
		"touch '-n'; ls | xargs cat",
		"touch 'a /etc/passwd'; find . | xargs cat",
		"find . | xargs -I{} touch '{} x'; find . | xargs cat",
		"git ls-files | xargs python3",
		"git ls-files | xargs sh",
		"git ls-files | sh",
		"for f in $(find . -name '*.sh'); do sh $f; done",
		"x=$(mktemp); cat \"$x/../../etc/passwd\"",
		"x=$(mktemp); cat \"$x.txt\"",
		"x=$(mktemp -u); cat \"$x\"",
		"d=$(mktemp -d); cat \"$d/../x\"",
		"x=$(mktemp " + p.outside + "/x.XXXXXX); cat \"$x\"",
	} {
		if v := g.Decide(context.Background(), bash("s", line)); v.Verdict == permissions.Allow {
			t.Errorf("allowed: %s", line)
		}
	}
}

// TestFlowsLookAtTheDisk: what was fine is asked about once the tree holds a
// name that turns into something else.
func TestFlowsLookAtTheDisk(t *testing.T) {
	for _, c := range []struct{ name, line string }{
		{"x /etc/passwd", "find . -type f | xargs cat"},
		{"x\t/etc/passwd", "cat $(git ls-files)"},
		{"a\n/etc/passwd", "find . | while IFS= read -r f; do cat \"$f\"; done"},
		{" x", "ls | while read -r f; do cat \"$f\"; done"},
		{"a\\b", "find . | while IFS= read f; do cat \"$f\"; done"},
		{"it's", "find . | xargs cat"},
		{"-n", "ls | xargs cat"},
		{"-f/etc/passwd", "git ls-files | xargs grep x"},
		{".[.]/x", "cat $(find .)"},
		{"a b/c", "for f in */*; do cat $f; done"},
	} {
		p := newPlace(t)
		g := p.gate(t, flowRules)
		if v := g.Decide(context.Background(), bash("s", c.line)); v.Verdict != permissions.Allow {
			t.Errorf("%s: %s (%s) in an empty tree", c.line, v.Verdict, v.Reason)
		}
		p.file(t, c.name)
		if v := g.Decide(context.Background(), bash("s", c.line)); v.Verdict == permissions.Allow {
			t.Errorf("%q: allowed: %s", c.name, c.line)
		}
	}
}

// TestFlowsFollowLinks: what lists names does not go through links, but what
// opens them does.
func TestFlowsFollowLinks(t *testing.T) {
	p := newPlace(t)
	p.project(t)
	g := p.gate(t, flowRules)
	if err := os.Symlink(p.outside, p.space+"/src/link"); err != nil {
		t.Fatal(err)
	}
	for line, verdict := range map[string]permissions.Verdict{
		"find src | xargs cat":                        permissions.Ask,
		"find src -exec cat {} ';'":                   permissions.Ask,
		"ls src | xargs cat":                          permissions.Ask,
		"find src -type f | xargs cat":                permissions.Allow,
		"find src -name '*.go' | xargs cat":           permissions.Allow,
		"grep -rl x src | xargs cat":                  permissions.Allow,
		"find src -type d | xargs -I{} cat {}/link":   permissions.Ask,
		"find src -name 'l*' | xargs -I{} cp -r {} y": permissions.Ask,
		"shopt -s globstar; cat src/**":               permissions.Ask,
	} {
		if v := g.Decide(context.Background(), bash("s", line)); v.Verdict != verdict {
			t.Errorf("%s: %s (%s), want %s", line, v.Verdict, v.Reason, verdict)
		}
	}
}

// TestFlowsReadTheIndex: names in git's index need not be on the disk.
func TestFlowsReadTheIndex(t *testing.T) {
	p := newPlace(t)
	p.project(t)
	p.file(t, "x /etc/passwd")
	p.git(t, "add", "-A")
	if err := os.RemoveAll(p.space + "/x "); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.space + "/.git/index"); err != nil {
		t.Skip("there is no git here to make an index")
	}
	g := p.gate(t, flowRules)
	want(t, g.Decide(context.Background(), bash("s", "git ls-files | xargs cat")), permissions.Ask)
	want(t, g.Decide(context.Background(), bash("s", "git ls-files -z | xargs -0 cat")), permissions.Allow)
	want(t, g.Decide(context.Background(), bash("s", "find src | xargs cat")), permissions.Allow)
}

// file makes an empty file in the workspace, with the folders above it.
func (p *place) file(t *testing.T, name string) {
	t.Helper()
	full := p.space + "/" + name
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestALinkAsWorkingDirectory: a shell that is started in a link may go by the
// link's name or by the folder's, so that "cd .." may leave the workspace.
func TestALinkAsWorkingDirectory(t *testing.T) {
	p := newPlace(t)
	inner := p.outside + "/inner"
	for _, d := range []string{inner, p.space + "/real/sub"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out": inner, "in": p.space + "/real/sub"} {
		if err := os.Symlink(to, p.space+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	g := p.gate(t, `{"executionMode":"auto","permissions":{"deny":["read(real/secret)"]}}`)
	for _, c := range []struct {
		cwd, command string
		want         permissions.Verdict
	}{
		{"", "cat s", permissions.Allow},
		{"/in", "cat s", permissions.Allow},
		{"/in", "cd .. && cat s", permissions.Allow},
		{"/in", "cd .. && cat secret", permissions.Deny},
		{"/out", "cd .. && cat s", permissions.Ask},
		{"/out", "cd ../.. && cat s", permissions.Ask},
		{"/out", "pushd .. && cat s", permissions.Ask},
		{"/out", "cat $PWD/../s", permissions.Ask},
	} {
		for _, in := range []gate.Request{
			{Cwd: p.space + c.cwd, Input: map[string]any{"command": c.command}},
			{Cwd: p.space, Input: map[string]any{"command": c.command, "cwd": p.space + c.cwd}},
		} {
			in.Tool = permissions.Tool{Name: "bash", Builtin: true}
			if v := g.Decide(t.Context(), in); v.Verdict != c.want {
				t.Errorf("%s in %s: %v (%s), want %v", c.command, c.cwd, v.Verdict, v.Reason, c.want)
			}
		}
	}
}
