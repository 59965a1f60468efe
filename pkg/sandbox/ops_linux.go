//go:build linux && (amd64 || arm64)

package sandbox

import (
	"golang.org/x/sys/unix"
)

// do works out one call. Everything that the call says is read once, here;
// what is then judged and used are descriptors.
func (b *broker) do(n *notification, f form) reply {
	t := target{pid: int(n.Pid), root: b.root, lists: &b.lists}
	switch f.act {
	case actConnect:
		return b.connect(n, t)
	case actSignal:
		return b.signal(n, t, f)
	case actSegment:
		return b.sharedMemory(arg(n, f.dir), arg(n, f.a), arg(n, f.flags))
	case actFork:
		// Without a supervisor the kernel refuses it by itself.
		if b.job.ending.Load() {
			return reply{e: unix.EAGAIN}
		}
		return reply{pass: true}
	}
	if f.fd {
		return b.onDescriptor(n, t, f)
	}
	flags := f.fixed
	if f.flags != 0 && f.act != actSetxattr {
		flags |= uint64(uint32(arg(n, f.flags)))
	}
	dir := dirOf(n, f.dir)
	addr := arg(n, f.path)
	if addr == 0 && f.act == actTimes && f.dir != 0 {
		return b.onDescriptor(n, t, f) // futimens
	}
	p, e := t.text(addr)
	if e != 0 {
		// The helper, which starts the program, lets nobody look into it.
		return reply{e: e, pass: f.act == actExec && b.job.starting()}
	}
	// The memory was the caller's only if the caller is still there.
	if !notifyValid(b.fd, n.ID) {
		return reply{e: unix.EINTR}
	}
	switch f.act {
	case actOpen:
		return b.open(n, t, dir, p, int(flags), uint32(arg(n, f.a)))
	case actRename, actLink:
		p2, e := t.text(arg(n, f.path2))
		if e != 0 {
			return reply{e: e}
		}
		if f.act == actLink {
			return b.link(n, t, dir, p, dirOf(n, f.dir2), p2, int(flags))
		}
		return b.rename(n, t, dir, p, dirOf(n, f.dir2), p2, uint(flags))
	case actSymlink:
		text, e := t.text(arg(n, f.path2))
		if e != 0 {
			return reply{e: e}
		}
		return b.make(n, t, dir, p, true, func(parent int, name string) error { return unix.Symlinkat(text, parent, name) })
	case actMkdir:
		mode := uint32(arg(n, f.a))
		return b.make(n, t, dir, p, false, func(parent int, name string) error {
			return unix.Mkdirat(parent, name, mode&^t.umask())
		})
	case actMknod:
		mode, dev := uint32(arg(n, f.a))&^unix.S_ISUID, int(arg(n, f.b))
		return b.make(n, t, dir, p, false, func(parent int, name string) error {
			return unix.Mknodat(parent, name, mode&^(t.umask()&0o777), dev)
		})
	case actExec:
		return b.exec(n, t, f, dir, p, int(flags))
	case actChdir:
		return b.withFolders(n, t, "", []string{p})
	case actUnlink:
		return b.unlink(n, t, dir, p, int(flags))
	}
	return b.change(n, t, f, dir, p, flags)
}

// subject is one name that a call would change: in the job's own tree, or,
// where a person may be asked, outside of it.
type subject struct {
	spot
	real    string
	named   string // of a program: the name under which it is looked for
	outside bool
	find    finding
	// also is asked about as well, where a rule says so.
	also finding
}

// and adds what else is found about the subject.
func (s *subject) and(f finding) {
	switch {
	case f.OK || s.find.Firm:
	case s.find.OK:
		s.find = f
	case f.Asks != "" && f.Asks != s.find.Asks:
		s.also = f
	}
}

