package gate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/tools"
)

// place is a home, a workspace and a folder outside of it.
type place struct {
	home, space, outside string
	grants               map[string]approval.Grants
	record               *recorder
	mu                   sync.Mutex
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{home: dir + "/home", space: dir + "/space", outside: dir + "/desktop", grants: map[string]approval.Grants{}, record: &recorder{}}
	for _, d := range []string{p.home, p.space, p.outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *place) settings(t *testing.T, override string) *config.Settings {
	t.Helper()
	s, err := config.Load(config.Options{
		Cwd: p.space, Workspace: p.space, Home: p.home, User: "dev",
		UserFile: p.home + "/.config/mayi/settings.json", StateDir: p.home + "/state", Override: []byte(override),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (p *place) gate(t *testing.T, override string, change ...func(*gate.Options)) *gate.Gate {
	t.Helper()
	o := gate.Options{
		Settings: p.settings(t, override), Analyzer: shell.New(knowledge.Load()), Recorder: p.record,
		Cwd: p.space, Home: p.home, User: "dev", Env: map[string]string{},
		Grants: func(session string) approval.Grants {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.grants[session] == nil {
				p.grants[session] = tools.NewPermissionCache().Grants()
			}
			return p.grants[session]
		},
	}
	for _, f := range change {
		f(&o)
	}
	g, err := gate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

type recorder struct {
	mu   sync.Mutex
	all  []gate.Record
	fail error
}

func (r *recorder) Record(_ context.Context, one gate.Record) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return 0, r.fail
	}
	r.all = append(r.all, one)
	return int64(len(r.all)), nil
}

func bash(session, line string) gate.Request {
	return gate.Request{Session: session, Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line}}
}

func file(session, tool, path string) gate.Request {
	return gate.Request{Session: session, Tool: permissions.Tool{Name: tool, Builtin: true}, Input: map[string]any{"file_path": path}}
}

func answering(c approval.Choice) approval.Asker {
	return approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Choice: c, By: "test"}, nil
	})
}

func want(t *testing.T, v gate.Verdict, verdict permissions.Verdict) {
	t.Helper()
	if v.Verdict != verdict {
		t.Fatalf("%s: %s (%s), want %s", v.Text, v.Verdict, v.Reason, verdict)
	}
}

func TestOnceIsForOneRun(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	line := "ls " + p.outside
	v := g.Decide(ctx, bash("s", line))
	want(t, v, permissions.Ask)
	v, _, err := g.Ask(ctx, v, answering(approval.Once))
	if err != nil {
		t.Fatal(err)
	}
	want(t, v, permissions.Allow)
	end, err := g.Begin(ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	end("exit 0")
	if _, err := g.Begin(ctx, v); err == nil {
		t.Fatal("the same verdict began twice on a once-grant")
	}
	want(t, g.Decide(ctx, bash("s", line)), permissions.Ask)
}

func TestOnceIsBoundToTheCallThatWasShown(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(ls)"]}}`)
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), answering(approval.Once))
	want(t, v, permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "ls  "+p.outside)), permissions.Ask)
	other := bash("s", "ls "+p.outside)
	other.Cwd = p.home
	want(t, g.Decide(ctx, other), permissions.Ask)
	want(t, g.Decide(ctx, bash("s", "ls "+p.outside)), permissions.Allow)
}

func TestSessionHoldsInItsSessionAlone(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(ls)","command(cat)","command(touch)"]}}`)
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), answering(approval.Session))
	want(t, v, permissions.Allow)
	for range 3 {
		if _, err := g.Begin(ctx, v); err != nil {
			t.Fatal(err)
		}
	}
	want(t, g.Decide(ctx, bash("s", "cat "+p.outside+"/a")), permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "cat "+p.outside+"2/a")), permissions.Ask)
	want(t, g.Decide(ctx, bash("s", "touch "+p.outside+"/a")), permissions.Ask)
	want(t, g.Decide(ctx, bash("another", "cat "+p.outside+"/a")), permissions.Ask)
	want(t, g.Decide(ctx, bash("", "cat "+p.outside+"/a")), permissions.Ask)
}

func TestNoIsRemembered(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(ls)"]}}`)
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), answering(approval.No))
	want(t, v, permissions.Deny)
	want(t, g.Decide(ctx, bash("s", "ls "+p.outside)), permissions.Deny)
	want(t, g.Decide(ctx, bash("s", "ls "+p.outside+"/below")), permissions.Deny)
	want(t, g.Decide(ctx, bash("another", "ls "+p.outside)), permissions.Ask)
}

func TestSilenceIsARefusalButNoNo(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	nobody := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Denied("nobody answered within 50 s"), nil
	})
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), nobody)
	want(t, v, permissions.Deny)
	if !strings.Contains(v.Reason, "nobody answered") {
		t.Errorf("the reason does not say that nobody answered: %s", v.Reason)
	}
	want(t, g.Decide(ctx, bash("s", "ls "+p.outside)), permissions.Ask)
}

