//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// can skips a test where this machine has no tree for jobs.
func can(t testing.TB) {
	t.Helper()
	if p := probeTree(byHelper); !p.OK {
		t.Skip("no namespaces here: ", p.Detail)
	}
	if landlockVersion() < 3 {
		t.Skip("no Landlock here")
	}
}

func run(t testing.TB, s Spec, c Command) ran {
	t.Helper()
	var out bytes.Buffer
	if c.Stdout == nil {
		c.Stdout, c.Stderr = &out, &out
	}
	if c.Env == nil {
		c.Env = env()
	}
	j, err := Start(context.Background(), s, c)
	if err != nil {
		var r *RunError
		if errors.As(err, &r) {
			return ran{Result: Result{Code: r.Code}, out: r.Text, err: err}
		}
		return ran{Result: Result{Code: 125}, err: err}
	}
	r := j.Wait()
	return ran{Result: r, out: out.String()}
}

func TestExitCodes(t *testing.T) {
	can(t)
	ws, _ := space(t)
	s := spec(ws)
	for name, r := range map[string]struct {
		c    Command
		code int
	}{
		"success":        {Command{Args: []string{"true"}}, 0},
		"failure":        {Command{Shell: "exit 42"}, 42},
		"signal":         {Command{Shell: "kill -SEGV $$"}, 139},
		"not found":      {Command{Args: []string{"no-such-program"}}, 127},
		"no such file":   {Command{Args: []string{"./none"}}, 127},
		"not executable": {Command{Args: []string{"./readme"}}, 126},
		"a folder":       {Command{Args: []string{"./sub"}}, 126},
		"outside":        {Command{Args: []string{"/no/such/place"}}, 127},
	} {
		if got := run(t, s, r.c); got.Code != r.code {
			t.Errorf("%s: %d (%s %v), wanted %d", name, got.Code, got.out, got.err, r.code)
		}
	}
}

func TestOddWorkspaces(t *testing.T) {
	can(t)
	base, _ := space(t)
	for _, name := range []string{"with space", "new\nline", "100%", "quote'\"", "-dash", "ünïcode"} {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if r := run(t, spec(dir), Command{Shell: `echo hi > f && cat f && [ "$PWD" = "$(pwd)" ]`}); r.Code != 0 || r.out != "hi\n" {
			t.Errorf("%q: %d %q %v", name, r.Code, r.out, r.err)
		}
	}
	tmp := t.TempDir()
	if r := run(t, spec(tmp), Command{Shell: "echo hi > f && cat f"}); r.Code != 0 {
		t.Errorf("below the machine's /tmp: %d %q %v", r.Code, r.out, r.err)
	}
	ro := spec(base)
	ro.Read, ro.Write = ro.Write, nil
	if r := run(t, ro, Command{Shell: "cat readme; echo x > f"}); r.Code == 0 || !strings.Contains(r.out, "hello") {
		t.Errorf("read-only: %d %q", r.Code, r.out)
	}
	gone := spec(filepath.Join(base, "gone"))
	if r := run(t, gone, Command{Args: []string{"true"}}); r.Code != 125 && r.Code != 127 || r.err == nil {
		t.Errorf("a workspace that is gone: %d %v", r.Code, r.err)
	}
	dir := filepath.Join(base, "under way")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	pr, pw := io.Pipe()
	go func() {
		buf := make([]byte, 16)
		_, _ = pr.Read(buf)
		_ = os.RemoveAll(dir)
		_, _ = io.Copy(io.Discard, pr)
	}()
	if r := run(t, spec(dir), Command{Shell: "echo ready; sleep 0.3; echo x > f; exit 7", Stdout: pw, Stderr: pw}); r.Code != 7 {
		t.Errorf("deleted under way: %d %q %v", r.Code, r.Stopped, r.err)
	}
}

