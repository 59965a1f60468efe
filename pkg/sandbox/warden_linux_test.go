//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// runaways are jobs that try to outlive whoever supervises them.
var runaways = map[string]string{
	"stays":  `trap '' TERM INT HUP; (setsid sh -c 'while :; do sleep 0.01; done' &); while :; do sleep 0.01; done`,
	"forks":  `trap '' TERM INT HUP; (setsid sh -c 'while :; do (sleep 0.05 &); done' &); while :; do (: &); done`,
	"leaps":  `for i in 1 2 3 4 5 6 7 8; do /usr/bin/perl -e 'setpgrp; while (1) { exit if fork }' & done; sleep 60`,
	"hops":   `/usr/bin/python3 -c "import os` + "\n" + `os.setsid()` + "\n" + `while True:` + "\n" + ` if os.fork(): os._exit(0)"; sleep 60`,
	"adopts": `/usr/bin/python3 -c "import ctypes,os,time` + "\n" + `ctypes.CDLL(None).prctl(36,1,0,0,0)` + "\n" + `for i in range(9):` + "\n" + ` if os.fork(): time.sleep(60)` + "\n" + ` os.setsid()"`,
}

// allWays are the ways of a job, and the one without a tree as it is before
// version 6 of Landlock.
func allWays(t *testing.T, s *Spec, c *Command) map[string]levels {
	t.Helper()
	out := ways(t, s, c)
	if l, ok := out["landlock"]; ok {
		l.notify = notifySignals
		out["old landlock"] = l
	}
	return out
}

// TestNothingOutlivesTheSupervisor kills the supervisor at random moments, from
// before the program begins, and looks at /proc afterwards.
func TestNothingOutlivesTheSupervisor(t *testing.T) {
	if way := os.Getenv("MAYI_TEST_WAY"); way != "" {
		s := spec(os.Getenv("MAYI_TEST_SPACE"))
		c := Command{Env: append(env(), "MARK="+os.Getenv("MAYI_TEST_MARK")), Shell: runaways[os.Getenv("MAYI_TEST_JOB")]}
		j, err := start(context.Background(), s, c, allWays(t, &s, &c)[way], nil)
		if err != nil {
			os.Exit(3)
		}
		os.Exit(j.Wait().Code)
	}
	ws, _ := space(t)
	exe := filepath.Join(filepath.Dir(ws), "supervisor")
	if err := copyFile("/proc/self/exe", exe); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(filepath.Dir(ws), "tmp")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv("MAYI_TEST_ROUNDS")); err == nil {
		rounds = n
	}
	s := spec(ws)
	for way := range allWays(t, &s, &Command{}) {
		for job := range runaways {
			if way == "root" || way != "landlock" && job != "leaps" && job != "adopts" {
				continue
			}
			t.Run(way+" "+job, func(t *testing.T) {
				for i := range rounds {
					mark := "mark-" + strconv.FormatUint(rand.Uint64(), 36)
					c := exec.Command(exe, "-test.run=TestNothingOutlivesTheSupervisor$")
					c.Env = append(os.Environ(), "MAYI_TEST_WAY="+way, "MAYI_TEST_JOB="+job, "MAYI_TEST_SPACE="+ws, "MAYI_TEST_MARK="+mark, "TMPDIR="+tmp)
					if err := c.Start(); err != nil {
						t.Fatal(err)
					}
					pause := time.Duration(rand.Int64N(int64(150 * time.Millisecond)))
					if i == 0 {
						for range 200 { // once when it surely runs
							if len(marked(exe, mark)) > 3 {
								break
							}
							time.Sleep(5 * time.Millisecond)
						}
						pause = 0
					}
					time.Sleep(pause)
					_ = c.Process.Kill()
					_ = c.Wait()
					var left []string
					for range 400 {
						if left = marked(exe, mark); len(left) == 0 {
							break
						}
						time.Sleep(10 * time.Millisecond)
					}
					if es, _ := os.ReadDir(tmp); len(es) > 0 && i == 0 {
						t.Errorf("left behind: %v", es)
					}
					if len(left) > 0 {
						t.Errorf("killed after %s: %d are left: %q", pause, len(left), left[:min(len(left), 9)])
						for _, l := range left {
							if pid, err := strconv.Atoi(strings.Fields(l)[0]); err == nil {
								if p, err := os.FindProcess(pid); err == nil {
									_ = p.Kill()
								}
							}
						}
					}
				}
			})
		}
	}
}

// TestNothingOutlivesTheJob: a job that ends, or is ended, takes everything with
// it where there is no pid namespace, too.
func TestNothingOutlivesTheJob(t *testing.T) {
	for _, way := range []string{"landlock", "old landlock"} {
		t.Run(way, func(t *testing.T) { outlives(t, way) })
	}
}

