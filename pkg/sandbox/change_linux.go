//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mayi/internal/proc"
)

// tick paces the look at whether a caller is still there.
func (b *broker) tick() <-chan time.Time { return time.After(50 * time.Millisecond) }

// change carries out a change of an existing object's metadata or length.
func (b *broker) change(n *notification, t target, f form, dir int32, p string, flags uint64) reply {
	follow := flags&unix.AT_SYMLINK_NOFOLLOW == 0
	var s spot
	var e unix.Errno
	if p == "" && flags&unix.AT_EMPTY_PATH != 0 {
		return b.onDescriptor(n, t, f)
	}
	s, e = t.resolve(dir, p, follow)
	if e == unix.ENOENT || e == 0 && s.obj < 0 {
		if e == 0 {
			s.close()
		}
		if out, real, ok := b.outside(t, dir, p, follow); ok && out.obj >= 0 {
			return b.apply(n, t, f, subject{spot: out, real: real, outside: true, find: b.judge.write(real, false)}, p)
		} else if ok {
			out.close()
		}
		return reply{e: unix.ENOENT}
	}
	if e != 0 {
		return reply{e: e}
	}
	return b.applyTo(n, t, f, s, p, -1)
}

// onDescriptor is a change through a descriptor of the target.
func (b *broker) onDescriptor(n *notification, t target, f form) reply {
	obj, e := t.object(int32(arg(n, f.dir)))
	if e != 0 {
		return reply{e: e}
	}
	s := spot{parent: -1, obj: obj, magic: true}
	if err := unix.Fstat(obj, &s.st); err != nil {
		s.close()
		return reply{e: errno(err)}
	}
	return b.applyTo(n, t, f, s, "", int32(arg(n, f.dir)))
}

// applyTo is a change of an object that was found by its name, or as the descriptor
// fd of the target; fd is -1 for the first.
func (b *broker) applyTo(n *notification, t target, f form, s spot, name string, fd int32) reply {
	real, e := s.path()
	if e != 0 {
		s.close()
		return reply{e: e}
	}
	if b.foreign(t, real) {
		s.close()
		return reply{e: unix.EACCES}
	}
	sub := subject{spot: s, real: real, find: b.judge.write(real, false)}
	if s.magic && !b.inTree(&s) {
		// What has no name is the job's own; a file that was handed in is not.
		sub.find = finding{OK: s.st.Nlink == 0 || !strings.HasPrefix(real, "/"), Outside: true, Firm: true}
	}
	if fd >= 0 && sub.find.onlyAsked() && t.writes(fd, &s.st) {
		sub.find = finding{OK: true} // it was asked about when it was opened
	}
	return b.apply(n, t, f, sub, name)
}

// writes says whether the target may write to just this object through one of its
// descriptors.
func (t target) writes(fd int32, st *unix.Stat_t) bool {
	own, e := t.socket(fd)
	if e != 0 {
		return false
	}
	defer unix.Close(own)
	var now unix.Stat_t
	mode, err := unix.FcntlInt(uintptr(own), unix.F_GETFL, 0)
	if err != nil || unix.Fstat(own, &now) != nil || now.Dev != st.Dev || now.Ino != st.Ino {
		return false
	}
	return mode&unix.O_PATH == 0 && mode&unix.O_ACCMODE != unix.O_RDONLY
}

// apply reads the rest of the call and carries it out on the judged object.
func (b *broker) apply(n *notification, t target, f form, sub subject, name string) reply {
	use, e := b.changer(n, t, f, &sub)
	if e != 0 {
		sub.close()
		return reply{e: e}
	}
	return b.settle(n, t, OpWrite, name, []subject{sub}, use)
}

func (b *broker) changer(n *notification, t target, f form, s *subject) (func() reply, unix.Errno) {
	x, y := arg(n, f.a), arg(n, f.b)
	obj, file := s.obj, fdPath(s.obj)
	switch f.act {
	case actTruncate:
		if max := b.job.plan.Limits.FileSize; max > 0 && int64(x) > max {
			return nil, unix.EFBIG
		}
		return func() reply { return outcome(unix.Truncate(file, int64(x))) }, 0
	case actChmod:
		if s.isLink() {
			return nil, unix.EOPNOTSUPP
		}
		if x&unix.S_ISUID != 0 {
			return nil, unix.EPERM // as the filter has it where nobody is asked
		}
		return func() reply { return outcome(unix.Chmod(file, uint32(x)&0o7777)) }, 0
	case actChown:
		return func() reply {
			return outcome(unix.Fchownat(obj, "", int(int32(x)), int(int32(y)), unix.AT_EMPTY_PATH))
		}, 0
	case actTimes:
		ts, e := readTimes(t, f, x)
		if e != 0 {
			return nil, e
		}
		return func() reply { return outcome(utimes(obj, ts)) }, 0
	case actSetxattr:
		key, e := t.text(arg(n, f.path2))
		if e != 0 {
			return nil, e
		}
		if y > 64<<10 {
			return nil, unix.E2BIG
		}
		val, e := t.bytes(x, int(y))
		if e != 0 {
			return nil, e
		}
		flags := int(arg(n, f.flags))
		return func() reply { return outcome(unix.Setxattr(file, key, val, flags)) }, s.plainOnly()
	case actRemovexattr:
		key, e := t.text(arg(n, f.path2))
		if e != 0 {
			return nil, e
		}
		return func() reply { return outcome(unix.Removexattr(file, key)) }, s.plainOnly()
	}
	return nil, unix.EPERM
}

// plainOnly refuses attributes of links, which cannot be reached by descriptor.
func (s *spot) plainOnly() unix.Errno {
	if s.isLink() {
		return unix.EPERM
	}
	return 0
}

// readTimes gives two times in the form of utimensat; nil means now.
func readTimes(t target, f form, addr uint64) ([]unix.Timespec, unix.Errno) {
	if addr == 0 {
		return nil, 0
	}
	size := 32
	if f.times == timesOld {
		size = 16
	}
	raw, e := t.bytes(addr, size)
	if e != 0 {
		return nil, e
	}
	at := func(i int) int64 { return int64(binary.NativeEndian.Uint64(raw[8*i:])) }
	switch f.times {
	case timesOld:
		return []unix.Timespec{unix.NsecToTimespec(at(0) * 1e9), unix.NsecToTimespec(at(1) * 1e9)}, 0
	case timesVal:
		return []unix.Timespec{{Sec: at(0), Nsec: at(1) * 1000}, {Sec: at(2), Nsec: at(3) * 1000}}, 0
	}
	return []unix.Timespec{{Sec: at(0), Nsec: at(1)}, {Sec: at(2), Nsec: at(3)}}, 0
}

func utimes(obj int, ts []unix.Timespec) error {
	if ts == nil {
		now := unix.Timespec{Nsec: unix.UTIME_NOW}
		ts = []unix.Timespec{now, now}
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, fdPath(obj), ts, 0)
}

// terminal is the name of the target's controlling terminal in its own tree.
func (t target) terminal() string {
	p, err := proc.Read(t.pid)
	if err != nil {
		return ""
	}
	// As proc_pid_stat(5) packs the two.
	major, minor := p.Terminal>>8&0xfff, p.Terminal&0xff|p.Terminal>>12&0xfff00
	if major < 136 || major > 143 {
		return ""
	}
	return terminalName(major, minor)
}

func terminalName(major, minor uint32) string {
	return fmt.Sprintf("/dev/pts/%d", (major-136)<<20|minor)
}