// TestNothingIsLeft runs many jobs at once and looks for what they leave.
func TestNothingIsLeft(t *testing.T) {
	can(t)
	ws, _ := space(t)
	count := func() (fds, kids int) {
		es, _ := os.ReadDir("/proc/self/fd")
		return len(es), len(childrenOf(os.Getpid()))
	}
	run(t, spec(ws), Command{Args: []string{"true"}})
	fds, _ := count()
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			want := i % 100
			r := run(t, spec(ws), Command{Shell: "echo x > f" + strconv.Itoa(i) + "; sleep 30 & echo out; rm f" + strconv.Itoa(i) + "; exit " + strconv.Itoa(want)})
			if r.Code != want || r.out != "out\n" {
				t.Errorf("job %d: %d %q %v", i, r.Code, r.out, r.err)
			}
		}()
	}
	wg.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for {
		f, kids := count()
		if f <= fds+4 && kids == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors, %d before; %d processes", f, fds, kids)
		}
		time.Sleep(20 * time.Millisecond)
	}
	es, _ := os.ReadDir(ws)
	if len(es) != 4 {
		t.Errorf("the workspace holds %v", es)
	}
}

// TestSupervisorKilled kills the program that supervises, at several moments,
// and looks whether the job still does anything.
func TestSupervisorKilled(t *testing.T) {
	can(t)
	if os.Getenv("MAYI_TEST_SUPERVISE") != "" {
		s := spec(os.Getenv("MAYI_TEST_SUPERVISE"))
		j, err := Start(context.Background(), s, Command{Env: env(), Stdout: os.Stdout, Stderr: os.Stdout,
			Shell: `trap '' TERM INT HUP; (setsid sh -c 'while :; do echo . >> heartbeat; sleep 0.01; done' &) ; echo READY; cat /var/lib/none/* 2>/dev/null; while :; do echo . >> heartbeat; sleep 0.01; done`})
		if err != nil {
			os.Exit(3)
		}
		os.Exit(j.Wait().Code)
	}
	for _, after := range []time.Duration{0, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond} {
		ws, _ := space(t)
		c := exec.Command("/proc/self/exe", "-test.run=TestSupervisorKilled$")
		c.Env = append(os.Environ(), "MAYI_TEST_SUPERVISE="+ws)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		_ = c.Process.Kill()
		_ = c.Wait()
		size := func() int64 {
			st, err := os.Stat(ws + "/heartbeat")
			if err != nil {
				return 0
			}
			return st.Size()
		}
		still := true
		for range 100 {
			n := size()
			time.Sleep(60 * time.Millisecond)
			if still = size() > n; !still {
				break
			}
		}
		if still {
			t.Errorf("killed after %s: the job goes on", after)
		}
	}
}

