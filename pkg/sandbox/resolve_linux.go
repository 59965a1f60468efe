//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// spot is where a path leads: the folder and the name in it, and the object
// where there is one. All are descriptors of O_PATH, so that what was judged
// is what is used.
type spot struct {
	parent int // -1 for a magic link's object, which has no name of its own
	name   string
	obj    int
	st     unix.Stat_t
	// magic: the object was reached through a link of /proc, fdName being the
	// descriptor's number where it was one.
	magic  bool
	fdName string
}

func (s *spot) close() {
	closeFD(s.parent)
	closeFD(s.obj)
	s.parent, s.obj = -1, -1
}

func (s *spot) isDir() bool  { return s.obj >= 0 && s.st.Mode&unix.S_IFMT == unix.S_IFDIR }
func (s *spot) isLink() bool { return s.obj >= 0 && s.st.Mode&unix.S_IFMT == unix.S_IFLNK }

// path is the canonical name: the parent's, as the kernel says it, and the name.
func (s *spot) path() (string, unix.Errno) {
	if s.parent < 0 || s.name == "" {
		return pathOf(s.obj)
	}
	p, e := pathOf(s.parent)
	if e != 0 {
		return "", e
	}
	if p == "/" {
		return "/" + s.name, 0
	}
	return p + "/" + s.name, 0
}

const maxLinks = 40

// resolve follows a path from the target's point of view: its root, its
// working folder or descriptor, its /proc/self. follow says whether a link at
// the end is followed.
func (t target) resolve(dirfd int32, p string, follow bool) (spot, unix.Errno) {
	s, e := t.lookup(dirfd, p, follow)
	if e == 0 && t.lists.holds(&s) {
		s.close()
		return spot{parent: -1, obj: -1}, unix.ENOENT
	}
	return s, e
}

func (t target) lookup(dirfd int32, p string, follow bool) (spot, unix.Errno) {
	if p == "" {
		return spot{parent: -1, obj: -1}, unix.ENOENT
	}
	base := t.root
	if p[0] != '/' {
		d, e := t.dir(dirfd)
		if e != 0 {
			return spot{parent: -1, obj: -1}, e
		}
		defer unix.Close(d)
		base = d
	}
	if s, ok := t.quick(base, p, follow); ok {
		return s, 0
	}
	return t.walk(base, p, follow)
}

