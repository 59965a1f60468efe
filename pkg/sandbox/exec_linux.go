//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// maxInterpreters is how many scripts the kernel lets name one another.
const maxInterpreters = 5

// exec looks at a program that is to be run. Nobody can start one in another's
// place, so the call goes on, and the kernel judges it: what the job's tree does
// not show, or Landlock does not let run, does not run, whatever was swapped
// meanwhile. What would fail for that reason is refused here, with words. A name
// that does not exist outside either is only a step of a search.
func (b *broker) exec(n *notification, t target, f form, dir int32, p string, flags int) reply {
	out := b.runs(t, dir, p, flags, nil)
	if out == nil {
		if name := path.Base(p); lists(name) {
			return b.withFolders(n, t, name, b.given(t, arg(n, f.a)))
		}
		return reply{pass: true}
	}
	a := out.asks(out.find, b.access(t, OpRun, out.real, p, ""))
	switch {
	case out.find.onlyAsked() && !b.asks.closed():
		// As far as the kernel is concerned it may be run. A yes lets the call go on,
		// and no more than that was held.
		return reply{later: func() reply {
			defer out.close()
			if !b.wait(b.asks.ctx, n, a) {
				return reply{e: unix.EACCES}
			}
			return reply{pass: true}
		}}
	case !out.find.Firm && !b.asks.closed() && b.own:
		return reply{later: func() reply { return b.start(n, t, dir, p, flags, out) }}
	}
	defer out.close()
	return reply{e: b.refuse(a, out.find.Quiet)}
}

// runs finds the program that stands against an execution: the file itself, or
// the interpreter that its first line names. fine are those that were asked about.
// nil: none does, as far as is seen from here.
func (b *broker) runs(t target, dir int32, p string, flags int, fine map[string]bool) *subject {
	for range maxInterpreters {
		s, e := t.runnee(dir, p, flags)
		if e == unix.ENOENT || e == 0 && s.obj < 0 {
			s.close()
			return b.absent(t, dir, p, flags)
		}
		if e != 0 {
			return nil // the kernel says it better
		}
		real, e := s.path()
		nameless := s.parent < 0 && (s.st.Nlink == 0 || !b.inTree(&s))
		if e != 0 || nameless || !s.runnable() {
			s.close()
			return nil
		}
		find := b.judge.run(real)
		if find.onlyAsked() && interpreter(s.obj) != "" {
			find = finding{OK: true} // it is asked about as its interpreter reads it
		}
		if !find.OK && !fine[real] {
			return &subject{spot: s, real: real, named: real, find: find}
		}
		next := ""
		if !coveredBy(real, SystemFolders()) {
			next = interpreter(s.obj)
		}
		s.close()
		if next == "" {
			return nil
		}
		dir, p, flags = unix.AT_FDCWD, next, 0
	}
	return nil
}

// absent finds a program that the job's tree does not have.
func (b *broker) absent(t target, dir int32, p string, flags int) *subject {
	s, real, ok := b.outside(t, dir, p, flags&unix.AT_SYMLINK_NOFOLLOW == 0)
	if !ok {
		return nil
	}
	if s.obj < 0 || !s.runnable() {
		s.close()
		return nil
	}
	sub := &subject{spot: s, real: real, named: real, outside: true, find: b.judge.run(real)}
	if name, ok := b.hostPath(t, dir, p); ok {
		sub.named = path.Clean(name)
	}
	return sub
}

// runnee resolves what is to be run; an empty path is the descriptor's object.
func (t target) runnee(dir int32, p string, flags int) (spot, unix.Errno) {
	if p != "" || flags&unix.AT_EMPTY_PATH == 0 {
		return t.resolve(dir, p, flags&unix.AT_SYMLINK_NOFOLLOW == 0)
	}
	obj, e := t.object(dir)
	s := spot{parent: -1, obj: obj, magic: true}
	if e == 0 {
		if err := unix.Fstat(obj, &s.st); err != nil {
			e = errno(err)
		}
	}
	return s, e
}

// runnable says whether the object is a file that somebody may execute.
func (s *spot) runnable() bool {
	return s.st.Mode&unix.S_IFMT == unix.S_IFREG && s.st.Mode&0o111 != 0
}

// interpreter is the program that a script's first line names, "" for none.
func interpreter(obj int) string {
	fd, err := unix.Open(fdPath(obj), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	var buf [256]byte // as much as the kernel looks at
	n, err := unix.Read(fd, buf[:])
	if err != nil || n < 3 {
		return ""
	}
	line, ok := bytes.CutPrefix(buf[:n], []byte("#!"))
	if !ok {
		return ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	word, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimLeft(string(line), " \t"), "\t", " "), " ")
	if strings.IndexByte(word, 0) >= 0 {
		return ""
	}
	return word
}

// unstarted completes the error of a first program that could not be run: it is
// there, outside of the grant.
func (j *Job) unstarted(o *order, err error) error {
	var run *RunError
	if !errors.As(err, &run) || run.Code != 126 && run.Code != 127 {
		return err
	}
	jd := newJudge(&j.spec, j.plan)
	for _, file := range candidates(o.Path, o.Env) {
		if !path.IsAbs(file) {
			file = path.Join(o.Dir, file)
		}
		if real := unreachable(jd, file); real != "" {
			return &RunError{Code: run.Code, Text: run.Text + ": " + violation(Access{Op: OpRun, Path: real}, false).Text}
		}
	}
	return err
}

// unreachable finds the program that a job cannot run of those that the file
// needs: itself, or the interpreter that it names.
func unreachable(jd *judge, file string) string {
	for range maxInterpreters {
		fd, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return ""
		}
		s := spot{parent: -1, obj: fd}
		if unix.Fstat(fd, &s.st) != nil || !s.runnable() {
			s.close()
			return ""
		}
		real, e := s.path()
		if f := jd.run(real); e == 0 && !f.OK && !f.onlyAsked() {
			s.close()
			return real
		}
		file = interpreter(fd)
		s.close()
		if !path.IsAbs(file) {
			return ""
		}
	}
	return ""
}
