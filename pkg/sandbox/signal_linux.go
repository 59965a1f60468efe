//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strconv"

	"golang.org/x/sys/unix"

	"mayi/internal/proc"
)

// Landlock keeps a job's signals to itself from version 6 on. Before, where there
// is no pid namespace either, each is asked about: a job could end its warden.
// Whom a signal is for stands in registers, so that what is judged is what is
// done; with the supervisor gone, none is sent any more.

// signalBlocks close the ways to send a signal that are not asked about.
func signalBlocks() []block {
	no := fail(unix.EPERM)
	owner := []unix.SockFilter{argLow(1)}
	for _, c := range []uint32{0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */} {
		owner = append(owner, equals(c), no)
	}
	return []block{
		{unix.SYS_PIDFD_SEND_SIGNAL, []unix.SockFilter{fail(unix.ENOSYS)}},
		{unix.SYS_FCNTL, []unix.SockFilter{argLow(1), equals(unix.F_SETOWN), no, equals(unix.F_SETOWN_EX), no, pass()}},
		{unix.SYS_IOCTL, append(owner, ioctlBody()...)},
	}
}

// signal lets a signal go on that is for the job's own processes.
func (b *broker) signal(n *notification, t target, f form) reply {
	to := int(int32(arg(n, f.a)))
	no := reply{e: unix.EPERM}
	switch {
	case to == 0: // the caller's process group, which is the job's
		return reply{pass: true}
	case to == -1:
		return no
	case to > 0 && !b.ours(to), f.b != 0 && !b.ours(int(int32(arg(n, f.b)))):
		return no
	case to < 0 && !b.oursAll(-to):
		return no
	}
	return reply{pass: true}
}

// ours says whether a process or thread is one of the job's. One that is gone is
// nobody's, and the kernel may say so.
func (b *broker) ours(pid int) bool {
	id := target{pid: pid}.status("Tgid")[0]
	if id == "" {
		return true
	}
	at, err := strconv.Atoi(id)
	if err != nil || at == b.helper() {
		return false
	}
	for range 1 << 16 {
		if at <= 1 {
			return false
		}
		if at, err = strconv.Atoi(target{pid: at}.status("PPid")[0]); err != nil {
			return false
		}
		if at == b.job.helper.pid {
			return true
		}
	}
	return false
}

// helper is the helper's number: the program that it started has it as parent.
func (b *broker) helper() int {
	b.job.mu.Lock()
	leader := b.job.leader
	b.job.mu.Unlock()
	if b.kin == 0 && leader > 0 {
		b.kin, _ = strconv.Atoi(target{pid: leader}.status("PPid")[0])
	}
	return b.kin
}

// oursAll says whether a process group is the job's.
func (b *broker) oursAll(group int) bool {
	all, err := proc.All()
	if err != nil {
		return false
	}
	for _, p := range all {
		if p.Group == group && !b.ours(p.PID) {
			return false
		}
	}
	return true
}