// TestNoAnswerCoversUpADeny: every hard block is computed before the question.
func TestNoAnswerCoversUpADeny(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"deny":["command(rm)"]}}`)
	v := g.Decide(ctx, bash("s", "ls "+p.outside+"; rm x"))
	want(t, v, permissions.Deny)
	if _, _, err := g.Ask(ctx, v, answering(approval.Session)); err == nil {
		t.Fatal("a denied call was taken to a person")
	}
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), answering(approval.Session))
	want(t, v, permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "ls "+p.outside+"; rm x")), permissions.Deny)
}

func TestSettingsThatChangedAreDecidedAgain(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	v := g.Decide(ctx, bash("s", "ls "+p.outside))
	changing := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		g.Use(p.settings(t, `{"permissions":{"deny":["command(ls)"]}}`))
		return approval.Answer{Choice: approval.Session, By: "test"}, nil
	})
	v, _, _ = g.Ask(ctx, v, changing)
	want(t, v, permissions.Deny)

	g = p.gate(t, `{"permissions":{"allow":["command(ls)"]}}`)
	v = g.Decide(ctx, bash("s", "ls"))
	want(t, v, permissions.Allow)
	g.Use(p.settings(t, `{"permissions":{"deny":["command(ls)"]}}`))
	if _, err := g.Begin(ctx, v); err == nil {
		t.Fatal("a call began under settings that it was not decided under")
	}
}

// TestALinkThatIsSwappedWhileTheQuestionIsOpen: what counts is what the name
// leads to after the answer.
func TestALinkThatIsSwappedWhileTheQuestionIsOpen(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	link := filepath.Join(p.space, "link")
	if err := os.Symlink(p.outside, link); err != nil {
		t.Fatal(err)
	}
	g := p.gate(t, `{"permissions":{"allow":["command(ls)"]}}`)
	v := g.Decide(ctx, bash("s", "ls link/"))
	want(t, v, permissions.Ask)
	swapping := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		if err := errors.Join(os.Remove(link), os.Symlink("/etc", link)); err != nil {
			t.Error(err)
		}
		return approval.Answer{Choice: approval.Session, By: "test"}, nil
	})
	v, _, _ = g.Ask(ctx, v, swapping)
	want(t, v, permissions.Deny)
	want(t, g.Decide(ctx, bash("s", "ls /etc")), permissions.Ask)
}

func TestWithoutARecordNothingRuns(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(touch)"]}}`)
	p.record.fail = errors.New("disk full")
	v := g.Decide(ctx, bash("s", "touch a"))
	want(t, v, permissions.Allow)
	if _, err := g.Begin(ctx, v); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Fatalf("a call that cannot be recorded began (%v)", err)
	}
	read := g.Decide(ctx, file("s", "read", "a.txt"))
	want(t, read, permissions.Allow)
	if _, err := g.Begin(ctx, read); err != nil {
		t.Fatalf("a read needs no record: %v", err)
	}
}

func TestAFailingAskerRefuses(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	for name, asker := range map[string]approval.Asker{
		"error": approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
			return approval.Answer{Choice: approval.Session, By: "x"}, errors.New("broken")
		}),
		"unnamed": approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
			return approval.Answer{Choice: approval.Session}, nil
		}),
		"word":   answering("sure"),
		"empty":  answering(""),
		"nobody": approval.Nobody(),
		"nil":    nil,
	} {
		v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s-"+name, "ls "+p.outside)), asker)
		if v.Verdict == permissions.Allow {
			t.Errorf("%s: an asker that gave no clear yes allowed the call", name)
		}
		if _, err := g.Begin(ctx, v); err == nil {
			t.Errorf("%s: the call began", name)
		}
	}
}

func TestAlwaysWritesTheRuleThatWasShown(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	var wrote []string
	g := p.gate(t, `{}`, func(o *gate.Options) {
		o.AddRule = func(_ context.Context, layer, rule string) (*config.Settings, error) {
			wrote = append(wrote, layer+" "+rule)
			return p.settings(t, fmt.Sprintf(`{"permissions":{"allow":[%q]}}`, rule)), nil
		}
	})
	always := func(rule string) approval.Asker {
		return approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
			if rule == "" {
				rule = q.Rules[0]
			}
			return approval.Answer{Choice: approval.Always, Rule: rule, Layer: "user", By: "test"}, nil
		})
	}
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "touch a")), always("command(bash)"))
	want(t, v, permissions.Deny)
	if len(wrote) != 0 {
		t.Fatalf("a rule that was not offered was written: %v", wrote)
	}
	v, _, err := g.Ask(ctx, g.Decide(ctx, bash("s", "touch b")), always(""))
	if err != nil {
		t.Fatal(err)
	}
	want(t, v, permissions.Allow)
	if len(wrote) != 1 || wrote[0] != "user command(touch b)" {
		t.Fatalf("wrote %v", wrote)
	}
}

