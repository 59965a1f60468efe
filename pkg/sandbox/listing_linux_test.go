//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// outsideTree fills the folder outside with a little of everything.
func outsideTree(t *testing.T, out string) {
	t.Helper()
	for _, d := range []string{"deep/er", "shut"} {
		if err := os.MkdirAll(filepath.Join(out, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for f, text := range map[string]string{"deep/er/hidden": "CANARY\n", "with\nnewline": "x", "deep/er/plain": "plain\n"} {
		if err := os.WriteFile(filepath.Join(out, f), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(out+"/shut", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(out+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"up": "..", "file": "secret", "root": "/", "dead": "none"} {
		if err := os.Symlink(to, filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Truncate(out+"/victim", 10<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out+"/victim", []byte("as it was\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// below names everything below a folder.
func belowOf(t *testing.T, root string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := os.Lstat(p)
		if err != nil {
			return err
		}
		all = append(all, p+" "+st.Mode().String()+" "+st.ModTime().String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}

// TestListingOutside: after a yes the job sees the names in a folder, as they
// are, and nothing more.
func TestListingOutside(t *testing.T) {
	can(t)
	const stat = `stat -c '%n %F %a %s %Y' $OUT/* | grep -v directory; stat -c '%n %F %a %Y' $OUT/* $OUT`
	for _, r := range []struct {
		name, script string
		want         string // "=": what the script gives without a sandbox
		answer       Answer
		questions    int
	}{
		{"names", "ls -A $OUT", "=", Once, 1},
		{"names and what ls knows of them", "LC_ALL=C ls -lAn --time-style=+%s.%N $OUT | sed '1d; /^d/d; s/  */ /g'", "=", Once, 1},
		{"types, modes, sizes, times", "ls $OUT >/dev/null; " + stat, "=", Once, 3},
		{"by python", `/usr/bin/python3 -c 'import os; print(sorted((e.name, e.is_dir(), e.is_symlink(), e.stat(follow_symlinks=False).st_size if e.is_file() else 0) for e in os.scandir(os.environ["OUT"])))'`, "=", Once, 1},
		{"relative", "cd ..; ls -A out; cd out && ls -A .", "=", Once, 2},
		{"a pattern", "echo $OUT/*", "=", Once, 1},
		{"twice is twice", "ls $OUT; ls $OUT", "=", Once, 2},
		{"a session is once", "ls $OUT; ls $OUT; ls $OUT/deep; ls -R $OUT", "=", Session, 1},
		{"all below", "find $OUT | sort", "=", Once, 4},
		{"from below", "ls $OUT/deep/er; ls $OUT/deep; ls $OUT", "=", Once, 3},
		{"by a link", "ln -sfn $OUT l; ls l/; ls l/deep", "=", Once, 2},
		{"a file in it is a question of its own", "ls $OUT; cat $OUT/secret", "=", Once, 2},
		{"relative to it", `/usr/bin/python3 -c 'import os; d=os.open(os.environ["OUT"],os.O_RDONLY); print(os.read(os.open("secret",os.O_RDONLY,dir_fd=d),99)); print(sorted(os.listdir(d)), os.stat("victim",dir_fd=d).st_size)'`, "=", Once, 2},
		{"from within", "cd $OUT/deep; ls; ls er; cd er/..; cd ..; ls -A; ls deep; cat secret", "=", Session, 2},
		{"a no", "ls $OUT || echo refused", "refused\n", No, 1},
		{"a no is one", "ls $OUT || ls $OUT || ls -d $OUT || echo refused", "refused\n", No, 1},
		{"not there", "ls $OUT/none || echo missing", "missing\n", Once, 0},
		{"for writing", `/usr/bin/python3 -c 'import os; os.open(os.environ["OUT"],os.O_RDWR)' || echo refused`, "refused\n", Once, 0},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := spec("/")
			c := Command{Env: env(), Ask: func(context.Context, Access) Answer { return No }}
			for name, l := range ways(t, &s, &c) {
				if !l.tree || name == "root" {
					continue
				}
				ws, out := space(t)
				outsideTree(t, out)
				e := append(env(), "OUT="+out)
				want := r.want
				if want == "=" {
					want = unconfined(t, ws, r.script, e)
				}
				before := belowOf(t, out)
				p := &person{answer: func(a Access) Answer {
					if a.Op != OpRead || a.Folder != (a.Path != out+"/secret") || !strings.HasPrefix(a.Path, out) {
						t.Errorf("%s: asked about %+v", name, a)
					}
					return r.answer
				}}
				got := try(t, l, spec(ws), Command{Shell: "{ " + r.script + "\n} 2>/dev/null", Env: e, Ask: p.ask})
				if got.err != nil && got.Code == 125 {
					t.Logf("%s: not here: %v", name, got.err)
					continue
				}
				if got.out != want || len(p.asked) != r.questions {
					t.Errorf("%s: %s\n%d questions, wanted %d: %+v\n%+v", name, unlike(got.out, want), len(p.asked), r.questions, p.asked, got.Violations)
				}
				if after := belowOf(t, out); after != before {
					t.Errorf("%s: before\n%s\nafter\n%s", name, before, after)
				}
			}
		})
	}
}

// TestListingLeadsNowhere: what may be listed may only be listed, by whatever
// way somebody goes on from there.
func TestListingLeadsNowhere(t *testing.T) {
	can(t)
	ws, out := space(t)
	outsideTree(t, out)
	before := belowOf(t, filepath.Dir(ws))
	p := &person{answer: func(a Access) Answer {
		if a.Op == OpRead && a.Folder && a.Path == out {
			return Once
		}
		return No
	}}
	c := Command{Env: append(env(), "OUT="+out, "WS="+ws), Ask: p.ask}
	c.Shell = `ls $OUT >/dev/null && echo LISTED
cat $OUT/secret $OUT/file $OUT/up/out/secret $OUT/root$OUT/secret; cd $OUT && cat secret; cat < secret; cd deep; ls; ls er; cat er/hidden; cd ..
for f in secret deep shut pipe up victim . ..; do chmod 777 $f; touch -d 1990-01-01 $f; rm -rf $f; mv $f $f.x; ln $f $WS/h; mv $WS/readme $f; mkdir $f/n; echo x > $f/n; truncate -s 1 $f; setfattr -n user.x -v 1 $f; done
touch new; mkdir new; ln -s x new; mkfifo new; cp $WS/readme new; $OUT/victim; ./victim; cd $WS
stat $OUT/deep/er $OUT/deep/er/hidden $OUT/shut/x && echo CANARY`
	got := run(t, spec(ws), c)
	c.Shell = `/usr/bin/python3 - <<'PY'
import os
O=os.environ['OUT']
def t(f):
    try: r=f()
    except OSError: return
    if r and b'CANARY' in r: print('CANARY')
d=os.open(O,os.O_RDONLY|os.O_DIRECTORY)
for n in ['secret','file','deep/er/hidden','up/out/secret','../out/secret','../../../../../../..'+O+'/secret','./secret','deep/../secret']:
    t(lambda: os.read(os.open(n,os.O_RDONLY,dir_fd=d),99))
    t(lambda: os.read(os.open('/proc/self/fd/%d/%s'%(d,n),os.O_RDONLY),99))
    def path():
        p=os.open(n,os.O_PATH,dir_fd=d)
        return os.read(os.open('/proc/self/fd/%d'%p,os.O_RDONLY),99)
    t(path)
    def move():
        os.fchdir(d); return open(n,'rb').read()
    t(move)
for f in [lambda: os.fchmod(d,0o777), lambda: os.utime(d,(0,0)), lambda: os.fchown(d,1,1), lambda: os.setxattr(d,'user.x',b'1')]:
    t(f)
for up in ['..','../..','../../..']:
    print('UP', os.stat(up,dir_fd=d).st_ino == os.stat(os.path.normpath(O+'/'+up)).st_ino)
PY
`
	more := run(t, spec(ws), c)
	if all := got.out + more.out; !strings.Contains(got.out, "LISTED") || strings.Contains(all, "CANARY") || strings.Count(more.out, "UP True") != 3 {
		t.Errorf("%s", all)
	}
	if after := belowOf(t, filepath.Dir(ws)); after != before {
		t.Errorf("%s", unlike(after, before))
	}
	for _, a := range p.asked {
		if !strings.HasPrefix(a.Path, filepath.Dir(ws)) {
			t.Errorf("asked about %+v", a)
		}
	}
}

// unlike shows the lines in which two texts differ.
func unlike(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	var out []string
	for i := range max(len(a), len(b)) {
		x, y := "(nothing)", "(nothing)"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			out = append(out, "got "+x+", wanted "+y)
		}
	}
	return strings.Join(out, "\n")
}

func unconfined(t *testing.T, dir, script string, env []string) string {
	t.Helper()
	c := exec.Command("/bin/bash", "-c", script)
	c.Dir, c.Env = dir, env
	b, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return string(b)
}
