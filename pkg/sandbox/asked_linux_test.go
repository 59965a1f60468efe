//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"path"
	"strings"
	"testing"
	"time"
)

// TestWhatARuleAsksIsHeldInEveryWay: where nobody can be asked it is refused, with
// words, whichever layers hold the job; where somebody says yes, it is done.
func TestWhatARuleAsksIsHeldInEveryWay(t *testing.T) {
	for _, c := range []struct {
		does  string
		reads bool
		asked int
	}{
		{"echo x > sub/new", false, 1},
		{"mkdir sub/d", false, 1},
		{"rm sub/.env", false, 1},
		{"mv sub sub2", false, 1},
		{"chmod 700 sub/.env", false, 1},
		{"touch -d yesterday sub/.env", false, 1},
		{"cat keys/k", true, 1},
		{"mv keys keys2", true, 1},
		{"ln keys/k k2", true, 1},
		{"{ echo through > keys/pipe; } & cat keys/pipe", true, 1},
		{"keys/tool", true, 1},
		{"keys/script", true, 1},
		{"sh keys/script", true, 1},
		{"cat readme; echo x > new; chmod 700 new; mkdir d; mv d e; rm new", false, 0},
		{"echo x > keys/new; rm keys/k", true, 0},
	} {
		t.Run(c.does, func(t *testing.T) {
			setUp := func() (Spec, Command) {
				ws, _ := space(t)
				s := Workspace(ws, "/nonexistent-home")
				s.Limits.Time = 20 * time.Second
				if c.reads {
					s.AskRead = []Pattern{{Glob: ws + "/keys", Why: "read(keys)"}}
				} else {
					s.AskWrite = []Pattern{{Glob: ws + "/sub", Why: "write(sub)"}}
				}
				unconfined(t, ws, "mkdir keys; echo k > keys/k; mkfifo keys/pipe; chmod 644 keys/k; cp /bin/true keys/tool; printf '#!/bin/sh\\necho ran\\n' > keys/script; chmod 755 keys/tool keys/script", env())
				return s, Command{Shell: "set -e; " + c.does + "; echo DONE", Env: env()}
			}
			s, cmd := setUp()
			for name, l := range ways(t, &s, &cmd) {
				s, cmd := setUp()
				l.notify = max(noticeFor(&s, &cmd), l.notify)
				r := try(t, l, s, cmd)
				if r.err != nil && r.Code == 125 {
					t.Logf("%s: not here: %v", name, r.err)
					continue
				}
				said := ""
				for _, v := range r.Violations {
					said += v.Text
				}
				if strings.Contains(r.out, "DONE") != (c.asked == 0) || strings.Contains(said, "says to ask about, and nobody answered") != (c.asked > 0) {
					t.Errorf("%s: nobody to ask: printed %q, said %q", name, r.out, said)
				}
				s, cmd = setUp()
				p := &person{answer: always(Once)}
				cmd.Ask = p.ask
				l.notify = max(noticeFor(&s, &cmd), l.notify)
				if r := try(t, l, s, cmd); !strings.Contains(r.out, "DONE") || len(p.asked) != c.asked || len(r.Violations) > 0 {
					t.Errorf("%s: yes: printed %q, asked %+v, %+v", name, r.out, p.asked, r.Violations)
				}
			}
		})
	}
}

// TestANameIsJudgedOnceMoreAsItIsUsed: what is put in its place, or beside it, while
// a person thinks, was not what they were asked about.
func TestANameIsJudgedOnceMoreAsItIsUsed(t *testing.T) {
	for _, c := range []struct{ does, meanwhile, shows string }{
		{"mkdir -p sub/objects sub/refs; echo x > sub/HEAD", "echo PLANTED > sub/config", "[ -e sub/HEAD ]"},
		{"mkdir -p sub/refs; echo x > sub/HEAD; mkdir sub/objects", "echo PLANTED > sub/config", "[ -e sub/objects ]"},
		{"echo x > a; mv a sub/.claude", "rm a; mkdir a; echo PLANTED > a/settings.json", "[ -e sub/.claude ]"},
		{"echo x > a; mv a sub/.claude", "rm a; mkdir b; echo PLANTED > b/settings.json; ln -s b a", "[ -L sub/.claude ]"},
		{"echo secret > sub/new && echo MADE", "ln -s ../b sub/new; touch b", "[ -s b ]"},
	} {
		t.Run(c.does+", "+c.meanwhile, func(t *testing.T) {
			made := func() (string, Spec, Command) {
				ws, _ := space(t)
				s := Workspace(ws, "/nonexistent-home")
				s.Limits.Time = 20 * time.Second
				s.AskWrite = []Pattern{{Glob: ws + "/sub", Why: "write(sub)"}}
				asked := always(Once)
				return ws, s, Command{Shell: c.does, Env: env(), Ask: func(_ context.Context, a Access) Answer {
					if path.Base(a.Path) == last(c.does) {
						unconfined(t, ws, c.meanwhile+"; true", env())
					}
					return asked(a)
				}}
			}
			_, s, cmd := made()
			for name, l := range ways(t, &s, &cmd) {
				ws, s, cmd := made()
				l.notify = max(noticeFor(&s, &cmd), l.notify)
				r := try(t, l, s, cmd)
				if r.err != nil && r.Code == 125 {
					t.Logf("%s: not here: %v", name, r.err)
					continue
				}
				if r.Code == 0 || strings.Contains(r.out, "MADE") || strings.Contains(unconfined(t, ws, c.shows+" && echo SHOWN; true", env()), "SHOWN") {
					t.Errorf("%s: it was done: %d, %s", name, r.Code, r.out)
				}
			}
		})
	}
}

// last is the last name that a script makes.
func last(script string) string {
	script, _, _ = strings.Cut(script, " &&")
	return path.Base(script[strings.LastIndexByte(script, ' ')+1:])
}

// TestOpensAreHeldForARuleAboutReadingOnly: to be asked about each open costs every
// program that reads much.
func TestOpensAreHeldForARuleAboutReadingOnly(t *testing.T) {
	list := []Pattern{{Glob: "/ws/a", Why: "a rule"}}
	for want, s := range map[notifyKind]Spec{
		notifyNone:  {},
		notifyNames: {Write: []string{"/ws"}, AskWrite: list},
		notifyAll:   {AskRead: list},
	} {
		if got := noticeFor(&s, &Command{}); got != want {
			t.Errorf("%+v: %d, wanted %d", s, got, want)
		}
	}
}
