//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// person answers questions and remembers them.
type person struct {
	mu     sync.Mutex
	asked  []Access
	answer func(Access) Answer
}

func (p *person) ask(_ context.Context, a Access) Answer {
	p.mu.Lock()
	p.asked = append(p.asked, a)
	p.mu.Unlock()
	return p.answer(a)
}

func always(a Answer) func(Access) Answer { return func(Access) Answer { return a } }

func TestAsk(t *testing.T) {
	can(t)
	for _, r := range []struct {
		name, script, want string
		answer             Answer
		questions          int
	}{
		{"once opens one", "cat $OUT/secret; cat $OUT/secret", "CANARY\nCANARY\n", Once, 2},
		{"session opens the rest", "cat $OUT/secret; cat $OUT/secret", "CANARY\nCANARY\n", Session, 1},
		{"no is not asked again", "cat $OUT/secret; cat $OUT/secret", "", No, 1},
		{"by symlink", "ln -s $OUT l; cat l/secret", "CANARY\n", Once, 1},
		{"relative", "cat ../out/secret", "CANARY\n", Once, 1},
		{"what does not exist is not asked about", "cat $OUT/none /none", "", Once, 0},
		{"a new file", "echo x > $OUT/new; cat $OUT/new", "x\n", Session, 1},
		{"a protected name", "echo x > .envrc; cat .envrc", "x\n", Once, 1},
		{"a firm rule", "cat sub/.env; echo x > .mayi", "", Once, 0},
		{"a folder is listed", "ls $OUT; /usr/bin/python3 -c 'import os; os.open(os.environ[\"OUT\"], 0)'", "secret\nvictim\n", Once, 2},
		{"a read does not open writing", "cat $OUT/victim; echo x >> $OUT/victim", "as it was\n", Session, 2},
		{"at once", "for i in 1 2 3 4 5 6; do cat $OUT/secret & done; wait", strings.Repeat("CANARY\n", 6), Session, 1},
		{"remove", "rm $OUT/victim && echo gone", "gone\n", Once, 1},
		{"make a folder", "mkdir $OUT/d && echo made", "made\n", Once, 1},
		{"what was read cannot be changed through the descriptor", "exec 3< $OUT/secret; chmod 777 /proc/self/fd/3 || echo held; echo x > /proc/self/fd/3 || echo held", "held\nheld\n", Once, 3},
	} {
		t.Run(r.name, func(t *testing.T) {
			ws, out := space(t)
			p := &person{answer: always(r.answer)}
			if strings.HasPrefix(r.name, "a read does not") || strings.HasPrefix(r.name, "what was read") {
				p.answer = func(a Access) Answer {
					if a.Op == OpRead {
						return Session
					}
					return No
				}
			}
			got := run(t, spec(ws), Command{Shell: "{ " + r.script + "\n} 2>/dev/null", Env: append(env(), "OUT="+out), Ask: p.ask})
			if got.out != r.want || len(p.asked) > r.questions || r.questions > 0 && len(p.asked) == 0 {
				t.Errorf("%q (%v), wanted %q; %d questions, wanted %d: %+v", got.out, got.err, r.want, len(p.asked), r.questions, p.asked)
			}
			if b, _ := os.ReadFile(out + "/victim"); strings.HasPrefix(r.name, "a read") && string(b) != "as it was\n" {
				t.Errorf("victim is %q", b)
			}
		})
	}
}