func TestSignalsAndTime(t *testing.T) {
	can(t)
	ws, _ := space(t)
	pr, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	j, err := Start(context.Background(), spec(ws), Command{Env: env(), Stdout: pw, Shell: "trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.05; done"})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	if n, _ := pr.Read(buf); string(buf[:n]) != "ready\n" {
		t.Fatalf("%q", buf[:n])
	}
	if err := j.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if r := j.Wait(); r.Code != 5 {
		t.Errorf("SIGTERM: %+v", r)
	}
	s := spec(ws)
	s.Limits.Time = 200 * time.Millisecond
	if r := run(t, s, Command{Shell: "trap '' TERM; sleep 60"}); r.Code != 137 || !strings.Contains(r.Stopped, "longer than") {
		t.Errorf("the time: %+v", r.Result)
	}
	ctx, cancel := context.WithCancel(context.Background())
	k, err := Start(ctx, spec(ws), Command{Env: env(), Shell: "sleep 60"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if r := k.Wait(); r.Code != 137 || r.Stopped == "" {
		t.Errorf("cancelled: %+v", r)
	}
}

func TestOutputLimit(t *testing.T) {
	can(t)
	ws, _ := space(t)
	s := spec(ws)
	s.Limits.Output = 1 << 20
	var out bytes.Buffer
	r := run(t, s, Command{Shell: "head -c 9M /dev/zero", Stdout: &out})
	if out.Len() != 1<<20 || r.Cut == 0 || !strings.Contains(r.Stopped, "output") {
		t.Errorf("%d bytes, %+v", out.Len(), r.Result)
	}
}

// TestStdinFile hands in a file outside: it can be read, and nothing else,
// whether or not the supervisor is asked about changes of metadata.
func TestStdinFile(t *testing.T) {
	can(t)
	for _, name := range []string{"names only", "every open"} {
		ws, out := space(t)
		f, err := os.OpenFile(out+"/victim", os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s := spec(ws)
		if name == "names only" {
			s.Denied = nil
		}
		r := run(t, s, Command{Stdin: f, Shell: `read -r l; echo "got $l"; cat /dev/stdin
chmod 777 /proc/self/fd/0; chmod 777 /dev/stdin; touch -d 1990-01-01 /dev/stdin; truncate -s 0 /proc/self/fd/0; echo x > /proc/self/fd/0; echo x >> /dev/stdin
/usr/bin/python3 -c 'import os; os.fchmod(0, 0o777)'; /usr/bin/python3 -c 'import os; os.utime(0, (0, 0))'; /usr/bin/python3 -c 'import os; os.setxattr(0, "user.x", b"1")'; exec 3<>/proc/self/fd/0; true`})
		if r.Code != 0 || !strings.Contains(r.out, "got as it was") {
			t.Errorf("%s: %d %s %v", name, r.Code, r.out, r.err)
		}
		if got := (attempt{}).trace(ws, out, ""); got != "" {
			t.Error(name, got, r.out)
		}
	}
}

func TestTerminal(t *testing.T) {
	can(t)
	ws, _ := space(t)
	j, err := Start(context.Background(), spec(ws), Command{Env: env(), Rows: 31, Cols: 97,
		Shell: "test -t 0 && test -t 1 && stty size && tty && echo asks > /dev/tty && read -r l < /dev/tty && echo \"read $l\"; sleep 30"})
	if err != nil {
		t.Fatal(err)
	}
	m := j.Master()
	var got strings.Builder
	buf := make([]byte, 256)
	until := func(s string) {
		for !strings.Contains(got.String(), s) {
			n, err := m.Read(buf)
			if err != nil {
				t.Fatalf("%v after %q", err, got.String())
			}
			got.Write(buf[:n])
		}
	}
	until("asks")
	if _, err := m.WriteString("typed\r"); err != nil {
		t.Fatal(err)
	}
	until("read typed")
	if _, err := m.Write([]byte{3}); err != nil { // ctrl-c
		t.Fatal(err)
	}
	if r := j.Wait(); r.Code != 130 {
		t.Errorf("%+v", r)
	}
	if s := got.String(); !strings.Contains(s, "31 97") || !strings.Contains(s, "/dev/pts/") {
		t.Errorf("%q", s)
	}
}

func TestWorktree(t *testing.T) {
	can(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	base, _ := space(t)
	base = filepath.Dir(base)
	git := func(dir string, args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=e", "-c", "user.email=e@e.test"}, args...)...)
		c.Dir = dir
		if b, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, b)
		}
	}
	repo, tree := base+"/repo", base+"/tree"
	if err := os.Mkdir(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	git(repo, "init", "-q")
	git(repo, "commit", "-q", "--allow-empty", "-m", "one")
	git(repo, "worktree", "add", "-q", tree)
	s := spec(tree)
	r := run(t, s, Command{Shell: `echo x > f && git add f && git -c user.name=e -c user.email=e@e.test commit -q -m two && git log --oneline | wc -l
echo PLANTED >> ` + repo + `/.git/config; echo PLANTED > ` + repo + `/.git/hooks/post-commit; echo PLANTED > ` + repo + `/f; echo "gitdir: /x" > .git; true`})
	if r.Code != 0 || !strings.HasPrefix(r.out, "2\n") {
		t.Errorf("git in a worktree: %d %s %v", r.Code, r.out, r.err)
	}
	for _, f := range []string{repo + "/.git/config", repo + "/.git/hooks/post-commit", repo + "/f"} {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), "PLANTED") {
			t.Error("changed: ", f)
		}
	}
	// A .git file that somebody planted opens nothing.
	other := base + "/other"
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other+"/.git", []byte("gitdir: "+base+"/out\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := worktreeFolders([]string{other}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestLinks(t *testing.T) {
	can(t)
	ws, _ := space(t)
	s := spec(ws)
	s.Links = []Link{{Path: "/other/name", To: ws}}
	if r := run(t, s, Command{Shell: "cd /other/name && cat readme && echo x > made && cat " + ws + "/made"}); r.out != "hello\nx\n" {
		t.Errorf("%q %v", r.out, r.err)
	}
}

func TestPrepared(t *testing.T) {
	can(t)
	ws, _ := space(t)
	for range 3 {
		p := Prepare()
		if p == nil {
			t.Fatal("no helper")
		}
		if r := run(t, spec(ws), Command{Args: []string{"cat", "readme"}, Prepared: p}); r.out != "hello\n" {
			t.Errorf("%q %v", r.out, r.err)
		}
		p.Release() // was taken over
	}
	Prepare().Release()
	var none *Prepared
	none.Release()
	// A released helper ends by itself; nobody waits for it.
	for deadline := time.Now().Add(10 * time.Second); len(childrenOf(os.Getpid())) != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%v are left", childrenOf(os.Getpid()))
		}
	}
}

