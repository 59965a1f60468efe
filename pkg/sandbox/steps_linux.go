//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// The job's file tree is built on a fresh tmpfs, out of detached copies of
// what is granted, and then becomes the root; the old root is dropped.

// raised is where the new root is put together: a folder that every machine
// has and that nothing is granted from.
const raised = "/proc"

// Sources for what is closed, made in the new root and mounted over it.
const (
	emptyFolder = "/.closed"
	emptyFile   = "/.closed-file"
	oldFolder   = "/.old" // where the old root is, under a cover, until it is dropped
)

// looked is what the supervisor sees at a path, before the tree is made.
type looked struct {
	mode uint32 // S_IFMT's bits, 0 where there is nothing
	link string
}

// look is what lies at a path; a part of a script looks once.
func (s *script) look(p string) looked {
	l, ok := s.seen[p]
	if !ok {
		if s.seen == nil {
			s.seen = make(map[string]looked, 64)
		}
		l = look(p)
		s.seen[p] = l
	}
	return l
}

func look(p string) looked {
	var st unix.Stat_t
	if unix.Lstat(p, &st) != nil {
		return looked{}
	}
	l := looked{mode: st.Mode & unix.S_IFMT}
	if l.mode == unix.S_IFLNK {
		text, err := os.Readlink(p)
		if err != nil {
			return looked{}
		}
		l.link = text
	}
	return l
}

// covers are what is mounted over what is closed. They are held: where the
// whole root is granted it hides the names that they have.
type covers struct{ folder, file cell }