func outlives(t *testing.T, way string) {
	ws, _ := space(t)
	for job, script := range runaways {
		for _, how := range []string{"ends", "is ended", "ends its helper"} {
			if job != "leaps" && (way != "landlock" || how != "ends") {
				continue
			}
			mark := "mark-" + strconv.FormatUint(rand.Uint64(), 36)
			s := spec(ws)
			c := Command{Env: append(env(), "MARK="+mark), Shell: "(" + script + ") & sleep 0.3; kill -9 $PPID; exit 7"}
			if how != "ends its helper" {
				c.Shell = strings.Replace(c.Shell, "kill -9 $PPID;", "", 1)
			}
			l, ok := allWays(t, &s, &c)[way]
			if !ok {
				t.Skip("no Landlock here")
			}
			j, err := start(context.Background(), s, c, l, nil)
			if err != nil {
				t.Fatal(err)
			}
			if how == "is ended" {
				time.Sleep(100 * time.Millisecond)
				j.Kill()
			}
			if r := j.Wait(); r.Code != map[string]int{"ends": 7, "is ended": 137, "ends its helper": 137}[how] && how != "ends its helper" {
				t.Errorf("%s, %s: %+v", job, how, r)
			}
			if left := marked("", mark); len(left) > 0 {
				t.Errorf("%s, %s: %d are left: %q", job, how, len(left), left[:min(len(left), 9)])
			}
		}
	}
}

// marked are the processes of a program, or with a word in their environment.
func marked(exe, mark string) []string {
	names, _ := os.ReadDir("/proc")
	var out []string
	for _, n := range names {
		if _, err := strconv.Atoi(n.Name()); err != nil {
			continue
		}
		dir := "/proc/" + n.Name()
		b, _ := os.ReadFile(dir + "/environ")
		is, _ := os.Readlink(dir + "/exe")
		if exe != "" && (is == exe || strings.Contains(is, "bwrap") && strings.Contains(cmdline(dir), filepath.Dir(exe))) || slices.Contains(strings.Split(string(b), "\x00"), "MARK="+mark) {
			out = append(out, n.Name()+" "+cmdline(dir))
		}
	}
	return out
}

func cmdline(dir string) string {
	line, _ := os.ReadFile(dir + "/cmdline")
	return strings.ReplaceAll(string(line), "\x00", " ")
}

// TestTheWardenCannotBeEnded: a job that knows its warden has no way to end, stop
// or starve it; its own processes it can signal.
func TestTheWardenCannotBeEnded(t *testing.T) {
	const script = `import ctypes, fcntl, os, signal, subprocess, time
L=ctypes.CDLL(None,use_errno=True)
while not os.path.exists('warden'): time.sleep(0.01)
pid=int(open('warden').read())
def owner(how):
    r,w=os.pipe(); how(r); fcntl.fcntl(r,10,9); fcntl.fcntl(r,4,os.O_ASYNC|os.O_NONBLOCK); os.write(w,b'x'); time.sleep(0.05)
for name,f in {
    'kill': lambda: os.kill(pid,9), 'stop': lambda: os.kill(pid,19), 'group': lambda: os.killpg(pid,9),
    'tkill': lambda: L.syscall(TKILL,pid,9) and 1/0, 'tgkill': lambda: L.syscall(TGKILL,pid,pid,9) and 1/0,
    'queue': lambda: L.syscall(QUEUE,pid,9,ctypes.create_string_buffer(b'\\x09\\0\\0\\0\\0\\0\\0\\0\\xff\\xff\\xff\\xff',128)) and 1/0,
    'pidfd': lambda: signal.pidfd_send_signal(os.pidfd_open(pid),9),
    'prlimit': lambda: L.prlimit(pid,0,ctypes.create_string_buffer(16),None) and 1/0,
    'nice': lambda: os.setpriority(0,pid,19), 'nice of the user': lambda: os.setpriority(2,0,19),
    'idle': lambda: os.sched_setscheduler(pid,5,os.sched_param(0)),
    'owner': lambda: OLD and owner(lambda r: fcntl.fcntl(r,8,pid)) or 1/0,
}.items():
    try: f()
    except Exception: continue
    print('DONE', name)
c=subprocess.Popen(['sleep','60'],start_new_session=True)
os.kill(c.pid,15); print('own', c.wait())
c=subprocess.Popen(['sleep','60'],start_new_session=True)
time.sleep(0.05); os.killpg(c.pid,15); print('group', c.wait())
signal.signal(10, lambda *a: print('self'))
os.kill(os.getpid(),10); signal.raise_signal(10)
os.setpriority(0,0,5); print('nice', os.getpriority(0,0))
`
	nr := []string{"TGKILL", "131", "TKILL", "130", "QUEUE", "138"}
	if nativeArch == unix.AUDIT_ARCH_X86_64 {
		nr = []string{"TGKILL", "234", "TKILL", "200", "QUEUE", "129"}
	}
	for way, old := range map[string]string{"landlock": "False", "old landlock": "True"} {
		ws, _ := space(t)
		s := spec(ws)
		var out bytes.Buffer
		c := Command{Env: env(), Stdout: &out, Stderr: &out}
		c.Args = []string{"/usr/bin/python3", "-c", strings.NewReplacer(append(nr, "OLD", old)...).Replace(script)}
		l, ok := allWays(t, &s, &c)[way]
		if !ok {
			t.Skip("no Landlock here")
		}
		j, err := start(context.Background(), s, c, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(ws+"/w", []byte(strconv.Itoa(j.helper.pid)), 0o644), os.Rename(ws+"/w", ws+"/warden")); err != nil {
			t.Fatal(err)
		}
		if r := j.Wait(); r.Code != 0 || r.Stopped != "" || out.String() != "own -15\ngroup -15\nself\nself\nnice 5\n" {
			t.Errorf("%s: %+v %s", way, r, out.String())
		}
	}
}