// TestInherited: what the caller's caller left open goes no further.
func TestInherited(t *testing.T) {
	can(t)
	ws, out := space(t)
	fd, err := unix.Open(out+"/secret", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	dir, err := unix.Open(out, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(dir)
	r := run(t, spec(ws), Command{Shell: `ls /proc/self/fd | wc -l; for i in $(seq 3 80); do cat /proc/self/fd/$i /proc/self/fd/$i/secret <&$i; done 2>/dev/null; true`})
	if strings.Contains(r.out, "CANARY") || !strings.HasPrefix(r.out, "4\n") {
		t.Errorf("%q", r.out)
	}
}

// TestOtherProcesses: what is to be seen of processes outside, and of the
// helper, stays closed by every way of naming it.
func TestOtherProcesses(t *testing.T) {
	victim := exec.Command("sleep", "60")
	victim.Env = []string{"SECRET=CANARY"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = victim.Process.Kill()
		_ = victim.Wait()
	}()
	script := `echo RAN; for p in $PID 1; do cat /proc/$p/environ; (cd /proc/$p && cat environ && ls fd root); cat /proc/self/../$p/environ /proc/self/root/proc/$p/environ; (cd /proc/$p && cat maps | grep -q . && echo CANARY)
/usr/bin/python3 -c "import os; os.chdir('/proc/$p'); f=os.open('mem',os.O_RDWR); print('CANARY')"
/usr/bin/python3 -c "import os; d=os.open('/proc/$p',os.O_RDONLY); f=os.open('mem',os.O_RDONLY,dir_fd=d); print('CANARY')"; done; kill $PID && echo CANARY`
	e := append(env(), "PID="+strconv.Itoa(victim.Process.Pid))
	plain := exec.Command("/bin/bash", "-c", strings.TrimSuffix(script, "; kill $PID && echo CANARY"))
	plain.Env = e
	if b, _ := plain.CombinedOutput(); !strings.Contains(string(b), "CANARY") {
		t.Fatal("the attempt does not work without a sandbox, so it shows nothing")
	}
	ws, _ := space(t)
	s := spec(ws)
	c := Command{Shell: script, Env: e}
	for name, l := range ways(t, &s, &c) {
		r := try(t, l, s, c)
		if r.err != nil && r.Code == 125 {
			continue
		}
		if !strings.Contains(r.out, "RAN") || strings.Contains(r.out, "CANARY") {
			t.Errorf("%s: %s", name, r.out)
		}
	}
}

// childrenOf are the living children of a process.
func childrenOf(parent int) []int {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range all {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		s := string(b)
		f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(f) > 1 && f[0] != "Z" && f[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}