// raise begins a new root. Sources that lie below the place have to be taken
// hold of before.
func (s *script) raise() covers {
	s.do("new root", unix.SYS_MOUNT, "tmpfs", raised, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=4m")
	s.do("new root", unix.SYS_MKDIRAT, unix.AT_FDCWD, raised+emptyFolder, 0)
	s.do("new root", unix.SYS_MKNODAT, unix.AT_FDCWD, raised+emptyFile, unix.S_IFREG, 0)
	s.do("new root", unix.SYS_MKDIRAT, unix.AT_FDCWD, raised+oldFolder, 0o700)
	s.do("new root", unix.SYS_MKDIRAT, unix.AT_FDCWD, raised+oldFolder+"/root", 0o700)
	c := covers{cell(s.cell()), cell(s.cell())}
	s.do("new root", unix.SYS_OPENAT, unix.AT_FDCWD, raised+emptyFolder, unix.O_PATH|unix.O_CLOEXEC, 0).into(c.folder)
	s.do("new root", unix.SYS_OPENAT, unix.AT_FDCWD, raised+emptyFile, unix.O_PATH|unix.O_CLOEXEC, 0).into(c.file)
	return c
}

// enter makes the new root the root. The old one gets a place under a cover, so
// that no path leads to it, and is dropped later. own: the root is the job's
// own, and not somebody's with everything below it: that has no place for it.
func (s *script) enter(c covers, own bool) {
	const says = "pivot_root"
	s.do(says, unix.SYS_CHDIR, raised)
	if own {
		old := cell(s.cell())
		s.do(says, unix.SYS_OPENAT, unix.AT_FDCWD, "/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0).into(old)
		s.do(says, unix.SYS_DUP3, old, oldRoot, unix.O_CLOEXEC)
		s.do(says, unix.SYS_CLOSE, old)
		s.do(says, unix.SYS_PIVOT_ROOT, ".", "."+oldFolder+"/root")
		s.do(says, unix.SYS_CHDIR, "/")
		s.mounted(says, s.cover(says, c.folder), oldFolder)
	} else {
		s.do(says, unix.SYS_PIVOT_ROOT, ".", ".")
		s.do("drop the old root", unix.SYS_UMOUNT2, ".", unix.MNT_DETACH)
		s.do(says, unix.SYS_CHDIR, "/")
	}
	s.attr("new root", unix.AT_FDCWD, "/", 0, unix.MOUNT_ATTR_RDONLY)
}

// oldRoot is the number of process 1's descriptor of the old root.
const oldRoot = numbered + 1

// drop takes the old root away. The kernel waits for all processors then, so
// the job's first process goes on meanwhile.
func (s *script) drop() {
	s.do("drop the old root", unix.SYS_UMOUNT2, fmt.Sprintf("/proc/self/fd/%d", oldRoot), unix.MNT_DETACH)
}

func (s *script) attr(says string, dir any, name string, flags int, set uint64) *call {
	p := s.take(32) // struct mount_attr
	s.put64(p, set)
	return s.do(says, unix.SYS_MOUNT_SETATTR, dir, name, flags, s.at(p), 32)
}

// hold takes a detached copy of a source; skip calls are passed over where it
// is gone by then.
func (s *script) hold(says, from string, set uint64, skip int) cell {
	fd := cell(s.cell())
	s.do(says, unix.SYS_OPEN_TREE, unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW).
		into(fd).tolerate(mayMiss, 1+skip)
	s.attr(says, fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, set|unix.MOUNT_ATTR_NOSUID)
	return fd
}

// cover takes a copy of what is mounted over something closed.
func (s *script) cover(says string, from cell) cell {
	fd := cell(s.cell())
	s.do(says, unix.SYS_OPEN_TREE, from, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH).into(fd)
	s.attr(says, fd, "", unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID)
	return fd
}

// mounted puts a held copy in its place and lets go of it.
func (s *script) mounted(says string, fd cell, to string) {
	s.do(says, unix.SYS_MOVE_MOUNT, fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH)
	s.do(says, unix.SYS_CLOSE, fd).tolerate(mayFail, 0)
}

// bound is a bind whose source is held.
type bound struct {
	fd   cell
	seen looked
}

// holds takes hold of every source of the steps.
func (s *script) holds(steps []step) []bound {
	out := make([]bound, len(steps))
	for i, st := range steps {
		if st.Do != doBind {
			continue
		}
		seen := s.look(st.source())
		out[i].seen = seen
		var set uint64
		switch seen.mode {
		case unix.S_IFDIR, unix.S_IFREG:
			set = unix.MOUNT_ATTR_NODEV
		case unix.S_IFCHR:
		default:
			continue // nothing, a link, or a socket or a pipe of somebody outside
		}
		if !st.Write {
			set |= unix.MOUNT_ATTR_RDONLY
		}
		out[i].fd = s.hold("bind "+st.Path, st.source(), set, 0)
	}
	return out
}

func (s *step) source() string {
	if s.From != "" {
		return s.From
	}
	return s.Path
}

// tree knows which folders of the new root are there.
type tree struct {
	*script
	made map[string]bool
	covers
}

// place puts every step in its place, parents first.
func (t tree) place(steps []step, holds []bound) error {
	for i, st := range steps {
		if err := t.one(st, holds[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t tree) one(st step, b bound) error {
	to, says := raised+st.Path, st.Do+" "+st.Path
	switch st.Do {
	case doBind:
		switch {
		case b.seen.mode == unix.S_IFLNK:
			t.link(says, b.seen.link, st.Path)
		case b.fd != 0:
			if b.seen.mode == unix.S_IFDIR {
				t.folder(says, st.Path)
			} else {
				t.folder(says, path.Dir(st.Path))
				t.do(says, unix.SYS_MKNODAT, unix.AT_FDCWD, to, unix.S_IFREG|0o644, 0).tolerate(mayExist, 0)
			}
			t.mounted(says, b.fd, to)
		}
	case doTmp:
		t.folder(says, st.Path)
		mode := "1777"
		if st.Path == "/dev" {
			mode = "755"
		}
		t.do(says, unix.SYS_MOUNT, "tmpfs", to, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode="+mode+",size="+strconv.FormatInt(st.Size, 10))
	case doProc:
		t.folder(says, st.Path)
		t.do(says, unix.SYS_MOUNT, "proc", to, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	case doPts:
		t.folder(says, st.Path)
		t.do(says, unix.SYS_MOUNT, "devpts", to, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	case doLink:
		t.link(says, st.From, st.Path)
	case doEmpty, doKeep:
		t.closed(says, st, to)
	default:
		return fmt.Errorf("sandbox: %s: unknown step", says)
	}
	return nil
}

// closed mounts something over a name, or the name itself read-only. What is
// not there needs nothing, and what a link leads to is judged where it lies.
func (t tree) closed(says string, st step, to string) {
	var fd cell
	switch mode := t.look(st.Path).mode; {
	case mode == 0, mode == unix.S_IFLNK:
		return
	case st.Do == doKeep && mode != unix.S_IFDIR && mode != unix.S_IFREG:
		return
	case st.Do == doKeep:
		fd = t.hold(says, to, unix.MOUNT_ATTR_RDONLY, 2)
	case mode == unix.S_IFDIR:
		fd = t.cover(says, t.covers.folder)
	default:
		fd = t.cover(says, t.covers.file)
	}
	t.do(says, unix.SYS_MOVE_MOUNT, fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH).tolerate(mayMiss, 0)
	t.do(says, unix.SYS_CLOSE, fd).tolerate(mayFail, 0)
}

func (t tree) link(says, text, p string) {
	t.folder(says, path.Dir(p))
	t.do(says, unix.SYS_SYMLINKAT, text, unix.AT_FDCWD, raised+p).tolerate(mayExist, 0)
}

// folder makes a folder and those above it. Inside what is bound they are
// there already, as what is bound at a path is the same thing.
func (t tree) folder(says, p string) {
	if p == "/" || t.made[p] {
		return
	}
	t.made[p] = true
	t.folder(says, path.Dir(p))
	t.do(says, unix.SYS_MKDIRAT, unix.AT_FDCWD, raised+p, 0o755).tolerate(mayExist, 0)
}