// asks completes an access with what is found about the subject.
func (s *subject) asks(f finding, a Access) Access {
	a.Path, a.Rule, a.Asks = s.real, f.Rule, f.Asks
	if f.Reads && f.onlyAsked() && a.Op != OpRun {
		a.Op = OpRead
	}
	a.Folder = s.listed(a.Op)
	return a
}

// named resolves a name that is to be made, changed or removed, without
// following a link at the end, and judges it.
func (b *broker) named(t target, dir int32, p string, leads bool) (subject, unix.Errno) {
	p = trimSlashes(p)
	s, e := t.resolve(dir, p, false)
	if e == unix.ENOENT {
		if out, real, ok := b.outside(t, dir, p, false); ok {
			return subject{spot: out, real: real, outside: true, find: b.judge.write(real, leads || out.isDir() || out.isLink())}, 0
		}
	}
	if e != 0 {
		b.closed(t, dir, p, true, e)
		return subject{}, e
	}
	if s.parent < 0 || s.name == "" {
		s.close()
		return subject{}, unix.EBUSY // the root, or what a link of /proc leads to
	}
	real, e := s.path()
	if e != 0 {
		s.close()
		return subject{}, e
	}
	out := subject{spot: s, real: real}
	out.find = b.judge.write(real, leads || s.isDir() || s.isLink())
	out.find = b.asGit(out.find, &s, real)
	if out.find.Outside && s.obj < 0 && b.own {
		// A name of the job's skeleton: what is meant may exist outside.
		if h, hreal, ok := b.outside(t, dir, p, false); ok && hreal == real {
			s.close()
			out.spot, out.outside = h, true
		}
	}
	return out, 0
}

// listed says whether what is wanted of the object are the names in it.
func (s *subject) listed(op Op) bool { return op == OpRead && s.isDir() }

func trimSlashes(p string) string {
	for len(p) > 1 && p[len(p)-1] == '/' {
		p = p[:len(p)-1]
	}
	return p
}

// settle decides about a subject: do it now, ask first, or refuse. use must
// close nothing; the subjects are closed here.
func (b *broker) settle(n *notification, t target, op Op, name string, subjects []subject, use func() reply) reply {
	done := func() {
		for i := range subjects {
			subjects[i].close()
		}
	}
	var open *subject
	for i := range subjects {
		s := &subjects[i]
		if s.find.OK {
			continue
		}
		if s.find.Firm || b.asks.closed() {
			e := b.refuse(s.asks(s.find, b.access(t, op, s.real, name, "")), s.find.Quiet)
			done()
			return reply{e: e}
		}
		if open == nil {
			open = s
		}
	}
	if open == nil {
		defer done()
		b.names.Lock()
		defer b.names.Unlock()
		return use()
	}
	a := b.access(t, op, open.real, name, "")
	return reply{later: func() reply {
		defer done()
		for i := range subjects {
			s := &subjects[i]
			if s.find.OK {
				continue
			}
			if !b.wait(b.asks.ctx, n, s.asks(s.find, a)) || s.also.Asks != "" && !b.wait(b.asks.ctx, n, s.asks(s.also, a)) {
				return reply{e: unix.EACCES}
			}
			if b.own && !s.outside && s.find.Rule != "" {
				s.lift()
			}
		}
		r := b.carryOut(subjects, use)
		if r.later != nil {
			r = r.later() // what can wait does not hold up the names
		}
		return r
	}}
}

// carryOut does what was asked about, if it is still the same.
func (b *broker) carryOut(subjects []subject, use func() reply) reply {
	b.names.Lock()
	defer b.names.Unlock()
	for i := range subjects {
		// The folder may have been moved while the person thought.
		if now, e := subjects[i].path(); e != 0 || now != subjects[i].real {
			return reply{e: unix.EACCES}
		}
	}
	return use()
}

func outcome(err error) reply {
	if err != nil {
		return reply{e: errno(err)}
	}
	return reply{}
}