// quick lets the kernel resolve everything but the last name, for the usual
// case of a path without links that lead out of its beginning.
func (t target) quick(base int, p string, follow bool) (spot, bool) {
	dir, name := split(p)
	if name == "" || name == "." || name == ".." || strings.HasSuffix(p, "/") {
		return spot{}, false
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_DIRECTORY, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	if p[0] == '/' {
		how.Resolve = unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS
		if strings.HasPrefix(p, "/proc/") || strings.HasPrefix(p, "/dev/") {
			return spot{}, false // links that mean the process that follows them
		}
	}
	parent, err := unix.Openat2(base, dir, &how)
	if err != nil {
		return spot{}, false
	}
	s := spot{parent: parent, name: name, obj: -1}
	obj, err := unix.Openat(parent, name, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err == unix.ENOENT {
		return s, true
	}
	if err == nil {
		s.obj = obj
		if unix.Fstat(obj, &s.st) == nil && !(follow && s.isLink()) {
			return s, true
		}
	}
	s.close()
	return spot{}, false
}

func split(p string) (dir, name string) {
	i := strings.LastIndexByte(p, '/')
	switch {
	case i < 0:
		return ".", p
	case i == 0:
		return "/", p[1:]
	}
	return p[:i], p[i+1:]
}

// walk goes component by component, as the kernel would for the target.
func (t target) walk(base int, p string, follow bool) (spot, unix.Errno) {
	none := spot{parent: -1, obj: -1}
	cur, e := dup(base)
	if e != 0 {
		return none, e
	}
	todo := reversed(p)
	if p[0] == '/' {
		if e := t.toRoot(&cur); e != 0 {
			return none, e
		}
	}
	wantDir := strings.HasSuffix(p, "/")
	links := 0
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		last := len(todo) == 0
		switch name {
		case ".":
			continue
		case "..":
			if e := t.up(&cur); e != 0 {
				closeFD(cur)
				return none, e
			}
			continue
		}
		obj, err := unix.Openat(cur, name, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if err == unix.ENOENT && last {
			return spot{parent: cur, name: name, obj: -1}, 0
		}
		if err != nil {
			closeFD(cur)
			return none, errno(err)
		}
		s := spot{parent: cur, name: name, obj: obj}
		if err := unix.Fstat(obj, &s.st); err != nil {
			s.close()
			return none, errno(err)
		}
		if s.isLink() && (!last || follow || wantDir) {
			if links++; links > maxLinks {
				s.close()
				return none, unix.ELOOP
			}
			text, magic, e := t.link(&s)
			if e != 0 {
				s.close()
				return none, e
			}
			if magic {
				m := spot{parent: -1, obj: -1, magic: true, fdName: name}
				fd, err := unix.Openat(cur, name, unix.O_PATH|unix.O_CLOEXEC, 0)
				s.close()
				if err != nil {
					return none, errno(err)
				}
				m.obj = fd
				if err := unix.Fstat(fd, &m.st); err != nil {
					m.close()
					return none, errno(err)
				}
				if last {
					return m, 0
				}
				if !m.isDir() {
					m.close()
					return none, unix.ENOTDIR
				}
				cur = fd
				continue
			}
			closeFD(obj)
			if text == "" {
				closeFD(cur)
				return none, unix.ENOENT
			}
			if text[0] == '/' {
				if e := t.toRoot(&cur); e != 0 {
					return none, e
				}
			}
			todo = append(todo, reversed(text)...)
			if strings.HasSuffix(text, "/") && last {
				wantDir = true
			}
			continue
		}
		if last {
			if wantDir && !s.isDir() {
				s.close()
				return none, unix.ENOTDIR
			}
			return s, 0
		}
		if !s.isDir() {
			s.close()
			return none, unix.ENOTDIR
		}
		if name == "1" && isProcRoot(cur) {
			s.close()
			return none, unix.EACCES // the helper, which is no part of the job
		}
		closeFD(cur)
		cur = obj
	}
	s := spot{parent: -1, obj: cur}
	if err := unix.Fstat(cur, &s.st); err != nil {
		s.close()
		return none, errno(err)
	}
	return s, 0
}

// again finds the folder and the name of an object.
func (t target) again(s spot) (spot, unix.Errno) {
	none := spot{parent: -1, obj: -1}
	defer s.close()
	p, e := s.path()
	if e != 0 || p == "/" || p == "" || p[0] != '/' {
		return none, unix.ENOENT
	}
	n, e := t.walk(t.root, p, false)
	if e != 0 || n.obj < 0 || n.st.Dev != s.st.Dev || n.st.Ino != s.st.Ino {
		n.close()
		return none, unix.ENOENT
	}
	return n, 0
}

// link reads a symbolic link. In /proc there are two that mean the process
// that follows them, and many that lead to an object rather than to a name.
func (t target) link(s *spot) (text string, magic bool, e unix.Errno) {
	if onProc(s.obj) {
		if !isProcRoot(s.parent) {
			return "", true, 0
		}
		process, thread := t.self()
		switch s.name {
		case "self":
			return process, false, 0
		case "thread-self":
			return thread, false, 0
		}
	}
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(s.parent, s.name, buf[:])
	if err != nil {
		return "", false, errno(err)
	}
	return string(buf[:n]), false, 0
}

func onProc(fd int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && st.Type == unix.PROC_SUPER_MAGIC
}

func isProcRoot(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Ino == 1 && onProc(fd)
}

// up goes to the parent folder, but never above the job's root.
func (t target) up(cur *int) unix.Errno {
	var a, b unix.Stat_t
	if unix.Fstat(*cur, &a) != nil || unix.Fstat(t.root, &b) != nil {
		return unix.EACCES
	}
	if a.Dev == b.Dev && a.Ino == b.Ino {
		return 0
	}
	d, err := unix.Openat(*cur, "..", unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if err != nil {
		return errno(err)
	}
	closeFD(*cur)
	*cur = d
	return 0
}

func (t target) toRoot(cur *int) unix.Errno {
	closeFD(*cur)
	d, e := dup(t.root)
	*cur = d
	return e
}

func dup(fd int) (int, unix.Errno) {
	d, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, errno(err)
	}
	return d, 0
}

// reversed gives a path's components, the first one last.
func reversed(p string) []string {
	f := splitPath(p)
	for i, k := 0, len(f)-1; i < k; i, k = i+1, k-1 {
		f[i], f[k] = f[k], f[i]
	}
	return f
}

func fdPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }
