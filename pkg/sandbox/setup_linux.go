//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"sort"

	"golang.org/x/sys/unix"
)

// setup is what every job has. It is played while it is still decided what is
// to run.
type setup struct {
	made    map[string]bool
	steps   []step
	covers  covers
	ruleset cell
	grants  []grant
	procfd  cell // the descriptors of process 1, by number
	pass    [3]cell
}

// numbered is the descriptor under which process 1 finds a file again by name.
const numbered = 900

// basePlan is what the plans of all jobs begin with.
func basePlan() plan {
	return forRoot(planOf(&Spec{Dir: "/"}))
}

// forRoot takes back what a job of root must not have: what belongs to root
// below /proc steers the whole machine.
func forRoot(p plan) plan {
	if os.Geteuid() != 0 {
		return p
	}
	for i, g := range p.Grants {
		if g.Path == "/proc" {
			p.Grants[i].Access &^= canWrite
		}
	}
	return p
}

// setUp writes the second part.
func (s *script) setUp(control int, fence bool) setup {
	base := basePlan()
	u := setup{made: map[string]bool{}, steps: base.Steps, grants: base.Grants}
	s.loopback()
	u.procfd = cell(s.cell())
	s.do("/proc", unix.SYS_OPENAT, unix.AT_FDCWD, "/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0).into(u.procfd)
	s.do("make the mounts private", unix.SYS_MOUNT, "", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	holds := s.holds(base.Steps)
	u.covers = s.raise()
	t := tree{s, u.made, u.covers}
	_ = t.place(base.Steps, holds) // the steps are ours
	if fence {
		u.ruleset = s.fence(landlockVersion())
		s.rules(u.ruleset, base.Grants, raised)
	}
	s.dropBounds()
	u.pass = s.takeStreams(control)
	return u
}

// closeBut closes every descriptor from a number on, but for some.
func (s *script) closeBut(from int, keep ...int) {
	sort.Ints(keep)
	for _, fd := range keep {
		if fd > from {
			s.do("descriptors", unix.SYS_CLOSE_RANGE, from, fd-1, 0)
		}
		from = fd + 1
	}
	s.do("descriptors", unix.SYS_CLOSE_RANGE, from, int(^uint32(0)), 0)
}

// loopback makes 127.0.0.1 and ::1 work in the new network namespace.
func (s *script) loopback() {
	sock := cell(s.cell())
	req := s.take(40) // struct ifreq
	if !s.full {
		copy(s.mem[req:], "lo")
	}
	s.put32(req+16, unix.IFF_UP|unix.IFF_RUNNING)
	s.do("loopback", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0).into(sock)
	s.do("loopback", unix.SYS_IOCTL, sock, unix.SIOCSIFFLAGS, s.at(req))
	s.do("loopback", unix.SYS_CLOSE, sock)
}

// takeStreams waits for the order to go on, which brings the job's streams.
func (s *script) takeStreams(control int) (fds [3]cell) {
	space := s.take(unix.CmsgSpace(3 * 4))
	s.do("the order", unix.SYS_RECVMSG, control, s.message(s.take(16), 16, space, unix.CmsgSpace(3*4)), unix.MSG_CMSG_CLOEXEC).least = 1
	for i := range fds {
		at := space + uintptr(unix.CmsgLen(0)) + 4*uintptr(i)
		s.put32(at, ^uint32(0))
		fds[i] = cell(at)
	}
	return fds
}

// message is the address of a struct msghdr.
func (s *script) message(text uintptr, n int, space uintptr, room int) uintptr {
	iov, m := s.take(16), s.take(56)
	s.put64(iov, uint64(s.at(text)))
	s.put64(iov+8, uint64(n))
	s.put64(m+16, uint64(s.at(iov)))
	s.put64(m+24, 1)
	s.put64(m+32, uint64(s.at(space)))
	s.put64(m+40, uint64(room))
	return s.at(m)
}

// hand sends a record with descriptors to the supervisor.
func (s *script) hand(says string, sock int, is uint32, fds ...cell) {
	rec := s.take(16)
	s.put32(rec, is)
	n := len(fds) * 4
	space := s.take(unix.CmsgSpace(n))
	s.put64(space, uint64(unix.CmsgLen(n)))
	s.put32(space+8, unix.SOL_SOCKET)
	s.put32(space+12, unix.SCM_RIGHTS)
	for i, fd := range fds {
		// The numbers are known when the script is played.
		s.do(says, playCopy, uintptr(fd), space+uintptr(unix.CmsgLen(0))+4*uintptr(i))
	}
	s.do(says, unix.SYS_SENDMSG, sock, s.message(rec, 16, space, unix.CmsgSpace(n)), unix.MSG_NOSIGNAL)
}

// fence creates a Landlock ruleset.
func (s *script) fence(abi int) cell {
	f := fenceFor(abi, true)
	attr, fd := s.take(24), cell(s.cell())
	s.put64(attr, f.Files)
	s.put64(attr+8, f.Net)
	s.put64(attr+16, f.Scoped)
	s.do("landlock", unix.SYS_LANDLOCK_CREATE_RULESET, s.at(attr), 24, 0).into(fd)
	return fd
}

// rules adds grants to a ruleset. Paths that do not exist have nothing to
// grant; any other failure is an error.
func (s *script) rules(ruleset cell, grants []grant, below string) {
	f := fenceFor(landlockVersion(), true)
	for _, g := range grants {
		allow := f.rights(g, true)
		seen := s.look(g.Path)
		if g.Private || g.Access&canList != 0 {
			seen.mode = unix.S_IFDIR // of the job's own tree
		}
		switch seen.mode {
		case 0, unix.S_IFLNK:
			continue
		case unix.S_IFDIR:
		default:
			allow &= llFile
		}
		if allow == 0 {
			continue
		}
		attr := s.take(16) // struct landlock_path_beneath_attr
		fd := cell(attr + 8)
		s.put64(attr, allow)
		s.do("landlock: "+g.Path, unix.SYS_OPENAT, unix.AT_FDCWD, below+g.Path, unix.O_PATH|unix.O_CLOEXEC, 0).into(fd).tolerate(mayMiss, 2)
		s.do("landlock: "+g.Path, unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, s.at(attr), 0)
		s.do("landlock: "+g.Path, unix.SYS_CLOSE, fd)
	}
}
