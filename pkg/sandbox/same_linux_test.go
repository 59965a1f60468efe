//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os/exec"
	"strings"
	"testing"
)

// callsScript makes system calls of every kind inside the workspace and prints
// what each gives.
const callsScript = `
import os, stat, errno, socket
def t(name, f):
    try: r = f()
    except OSError as e: r = errno.errorcode.get(e.errno)
    if isinstance(r, int) and name.startswith('open'): os.close(r); r = 'fd'
    print(name, r)
W = os.getcwd()
mode = lambda p: oct(os.lstat(p).st_mode)
os.umask(0o027)
t('open excl', lambda: os.open('a', os.O_CREAT|os.O_EXCL|os.O_WRONLY, 0o666)); t('mode', lambda: mode('a'))
t('open excl again', lambda: os.open('a', os.O_CREAT|os.O_EXCL|os.O_WRONLY))
os.umask(0)
t('open 777', lambda: os.open('b', os.O_CREAT|os.O_RDWR, 0o777)); t('mode', lambda: mode('b'))
os.umask(0o22)
t('open missing', lambda: os.open('none', os.O_RDONLY)); t('open missing folder', lambda: os.open('none/x', os.O_CREAT|os.O_WRONLY))
t('open file as folder', lambda: os.open('a/x', os.O_RDONLY)); t('open slash', lambda: os.open('a/', os.O_RDONLY)); t('open create slash', lambda: os.open('n/', os.O_CREAT|os.O_WRONLY))
t('open folder for writing', lambda: os.open('.', os.O_WRONLY)); t('open folder', lambda: os.open('.', os.O_RDONLY|os.O_DIRECTORY)); t('open file O_DIRECTORY', lambda: os.open('a', os.O_DIRECTORY))
t('mkdir', lambda: os.mkdir('d', 0o777)); t('mode', lambda: mode('d')); t('mkdir again', lambda: os.mkdir('d')); t('mkdir slash', lambda: os.mkdir('e/')); t('mkdir deep', lambda: os.mkdir('x/y'))
t('symlink', lambda: os.symlink('a', 'l')); t('symlink again', lambda: os.symlink('a', 'l')); t('open link', lambda: os.open('l', os.O_RDWR)); t('open link nofollow', lambda: os.open('l', os.O_RDONLY|os.O_NOFOLLOW))
t('dangling', lambda: os.symlink('new', 'dl')); t('open through dangling', lambda: os.open('dl', os.O_CREAT|os.O_WRONLY)); t('new', lambda: mode('new'))
t('open excl through link', lambda: os.open('dl', os.O_CREAT|os.O_EXCL|os.O_WRONLY)); t('loop', lambda: os.symlink('lo', 'lo')); t('open loop', lambda: os.open('lo', os.O_RDONLY)); t('open loop for writing', lambda: os.open('lo', os.O_WRONLY|os.O_CREAT))
t('link', lambda: os.link('a', 'h')); t('link again', lambda: os.link('a', 'h')); t('link missing', lambda: os.link('zz', 'h2')); t('link folder', lambda: os.link('d', 'hd')); t('nlink', lambda: os.stat('a').st_nlink)
t('rename', lambda: os.rename('h', 'd/h')); t('rename missing', lambda: os.rename('zz', 'y')); t('rename file over folder', lambda: os.rename('a', 'd')); t('rename folder over file', lambda: os.rename('d', 'a')); t('rename into itself', lambda: os.rename('d', 'd/x'))
t('rmdir full', lambda: os.rmdir('d')); t('rmdir file', lambda: os.rmdir('a')); t('unlink folder', lambda: os.unlink('d')); t('unlink missing', lambda: os.unlink('zz')); t('unlink', lambda: os.unlink('d/h')); t('rmdir', lambda: os.rmdir('d'))
t('truncate', lambda: os.truncate('a', 100)); t('size', lambda: os.stat('a').st_size); t('truncate folder', lambda: os.truncate('.', 0)); t('truncate missing', lambda: os.truncate('zz', 0))
t('open trunc', lambda: os.open('a', os.O_WRONLY|os.O_TRUNC)); t('size', lambda: os.stat('a').st_size)
def app():
    f = os.open('a', os.O_WRONLY|os.O_APPEND); os.write(f, b'x'); os.lseek(f, 0, 0); os.write(f, b'y'); os.close(f); return open('a').read()
t('append', app); t('cloexec', lambda: os.get_inheritable(os.open('a', os.O_RDONLY)))
t('chmod', lambda: os.chmod('a', 0o640)); t('mode', lambda: mode('a')); t('chmod missing', lambda: os.chmod('zz', 0)); t('utime', lambda: os.utime('a', (5, 7))); t('mtime', lambda: os.stat('a').st_mtime); t('utime link', lambda: os.utime('l', (9, 9), follow_symlinks=False)); t('mtime', lambda: (os.stat('a').st_mtime, os.lstat('l').st_mtime))
def fd(f):
    d = os.open('a', os.O_RDWR)
    try: return f(d)
    finally: os.close(d)
t('fchmod', lambda: fd(lambda d: os.fchmod(d, 0o600))); t('mode', lambda: mode('a')); t('futimens', lambda: fd(lambda d: os.utime(d, (11, 12)))); t('mtime', lambda: os.stat('a').st_mtime); t('fchown', lambda: fd(lambda d: os.fchown(d, -1, -1))); t('chown', lambda: os.chown('a', os.getuid(), os.getgid())); t('lchown', lambda: os.lchown('l', -1, -1))
t('setxattr', lambda: os.setxattr('a', 'user.k', b'v')); t('getxattr', lambda: os.getxattr('a', 'user.k')); t('fsetxattr', lambda: fd(lambda d: os.setxattr(d, 'user.m', b'w'))); t('removexattr', lambda: os.removexattr('a', 'user.k')); t('removexattr again', lambda: os.removexattr('a', 'user.k')); t('listxattr', lambda: os.listxattr('a'))
t('mkfifo', lambda: os.mkfifo('ff')); t('open fifo nonblock write', lambda: os.open('ff', os.O_WRONLY|os.O_NONBLOCK)); t('open fifo nonblock', lambda: os.open('ff', os.O_RDONLY|os.O_NONBLOCK)); t('mknod', lambda: os.mknod('r', 0o644|stat.S_IFREG)); t('mode', lambda: mode('r'))
t('open no permission', lambda: (os.chmod('a', 0), os.getuid() and os.open('a', os.O_RDONLY))[1]); os.chmod('a', 0o600)
d = os.open('.', os.O_RDONLY); os.mkdir('s'); t('openat', lambda: os.close(os.open('q', os.O_CREAT|os.O_WRONLY, 0o600, dir_fd=d))); t('mkdirat', lambda: os.mkdir('s/m', dir_fd=d)); t('renameat', lambda: os.rename('q', 's/q', src_dir_fd=d, dst_dir_fd=d)); t('unlinkat', lambda: os.unlink('s/q', dir_fd=d)); t('open bad fd', lambda: os.open('q', os.O_RDONLY, dir_fd=999)); t('open not a folder', lambda: fd(lambda f: os.open('q', os.O_RDONLY, dir_fd=f)))
t('open absolute', lambda: os.open(W + '/a', os.O_RDWR)); t('open dots', lambda: os.open('s/../s/m/../../a', os.O_RDWR)); t('open double slash', lambda: os.open(W + '//s//../a', os.O_RDWR)); t('open cwd by /proc', lambda: os.open('/proc/self/cwd/a', os.O_RDWR)); t('open thread-self', lambda: os.open('/proc/thread-self/comm', os.O_RDONLY))
t('open own fd', lambda: fd(lambda f: os.close(os.open('/proc/self/fd/%d' % f, os.O_RDWR)))); t('open /dev/fd', lambda: fd(lambda f: os.close(os.open('/dev/fd/%d' % f, os.O_RDONLY)))); t('open null', lambda: os.open('/dev/null', os.O_RDWR)); t('open null append', lambda: os.open('/dev/null', os.O_WRONLY|os.O_APPEND|os.O_CREAT|os.O_TRUNC))
t('open empty', lambda: os.open('', os.O_RDONLY)); t('open long', lambda: os.open('x' * 300, os.O_CREAT|os.O_WRONLY)); t('open too long', lambda: os.open('x/' * 3000, os.O_RDONLY)); t('open tmpfile', lambda: os.open('s', os.O_TMPFILE|os.O_RDWR, 0o600)); t('open tmpfile in a file', lambda: os.open('a', os.O_TMPFILE|os.O_RDWR))
t('open odd name', lambda: os.open('\n\u202e\xff', os.O_CREAT|os.O_WRONLY)); t('read', lambda: open('a').read()); t('list', lambda: sorted(os.listdir('.')))
s = socket.socket(socket.AF_UNIX); t('bind', lambda: s.bind('sock')); s.listen(); c = socket.socket(socket.AF_UNIX); t('connect', lambda: c.connect('sock')); t('connect absolute', lambda: socket.socket(socket.AF_UNIX).connect(W + '/sock')); t('connect missing', lambda: c.connect('nosock')); t('connect a file', lambda: socket.socket(socket.AF_UNIX).connect('a'))
os.mkdir('gone'); os.chdir('gone'); os.rmdir(W + '/gone'); t('open in a folder that is gone', lambda: os.open('x', os.O_CREAT|os.O_WRONLY))
`

// TestSameAnswers: the calls that the supervisor carries out give what they
// give without it.
func TestSameAnswers(t *testing.T) {
	can(t)
	ws, _ := space(t)
	script := "/usr/bin/python3 - <<'PY'\n" + callsScript + "\nPY\n"
	plain := exec.Command("/bin/bash", "-c", script)
	plain.Dir, plain.Env = ws, env()
	want, err := plain.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	for _, kind := range []string{"names only", "every open"} {
		ws2, _ := space(t)
		s := spec(ws2)
		if kind == "names only" {
			s.Denied = nil
		}
		r := run(t, s, Command{Shell: script})
		a, b := strings.Split(string(want), "\n"), strings.Split(r.out, "\n")
		for i := range max(len(a), len(b)) {
			x, y := "(nothing)", "(nothing)"
			if i < len(a) {
				x = a[i]
			}
			if i < len(b) {
				y = b[i]
			}
			if x != y {
				t.Errorf("%s: %q, without a sandbox %q", kind, y, x)
			}
		}
		if len(r.Violations) > 0 {
			t.Errorf("%s: %+v", kind, r.Violations)
		}
	}
}
