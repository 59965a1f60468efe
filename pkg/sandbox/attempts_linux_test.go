//go:build linux && (amd64 || arm64)

package sandbox

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// attempt is a script that tries to get out. $OUT is a folder outside with
// "secret" and "victim", $WS the workspace.
type attempt struct {
	name   string
	script string
	// tree: only a tree of its own holds it.
	tree bool
}

func (a attempt) unconfined(t *testing.T, ws, out string) string {
	t.Helper()
	cmd := exec.Command("/bin/bash", "-c", a.script)
	cmd.Dir = ws
	cmd.Env = append(env(), "OUT="+out, "WS="+ws)
	b, _ := cmd.CombinedOutput()
	return a.trace(ws, out, string(b))
}

// trace says what an attempt left behind, "" for nothing.
func (a attempt) trace(ws, out, text string) string {
	if strings.Contains(text, "CANARY") {
		return "the secret was printed"
	}
	for f, was := range map[string]string{
		out + "/secret": "CANARY\n", out + "/victim": "as it was\n", ws + "/.git/config": "[core]\n",
		ws + "/.vscode/settings.json": "{}\n", ws + "/sub/.env": "CANARY\n",
	} {
		b, err := os.ReadFile(f)
		if err != nil || string(b) != was {
			return "changed: " + f
		}
	}
	if st, err := os.Stat(out + "/victim"); err != nil || st.Mode().Perm() != 0o644 || st.ModTime().Year() < 2000 {
		return "changed: the mode or the times of victim"
	}
	if es, _ := os.ReadDir(out); len(es) != 2 {
		return "something new lies outside"
	}
	found := ""
	_ = filepath.WalkDir(filepath.Dir(ws), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if b, _ := os.ReadFile(p); strings.Contains(string(b), "PLANTED") && planted(p) {
				found = "planted: " + p
			}
		}
		return nil
	})
	return found
}

// planted says whether a file is one that a program of the user's would run or
// follow.
func planted(p string) bool {
	if strings.HasSuffix(p, ".lock") {
		return false
	}
	if dir, ok := strings.CutSuffix(p, "/bare/config"); ok {
		return repository(dir + "/bare")
	}
	for _, s := range []string{"/.git/", "/.vscode/settings.json", "/.vscode/tasks.json", "/.envrc", "/.mcp.json", "/.claude/", "/.mayi/", "/.ENVRC"} {
		if strings.Contains(p, s) || strings.HasSuffix(p, "/.git") {
			return true
		}
	}
	return false
}

// repository says whether git would take a folder for one: what is only part of
// one does nothing.
func repository(dir string) bool {
	is := func(name string) bool { _, err := os.Lstat(dir + "/" + name); return err == nil }
	head, err := os.Lstat(dir + "/HEAD")
	return err == nil && head.Size() > 0 && (is("objects") || is("commondir"))
}