// TestSwapWhileAsked swaps the folder that was resolved while the person reads.
func TestSwapWhileAsked(t *testing.T) {
	can(t)
	ws, out := space(t)
	plain := filepath.Join(filepath.Dir(ws), "plain")
	if err := os.Mkdir(plain, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plain+"/secret", []byte("harmless\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	swapped := make(chan struct{})
	p := &person{answer: func(a Access) Answer {
		if a.Path != plain+"/secret" {
			t.Errorf("asked about %q", a.Path)
		}
		<-swapped
		return Once
	}}
	go func() {
		for {
			if _, err := os.Stat(ws + "/swapped"); err == nil {
				close(swapped)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	got := run(t, spec(ws), Command{Env: append(env(), "OUT="+out, "PLAIN="+plain), Ask: p.ask,
		Shell: "mkdir d; ln -s $PLAIN d/x; ln -s $OUT d/y; (sleep 0.2; mv -T d/y d/x; echo x > swapped) & cat d/x/secret; wait"})
	if got.out != "harmless\n" {
		t.Errorf("%q", got.out)
	}
}

func TestAskEnds(t *testing.T) {
	can(t)
	ws, out := space(t)
	e := append(env(), "OUT="+out)
	hang := func(ctx context.Context, _ Access) Answer { <-ctx.Done(); return Session }
	got := run(t, spec(ws), Command{Env: e, Ask: hang, AskTime: 100 * time.Millisecond, Shell: "cat $OUT/secret || echo refused"})
	if !strings.Contains(got.out, "refused") || strings.Contains(got.out, "CANARY") {
		t.Errorf("nobody answers: %q", got.out)
	}
	got = run(t, spec(ws), Command{Env: e, Ask: func(context.Context, Access) Answer { panic("x") }, Shell: "cat $OUT/secret || echo refused"})
	if !strings.Contains(got.out, "refused") {
		t.Errorf("a panic: %q", got.out)
	}
	p := &person{answer: always(No)}
	got = run(t, spec(ws), Command{Env: e, Ask: p.ask, Shell: "for i in $(seq 80); do echo x > $OUT/$i; done; true"})
	if got.Code != 0 || len(p.asked) > maxQuestions {
		t.Errorf("%d questions, %+v", len(p.asked), got.Result)
	}
	// A program that is killed while it waits must not hold the job up.
	got = run(t, spec(ws), Command{Env: e, Ask: hang, AskTime: time.Minute, Shell: "timeout -s KILL 0.2 cat $OUT/secret; echo on"})
	if !strings.Contains(got.out, "on") {
		t.Errorf("killed while waiting: %q", got.out)
	}
}

// TestFolderOutside: where nobody can be asked, the attempt is told in plain
// words.
func TestFolderOutside(t *testing.T) {
	can(t)
	for name, script := range map[string]string{
		"ls": "ls $OUT", "cd": "cd $OUT", "by python": "/usr/bin/python3 -c 'import os; print(os.listdir(os.environ[\"OUT\"]))'", "a pattern": "ls $OUT/*",
	} {
		ws, out := space(t)
		r := run(t, spec(ws), Command{Shell: script, Env: append(env(), "OUT="+out)})
		if r.Code == 0 || strings.Contains(r.out, "secret") {
			t.Errorf("%s: %d %q", name, r.Code, r.out)
		}
		if len(r.Violations) != 1 || r.Violations[0].Path != out || !strings.Contains(r.Violations[0].Text, "list the folder") || !strings.Contains(r.Violations[0].Text, "readPaths") {
			t.Errorf("%s: %+v", name, r.Violations)
		}
	}
}

// TestTheMachinesMemory: root may read it by the file's mode alone, and nobody
// is asked about it.
func TestTheMachinesMemory(t *testing.T) {
	can(t)
	if b, err := os.Open("/proc/kpageflags"); err != nil {
		t.Skip("it cannot be read here anyway: ", err)
	} else {
		b.Close()
	}
	ws, _ := space(t)
	p := &person{answer: always(Session)}
	r := run(t, spec(ws), Command{Ask: p.ask, Shell: "for f in kpageflags kpagecount ../proc/self/../kpageflags; do head -c 8 /proc/$f | wc -c; done"})
	if strings.Contains(r.out, "8\n") || len(p.asked) > 0 {
		t.Errorf("%q, asked %d times", r.out, len(p.asked))
	}
}
