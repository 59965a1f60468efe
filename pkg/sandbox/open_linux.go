//go:build linux && (amd64 || arm64)

package sandbox

import (
	"path"

	"golang.org/x/sys/unix"
)

const retries = 8

// open carries out an open. The object is found first; whatever is opened then
// is opened through the descriptor that was judged.
func (b *broker) open(n *notification, t target, dir int32, p string, flags int, mode uint32) reply {
	if flags&unix.O_PATH != 0 {
		return reply{e: unix.EINVAL} // the filter lets these through
	}
	mode &^= unix.S_ISUID
	if flags&tmpfileBit != 0 {
		return b.openTemporary(n, t, dir, p, flags, mode)
	}
	follow := flags&unix.O_NOFOLLOW == 0 && flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL
	for i := 0; i < retries; i++ {
		s, e := t.resolve(dir, p, follow)
		missing := e == unix.ENOENT || e == 0 && s.obj < 0 && flags&unix.O_CREAT == 0
		if missing {
			if e == 0 {
				s.close()
			}
			if out, real, ok := b.outside(t, dir, p, follow); ok {
				return b.openOutside(n, t, out, real, p, flags, mode)
			}
			return reply{e: unix.ENOENT}
		}
		if e != 0 {
			b.closed(t, dir, p, wantsWrite(flags), e)
			return reply{e: e}
		}
		if s.obj < 0 {
			r, again := b.create(n, t, s, dir, p, flags, mode)
			if again {
				continue
			}
			return r
		}
		return b.reopen(n, t, s, p, flags)
	}
	return reply{e: unix.EAGAIN}
}

// closed says what stands against a name that cannot be resolved, because a rule has
// closed a folder on the way to it. It goes by the name alone, which is good enough
// for words.
func (b *broker) closed(t target, dir int32, p string, write bool, e unix.Errno) {
	if e != unix.EACCES {
		return
	}
	name, ok := b.hostPath(t, dir, p)
	if !ok {
		return
	}
	name = path.Clean(name)
	op, f := OpRead, b.judge.read(name)
	if write {
		op, f = OpWrite, b.judge.write(name, false)
	}
	if f.Firm && f.Rule != "" {
		b.refuse(b.access(t, op, name, p, f.Rule), false)
	}
}

func wantsWrite(flags int) bool {
	return flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_TRUNC != 0
}

// injected is the reply that hands a descriptor over.
func injected(fd, flags int) reply {
	r := reply{fd: fd}
	if flags&unix.O_CLOEXEC != 0 {
		r.flags = unix.O_CLOEXEC
	}
	return r
}

// create makes a file whose name does not exist. again: it does by now.
func (b *broker) create(n *notification, t target, s spot, dir int32, p string, flags int, mode uint32) (r reply, again bool) {
	if s.parent < 0 || s.name == "" || p[len(p)-1] == '/' {
		s.close()
		return reply{e: unix.EISDIR}, false
	}
	real, e := s.path()
	if e != 0 {
		s.close()
		return reply{e: e}, false
	}
	sub := subject{spot: s, real: real, find: b.judge.write(real, false)}
	sub.find = b.asGit(sub.find, &s, real)
	if sub.find.Outside {
		if out, hreal, ok := b.outside(t, dir, p, true); ok && hreal == real {
			s.close()
			if out.obj >= 0 {
				return b.openOutside(n, t, out, hreal, p, flags, mode), false
			}
			sub.spot, sub.outside = out, true
		}
	}
	r = b.settle(n, t, OpWrite, p, []subject{sub}, func() reply {
		if !b.still(&sub) {
			again = true
			return reply{e: unix.EACCES}
		}
		fd, err := unix.Openat(sub.parent, sub.name, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NOCTTY, mode&0o7777&^t.umask())
		if err == unix.ELOOP {
			again = true
			return reply{e: unix.EACCES}
		}
		if err != nil {
			return reply{e: errno(err)}
		}
		return injected(fd, flags)
	})
	return r, again && r.later == nil
}