// make puts a new name somewhere.
func (b *broker) make(n *notification, t target, dir int32, p string, leads bool, f func(parent int, name string) error) reply {
	s, e := b.named(t, dir, p, leads)
	if e != 0 {
		return reply{e: e}
	}
	if s.obj >= 0 {
		s.close()
		return reply{e: unix.EEXIST}
	}
	return b.settle(n, t, OpWrite, p, []subject{s}, b.byName(func() reply { return outcome(f(s.parent, s.name)) }, &s))
}

func (b *broker) unlink(n *notification, t target, dir int32, p string, flags int) reply {
	s, e := b.named(t, dir, p, false)
	if e != 0 {
		return reply{e: e}
	}
	if s.obj < 0 {
		s.close()
		return reply{e: unix.ENOENT}
	}
	if s.find.onlyAsked() {
		s.find = b.judge.write(s.real, false) // an empty folder that goes puts nothing where a rule means it
	}
	return b.settle(n, t, OpDelete, p, []subject{s}, b.byName(func() reply { return outcome(unix.Unlinkat(s.parent, s.name, flags)) }, &s))
}

func (b *broker) rename(n *notification, t target, dir int32, p string, dir2 int32, p2 string, flags uint) reply {
	from, e := b.named(t, dir, p, false)
	if e != 0 {
		return reply{e: e}
	}
	if from.obj < 0 {
		from.close()
		return reply{e: unix.ENOENT}
	}
	to, e := b.named(t, dir2, p2, from.isDir() || from.isLink())
	if e != 0 {
		from.close()
		return reply{e: e}
	}
	exchange := flags&unix.RENAME_EXCHANGE != 0
	if exchange && (to.isDir() || to.isLink()) && (from.find.OK || from.find.onlyAsked()) {
		from.find = b.judge.write(from.real, true) // what it is exchanged for comes to stand there
	}
	from.and(b.judge.moved(from.real, from.isDir()))
	if exchange {
		to.and(b.judge.moved(to.real, to.isDir()))
	}
	return b.settle(n, t, OpWrite, p2, []subject{from, to}, b.byName(func() reply {
		return outcome(unix.Renameat2(from.parent, from.name, to.parent, to.name, flags))
	}, &from, &to))
}

// link gives an object a second name: both the object and the name are
// judged, since the new name can be used for what the old one forbids.
func (b *broker) link(n *notification, t target, dir int32, p string, dir2 int32, p2 string, flags int) reply {
	var from subject
	var e unix.Errno
	switch {
	case p == "" && flags&unix.AT_EMPTY_PATH != 0:
		return reply{e: unix.ENOENT} // needs a capability
	case flags&unix.AT_SYMLINK_FOLLOW != 0:
		from.spot, e = t.resolve(dir, p, true)
		if e == 0 && from.obj >= 0 && !(from.magic && from.st.Nlink == 0) {
			from.real, e = from.path()
			from.find = b.judge.write(from.real, false)
		} else {
			from.find = finding{OK: e == 0}
		}
	default:
		from, e = b.named(t, dir, p, false)
	}
	if e != 0 {
		from.close()
		return reply{e: e}
	}
	if from.obj < 0 || from.outside {
		from.close()
		return reply{e: unix.ENOENT}
	}
	from.and(b.judge.moved(from.real, false))
	to, e := b.named(t, dir2, p2, false)
	if e != 0 {
		from.close()
		return reply{e: e}
	}
	if to.obj >= 0 || to.outside {
		from.close()
		to.close()
		return reply{e: unix.EEXIST}
	}
	return b.settle(n, t, OpWrite, p, []subject{from, to}, b.byName(func() reply {
		if from.isLink() {
			return outcome(unix.Linkat(from.parent, from.name, to.parent, to.name, 0))
		}
		return outcome(unix.Linkat(unix.AT_FDCWD, fdPath(from.obj), to.parent, to.name, unix.AT_SYMLINK_FOLLOW))
	}, &from, &to))
}