func TestAThousandClaimsOneRun(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), answering(approval.Once))
	want(t, v, permissions.Allow)
	var began atomic.Int64
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			again := g.Decide(ctx, bash("s", "ls "+p.outside))
			if again.Verdict != permissions.Allow {
				return
			}
			if _, err := g.Begin(ctx, again); err == nil {
				began.Add(1)
			}
		})
	}
	wg.Wait()
	if n := began.Load(); n != 1 {
		t.Fatalf("%d runs on one once-grant", n)
	}
}

func TestACancelledDecisionIsADeny(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := newPlace(t)
	want(t, p.gate(t, `{"executionMode":"auto"}`).Decide(ctx, bash("s", "true")), permissions.Deny)
}

func TestOneByteChangesTheHash(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	base := g.Decide(ctx, bash("s", "echo a")).Hash
	for name, r := range map[string]gate.Request{
		"command": bash("s", "echo b"),
		"blank":   bash("s", "echo  a"),
		"cwd":     {Session: "s", Cwd: p.home, Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": "echo a"}},
		"tool":    {Session: "s", Tool: permissions.Tool{Name: "exec", Builtin: true}, Input: map[string]any{"command": "echo a"}},
		"builtin": {Session: "s", Tool: permissions.Tool{Name: "bash"}, Input: map[string]any{"command": "echo a"}},
		"more":    {Session: "s", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": "echo a", "timeout": 1}},
		"env":     {Session: "s", Env: map[string]string{"A": "1"}, Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": "echo a"}},
	} {
		if g.Decide(ctx, r).Hash == base {
			t.Errorf("%s: another call has the same hash", name)
		}
	}
	if g.Decide(ctx, bash("other", "echo a")).Hash != base {
		t.Error("the session is part of the hash")
	}
}

// TestDenyPatternsHoldAtEveryDoor: no mode, rule or answer lifts one.
func TestDenyPatternsHoldAtEveryDoor(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto","allowNonWorkspaceAccess":true,"tools":{"exec":{"custom_deny_patterns":["^git push"]}}}`)
	for _, line := range []string{"git push --force", "true; git push", "shutdown now", "timeout 5 reboot"} {
		v := g.Decide(ctx, bash("s", line))
		want(t, v, permissions.Deny)
		if v.Promptable || len(v.Reasons) == 0 || v.Reasons[0].Code != "deny-pattern" {
			t.Errorf("%s: %+v", line, v.Decision)
		}
	}
	want(t, g.Decide(ctx, bash("s", "git status")), permissions.Allow)
}

// TestAGrantToReadIsNoGrantToRun: what a person was told covers reading alone.
func TestAGrantToReadIsNoGrantToRun(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	tool := filepath.Join(p.outside, "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	g := p.gate(t, `{"executionMode":"auto"}`)
	want(t, g.Decide(ctx, bash("s", tool)), permissions.Ask)
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), answering(approval.Session))
	want(t, v, permissions.Allow)
	want(t, g.Decide(ctx, bash("s", tool)), permissions.Ask)
	// The answer about running is about this call, and opens no reading.
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("t", tool)), answering(approval.Session))
	want(t, v, permissions.Allow)
	want(t, g.Decide(ctx, bash("t", tool)), permissions.Allow)
	want(t, g.Decide(ctx, bash("t", "cat "+tool)), permissions.Ask)
	want(t, g.Decide(ctx, bash("t", tool+" -x")), permissions.Ask)
	// So is one for one time, and a no.
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("u", tool)), answering(approval.Once))
	want(t, v, permissions.Allow)
	if _, err := g.Begin(ctx, v); err != nil {
		t.Fatal(err)
	}
	want(t, g.Decide(ctx, bash("u", tool)), permissions.Ask)
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("w", tool)), answering(approval.No))
	want(t, v, permissions.Deny)
	want(t, g.Decide(ctx, bash("w", tool)), permissions.Deny)
}

// TestAGlobThatCouldBeAnOption: the disk says whether it is one.
func TestAGlobThatCouldBeAnOption(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(sort)","command(touch)"]}}`)
	if err := os.WriteFile(filepath.Join(p.space, "a.txt"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want(t, g.Decide(ctx, bash("s", "sort *.txt")), permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "touch -- --compress-program=x.txt; sort *.txt")), permissions.Ask)
	if err := os.WriteFile(filepath.Join(p.space, "--compress-program=x.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	want(t, g.Decide(ctx, bash("s", "sort *.txt")), permissions.Ask)
	want(t, g.Decide(ctx, bash("s", "sort ./*.txt")), permissions.Allow)
}

// TestAnEarlierNoHoldsAgainstALaterRule: a rule that comes to allow the place is
// no answer to the person who refused it in this session.
func TestAnEarlierNoHoldsAgainstALaterRule(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(ls)"]}}`)
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), answering(approval.No))
	want(t, v, permissions.Deny)
	g.Use(p.settings(t, fmt.Sprintf(`{"permissions":{"allow":["command(ls)"]},"readPaths":[%q]}`, p.outside)))
	want(t, g.Decide(ctx, bash("s", "ls "+p.outside)), permissions.Deny)
	want(t, g.Decide(ctx, bash("other", "ls "+p.outside)), permissions.Allow)
}