// reopen opens an existing object of the job's tree.
func (b *broker) reopen(n *notification, t target, s spot, p string, flags int) reply {
	if flags&(unix.O_CREAT|unix.O_EXCL) == unix.O_CREAT|unix.O_EXCL {
		s.close()
		return reply{e: unix.EEXIST}
	}
	if s.isLink() {
		s.close()
		return reply{e: unix.ELOOP}
	}
	kind := s.st.Mode & unix.S_IFMT
	if flags&unix.O_DIRECTORY != 0 && kind != unix.S_IFDIR {
		s.close()
		return reply{e: unix.ENOTDIR}
	}
	flags = flags&^(unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_DIRECTORY) | unix.O_NOCTTY
	if kind == unix.S_IFCHR && s.st.Rdev == unix.Mkdev(5, 0) {
		s.close()
		return b.openTerminal(t, flags)
	}
	if s.magic && !b.inTree(&s) {
		defer s.close()
		return b.reopenOwn(t, &s, flags)
	}
	real, e := s.path()
	if e != 0 {
		s.close()
		return reply{e: e}
	}
	if b.foreign(t, real) {
		s.close()
		return reply{e: unix.EACCES}
	}
	sub := subject{spot: s, real: real}
	op := OpRead
	sub.find = b.judge.read(real)
	if wantsWrite(flags) {
		op = OpWrite
		sub.writes(b.judge.write(real, false), flags)
		sub.find = b.asGit(sub.find, &s, real)
	}
	if b.others(t, &s) {
		sub.find = finding{Firm: true, Rule: "somebody else's terminal"}
	}
	if kind == unix.S_IFDIR && sub.find.Outside && b.own && !wantsWrite(flags) {
		sub.find = finding{OK: true} // names in the job's own tree
	}
	if kind == unix.S_IFIFO && sub.find.OK {
		return reply{later: func() reply {
			defer sub.close()
			return b.openPipe(n, &sub.spot, flags)
		}}
	}
	return b.settle(n, t, op, p, []subject{sub}, func() reply {
		if kind == unix.S_IFIFO {
			return reply{later: func() reply { return b.openPipe(n, &sub.spot, flags) }}
		}
		r := openThrough(sub.obj, flags)
		if r.fd > 0 && !b.own && sub.isMaster() {
			b.ptys.opened(r.fd)
		}
		return r
	})
}

// writes puts what is found about writing in front of what is found about reading,
// which counts as far as the descriptor can read.
func (s *subject) writes(f finding, flags int) {
	reads := s.find
	if s.find = f; flags&unix.O_ACCMODE != unix.O_WRONLY {
		s.and(reads)
	}
}

func openThrough(obj, flags int) reply {
	fd, err := unix.Open(fdPath(obj), flags|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return reply{e: errno(err)}
	}
	return injected(fd, flags)
}

// inTree says whether what a link of /proc leads to stands in the job's tree
// under the name that the kernel gives.
func (b *broker) inTree(s *spot) bool {
	p, e := pathOf(s.obj)
	if e != 0 || p == "" || p[0] != '/' {
		return false
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(b.root, p, &how)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Dev == s.st.Dev && st.Ino == s.st.Ino
}

// reopenOwn opens what one of the target's own descriptors leads to and no
// name does: a pipe, a terminal, a file that was handed in. A file or a pipe,
// which others may hold too, is opened for no more than the descriptor was.
func (b *broker) reopenOwn(t target, s *spot, flags int) reply {
	if kind := s.st.Mode & unix.S_IFMT; kind == unix.S_IFREG || kind == unix.S_IFIFO {
		have, want := t.fdMode(s.fdName), flags&unix.O_ACCMODE
		if have < 0 || have != unix.O_RDWR && have != want || want == unix.O_RDONLY && flags&unix.O_TRUNC != 0 {
			return reply{e: unix.EACCES}
		}
	}
	if s.st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return reply{e: unix.EACCES}
	}
	return openThrough(s.obj, flags|unix.O_NONBLOCK).blocking(flags)
}

// blocking takes O_NONBLOCK off again where the program did not ask for it.
func (r reply) blocking(flags int) reply {
	if r.fd > 0 && flags&unix.O_NONBLOCK == 0 {
		if err := unix.SetNonblock(r.fd, false); err != nil {
			unix.Close(r.fd)
			return reply{e: errno(err)}
		}
	}
	return r
}