func attempts() []attempt {
	py := func(code string) string {
		return "echo RAN; /usr/bin/python3 - <<'PY'\nimport os,sys\nOUT=os.environ['OUT'];WS=os.environ['WS']\n" + code + "\nPY\n"
	}
	return []attempt{
		{name: "read", script: "echo RAN; cat $OUT/secret"},
		{name: "read by symlink", script: "echo RAN; ln -s $OUT l; cat l/secret"},
		{name: "read by hard link", script: "echo RAN; ln $OUT/secret h; cat h"},
		{name: "write", script: "echo RAN; echo x > $OUT/victim"},
		{name: "append", script: "echo RAN; echo x >> $OUT/victim"},
		{name: "new file", script: "echo RAN; echo x > $OUT/new"},
		{name: "new folder", script: "echo RAN; mkdir $OUT/new"},
		{name: "new link", script: "echo RAN; ln -s x $OUT/new"},
		{name: "new fifo", script: "echo RAN; mkfifo $OUT/new"},
		{name: "remove", script: "echo RAN; rm -f $OUT/victim"},
		{name: "rename away", script: "echo RAN; mv $OUT/victim $OUT/other"},
		{name: "rename in", script: "echo RAN; mv readme $OUT/new"},
		{name: "truncate", script: "echo RAN; truncate -s 0 $OUT/victim"},
		{name: "chmod", script: "echo RAN; chmod 777 $OUT/victim"},
		{name: "touch", script: "echo RAN; touch -d 1990-01-01 $OUT/victim"},
		{name: "chmod by symlink", script: "echo RAN; ln -s $OUT/victim l; chmod 777 l"},
		{name: "deep .env", script: "echo RAN; cat sub/.env"},
		{name: ".env by symlink", script: "echo RAN; ln -s sub/.env l; cat l"},
		{name: ".env by hard link", script: "echo RAN; ln sub/.env h; cat h"},
		{name: ".env by renaming", script: "echo RAN; mv sub/.env sub/e; cat sub/e; mv sub/e sub/.env"},
		{name: ".env by renaming its folder", script: "echo RAN; mv sub s2; cat s2/.env; mv s2 sub"},
		{name: ".env by /proc", script: "echo RAN; cat /proc/self/cwd/sub/.env; cat /proc/self/root$WS/sub/.env"},
		{name: ".env by O_PATH", script: py("f=os.open('sub/.env',os.O_PATH); print(open('/proc/self/fd/%d'%f).read())")},
		{name: ".env with a dir fd", script: py("d=os.open('sub',os.O_RDONLY); print(os.read(os.open('.env',os.O_RDONLY,dir_fd=d),99))")},
		{name: ".env by sendfile from a child", script: "echo RAN; bash -c 'exec < sub/.env; cat'"},
		{name: "git config", script: "echo RAN; echo PLANTED >> .git/config"},
		{name: "git config over the lock", script: "echo RAN; echo PLANTED > .git/config.lock; mv -f .git/config.lock .git/config"},
		{name: "git config by hard link", script: "echo RAN; ln .git/config c; echo PLANTED >> c"},
		{name: "git hook", script: "echo RAN; echo PLANTED > .git/hooks/pre-commit"},
		{name: "git folder moved and made again", script: "echo RAN; mv .git g; mkdir -p .git/hooks; echo PLANTED > .git/hooks/pre-commit"},
		{name: "git folder by renaming", script: "echo RAN; mkdir -p sub/g/hooks; echo PLANTED > sub/g/hooks/x; mv sub/g sub/.git"},
		{name: "git folder by a link", script: "echo RAN; mkdir -p sub/g; echo PLANTED > sub/g/config; ln -s g sub/.git; cat sub/.git/config | grep -q PLANTED && cp sub/.git/config sub/x && [ -L sub/.git ] && echo CANARY"},
		{name: "git file", script: "echo RAN; echo 'gitdir: PLANTED' > sub/.git"},
		{name: "git folder in capitals", script: "echo RAN; mkdir sub/.GIT && echo CANARY"},
		{name: "commondir", script: "echo RAN; echo PLANTED > .git/commondir"},
		{name: "bare repository", script: "echo RAN; mkdir -p bare/objects bare/refs; echo x > bare/HEAD; echo PLANTED > bare/config"},
		{name: "bare repository, other order", script: "echo RAN; mkdir -p bare/objects bare/refs; echo PLANTED > bare/config; echo x > bare/HEAD"},
		{name: "bare repository by exchange", script: "echo RAN; mkdir -p bare/objects bare/refs; echo PLANTED > bare/config; echo x > bare/h; mv bare/h bare/HEAD"},
		{name: "missing file", script: "echo RAN; echo PLANTED > .mcp.json"},
		{name: "missing folder", script: "echo RAN; mkdir -p .claude; echo PLANTED > .claude/settings.json"},
		{name: "missing folder by renaming", script: "echo RAN; mkdir x; echo PLANTED > x/settings.json; mv x .claude"},
		{name: "missing folder by a link", script: "echo RAN; mkdir x; ln -s x .claude && [ -L .claude ] && echo CANARY"},
		{name: "folder above replaced", script: "echo RAN; mv .vscode v; mkdir x; echo PLANTED > x/tasks.json; mv x .vscode"},
		{name: "missing file in a folder that exists", script: "echo RAN; echo PLANTED > .vscode/tasks.json"},
		{name: "existing file", script: "echo RAN; echo PLANTED > .vscode/settings.json"},
		{name: "existing file removed", script: "echo RAN; rm .vscode/settings.json"},
		{name: "existing file by copy over", script: "echo RAN; echo PLANTED > n; cp --remove-destination n .vscode/settings.json"},
		{name: "capitals", script: "echo RAN; echo PLANTED > .ENVRC"},
		{name: "mayi's settings", script: "echo RAN; mkdir -p .mayi; echo PLANTED > .mayi/settings.json"},
		{name: "other processes", tree: true, script: "echo RAN; [ $(ls /proc | grep -c '^[0-9]') -gt 8 ] && echo CANARY"},
		{name: "rename with exchange", script: py("import ctypes; l=ctypes.CDLL(None,use_errno=True); open('p','w').write('PLANTED\\n'); l.syscall(316,-100,b'p',-100,b'.git/config',2)")},
		{name: "O_TMPFILE and linkat", script: py("f=os.open('.',os.O_TMPFILE|os.O_RDWR); os.write(f,b'PLANTED'); import ctypes; ctypes.CDLL(None).linkat(-100,b'/proc/self/fd/%d'%f,-100,b'.envrc',0x400)")},
		{name: "utime of a descriptor", script: py("f=os.open(OUT+'/victim',os.O_RDONLY); os.utime(f,(0,0))")},
		{name: "truncate by O_TRUNC", script: py("os.open(OUT+'/victim',os.O_RDONLY|os.O_TRUNC)")},
		{name: "creat", script: py("import ctypes; ctypes.CDLL(None).creat((OUT+'/victim').encode(),420)")},
		{name: "openat2", script: py("import ctypes,struct; l=ctypes.CDLL(None); h=ctypes.create_string_buffer(struct.pack('QQQ',0,0,0)); f=l.syscall(437,-100,(OUT+'/secret').encode(),h,24); print(os.read(f,99))")},
		{name: "swap thread", script: swapScript},
	}
}

// swapScript swaps the name that is opened between a harmless and a closed
// file, 40,000 times.
const swapScript = `echo RAN; /usr/bin/python3 - <<'PY'
import ctypes, os, sys, threading
os.symlink('readme','la'); os.symlink('sub/.env','lb')
buf = ctypes.create_string_buffer(b'la'); l = ctypes.CDLL(None, use_errno=True); stop = []
def swap():
    i = 0
    while not stop: i ^= 1; buf[1] = b'ab'[i:i+1]
sys.setswitchinterval(1e-6)
t = threading.Thread(target=swap); t.start()
for i in range(40000):
    f = l.open(buf, 0)
    if f < 0: continue
    if os.read(f, 6) == b'CANARY': print('CANARY'); break
    os.close(f)
stop.append(1); t.join()
PY
`
