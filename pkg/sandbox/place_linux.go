//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"path"

	"golang.org/x/sys/unix"
)

// A program outside is run after a yes by putting it into the job's tree, under
// its own name and read-only, before the call goes on: the kernel then starts
// that very file. Nothing is loosened for it: what is in the tree's own root may
// be run, and only a visitor of the supervisor's can put something there. To open
// it, and to run it once more, are questions of their own.

var errNoPlace = errors.New("its name is taken in the job's tree")

// start asks about the programs that stand against an execution and puts them
// into the job's tree, until none does.
func (b *broker) start(n *notification, t target, dir int32, p string, flags int, first *subject) reply {
	fine := map[string]bool{}
	for s := first; s != nil; s = b.runs(t, dir, p, flags, fine) {
		e := b.mayStart(n, t, s)
		fine[s.real] = true
		s.close()
		if e != 0 {
			return reply{e: e}
		}
		if len(fine) > maxInterpreters {
			return reply{e: unix.ELOOP}
		}
	}
	if !notifyValid(b.fd, n.ID) {
		return reply{e: unix.EINTR}
	}
	return reply{pass: true}
}

// mayStart asks about one program and puts it into its place.
func (b *broker) mayStart(n *notification, t target, s *subject) unix.Errno {
	a := s.asks(s.find, b.access(t, OpRun, s.real, s.named, ""))
	if !b.wait(b.asks.ctx, n, a) {
		return unix.EACCES
	}
	b.names.Lock()
	defer b.names.Unlock()
	if now, e := s.path(); e != 0 || now != s.real {
		return unix.EACCES
	}
	if s.outside {
		if err := b.place(t, s); err != nil {
			v := violation(a, false)
			v.Text += "; it could not be put into the job's tree (" + err.Error() + ")"
			b.job.report(v)
			return unix.EACCES
		}
	}
	if interpreter(s.obj) != "" {
		b.asks.allow(Access{Op: OpRead, Path: s.real}) // a script is run by reading it
	}
	return 0
}

// place puts a program into the job's tree.
func (b *broker) place(t target, s *subject) error {
	file, ok := b.wayTo(s.real)
	if !ok {
		return errNoPlace
	}
	link := way{exists: true}
	if s.named != s.real {
		if link, ok = b.wayTo(s.named); !ok {
			return errNoPlace
		}
	}
	v, err := visiting(t)
	if err != nil {
		return err
	}
	defer v.close()
	v.do("a view of the machine", unix.SYS_UNSHARE, unix.CLONE_NEWNS)
	v.do("a view of the machine", unix.SYS_MOUNT, "", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	was, is, fd := v.take(256), v.take(256), cell(v.cell()) // struct stat: device and inode come first
	v.do("the program", unix.SYS_OPEN_TREE, unix.AT_FDCWD, s.real, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_SYMLINK_NOFOLLOW).into(fd)
	v.do("the program", unix.SYS_FSTAT, s.obj, v.at(was))
	v.do("the program", unix.SYS_FSTAT, fd, v.at(is))
	v.do("it was replaced", playSame, was, is)
	v.do("it was replaced", playSame, was+8, is+8)
	v.attr("the program", fd, "", unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	v.enter()
	v.make(s.real, file, "")
	v.make(s.named, link, s.real)
	v.do("the program's place", unix.SYS_MOVE_MOUNT, fd, "", unix.AT_FDCWD, s.real, unix.MOVE_MOUNT_F_EMPTY_PATH)
	if err := v.start(); err != nil {
		return err
	}
	if err := v.end(false); err != nil {
		return err
	}
	b.led(append(file.missing, link.missing...))
	return nil
}

// way is how a name comes into the job's tree.
type way struct {
	exists  bool
	missing []string // the folders above it
	inRoot  bool
}

// wayTo looks how a name can come into the job's tree: into the tree's own root
// or into a private folder, never into what is bound from outside.
func (b *broker) wayTo(p string) (way, bool) {
	fd, err := unix.Openat2(b.root, p, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_IN_ROOT})
	if err == nil {
		unix.Close(fd)
		return way{exists: true}, true
	}
	dir := path.Dir(p)
	ok, missing, inRoot := b.placeFor(dir)
	if g := b.judge.cover(dir); !inRoot && (g == nil || !g.Private) {
		ok = false
	}
	return way{missing: missing, inRoot: inRoot}, ok
}

// make puts a name into the tree: a link where a text is given, else a file to
// mount over.
func (v *visit) make(p string, w way, text string) {
	const says = "the program's place"
	if w.exists {
		return
	}
	root, name := any(unix.AT_FDCWD), p
	if w.inRoot {
		root, name = v.writable(), p[1:]
	}
	v.folders(w.missing, w.inRoot)
	if text != "" {
		v.do(says, unix.SYS_SYMLINKAT, text, root, name).tolerate(mayExist, 0)
		return
	}
	v.do(says, unix.SYS_MKNODAT, root, name, unix.S_IFREG|0o644, 0).tolerate(mayExist, 0)
}