// openTerminal gives the target its own controlling terminal: /dev/tty opened
// here would be the supervisor's.
func (b *broker) openTerminal(t target, flags int) reply {
	name := t.terminal()
	if name == "" {
		return reply{e: unix.ENXIO}
	}
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC | unix.O_NOCTTY), Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS}
	how.Flags &^= unix.O_TRUNC | unix.O_APPEND
	fd, err := unix.Openat2(b.root, name, &how)
	if err != nil {
		return reply{e: errno(err)}
	}
	return injected(fd, flags)
}

// openTemporary makes a file without a name.
func (b *broker) openTemporary(n *notification, t target, dir int32, p string, flags int, mode uint32) reply {
	s, e := t.resolve(dir, p, true)
	if e != 0 {
		return reply{e: e}
	}
	if !s.isDir() {
		s.close()
		return reply{e: unix.ENOTDIR}
	}
	real, e := s.path()
	if e != 0 {
		s.close()
		return reply{e: e}
	}
	sub := subject{spot: s, real: real, find: b.judge.write(real, false)}
	return b.settle(n, t, OpWrite, p, []subject{sub}, func() reply {
		fd, err := unix.Openat(sub.obj, ".", flags|unix.O_CLOEXEC, mode&0o7777&^t.umask())
		if err != nil {
			return reply{e: errno(err)}
		}
		return injected(fd, flags)
	})
}

// openPipe opens a named pipe, which can wait for its other end: until then
// the supervisor looks from time to time whether the caller is still there.
func (b *broker) openPipe(n *notification, s *spot, flags int) reply {
	if flags&unix.O_NONBLOCK != 0 || flags&unix.O_ACCMODE == unix.O_RDWR {
		return openThrough(s.obj, flags)
	}
	got := make(chan reply, 1)
	go func() {
		if becomeWorker() != nil {
			got <- reply{e: unix.EACCES}
			return
		}
		got <- openThrough(s.obj, flags)
	}()
	for {
		select {
		case r := <-got:
			return r
		case <-b.tick():
			if notifyValid(b.fd, n.ID) {
				continue
			}
			// Both ends at once never wait, and wake whoever does.
			wake, err := unix.Open(fdPath(s.obj), unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			r := <-got
			if err == nil {
				unix.Close(wake)
			}
			if r.fd > 0 {
				unix.Close(r.fd)
			}
			return reply{e: unix.EINTR}
		}
	}
}

// openOutside asks about an object outside of the job's tree and opens it.
// Only ordinary files can be handed in, and listings of folders.
func (b *broker) openOutside(n *notification, t target, s spot, real, name string, flags int, mode uint32) reply {
	sub := subject{spot: s, real: real, outside: true, find: b.judge.read(real)}
	op := OpRead
	if wantsWrite(flags) || s.obj < 0 {
		op = OpWrite
		if !sub.find.Firm {
			sub.writes(b.judge.write(real, false), flags)
		}
	}
	if s.obj < 0 {
		if flags&unix.O_CREAT == 0 {
			s.close()
			return reply{e: unix.ENOENT}
		}
		return b.settle(n, t, op, name, []subject{sub}, func() reply {
			fd, err := unix.Openat(sub.parent, sub.name, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NOCTTY, mode&0o777&^t.umask())
			if err != nil {
				return reply{e: errno(err)}
			}
			return injected(fd, flags)
		})
	}
	if b.asks.closed() && !sub.find.OK && op == OpRead && b.judge.hidden(real) {
		s.close()
		return reply{e: unix.ENOENT}
	}
	if s.isDir() && op == OpRead {
		return b.openFolder(n, t, s, real, name, flags)
	}
	if s.st.Mode&unix.S_IFMT != unix.S_IFREG {
		e := b.refuse(b.access(t, op, real, name, ""), false)
		s.close()
		return reply{e: e}
	}
	flags = flags&^(unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW) | unix.O_NOCTTY
	return b.settle(n, t, op, name, []subject{sub}, func() reply { return openThrough(sub.obj, flags) })
}
