//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// filterFor says what the static filter has to make up for.
type filterFor struct {
	// OwnNet: the job has a network namespace, so that UDP and the like reach
	// nobody. Without one they are refused.
	OwnNet bool
	// Notify: the calls about which the supervisor is asked. They are part of
	// the same program, since each further one costs every open.
	Notify notifyKind
	// First lets the job's first program begin unasked; see [noticeBlocks]. 0 is
	// nobody.
	First uint64
}

const (
	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	newTime = 0x80 // CLONE_NEWTIME; for clone(2) these bits hold the exit signal

	ioctlSetFlags   = 0x40086602 // FS_IOC_SETFLAGS
	ioctlSetFlags32 = 0x40046602
	ioctlSetXattr   = 0x401c5820 // FS_IOC_FSSETXATTR
	ioctlTiocsti    = 0x5412
	ioctlTioclinux  = 0x541c
	ioctlTiocsetd   = 0x5423
	ioctlTioccons   = 0x541d

	protoMPTCP = 262
)

// jobFilter refuses the system calls that lead round the other layers, and
// holds those that the supervisor carries out.
func jobFilter(f filterFor) []unix.SockFilter {
	blocks := noticeBlocks(f.Notify, f.OwnNet, f.First)
	if f.Notify == notifySignals {
		blocks = append(blocks, signalBlocks()...)
	}
	no, none := []unix.SockFilter{fail(unix.EPERM)}, []unix.SockFilter{fail(unix.ENOSYS)}
	blocks = slices.Grow(blocks, 100)
	for _, nr := range refused() {
		blocks = append(blocks, block{nr, no})
	}
	for _, nr := range absent() {
		blocks = append(blocks, block{nr, none})
	}
	blocks = append(blocks, modeBlocks()...)
	blocks = append(blocks,
		block{unix.SYS_CLONE, []unix.SockFilter{argLow(0), hasAny(newNamespaces), fail(unix.EPERM), pass()}},
		block{unix.SYS_UNSHARE, []unix.SockFilter{argLow(0), hasAny(newNamespaces | newTime), fail(unix.EPERM), pass()}},
		block{unix.SYS_IOCTL, ioctlBody()},
		block{unix.SYS_SOCKET, socketBody(f)},
	)
	if !f.OwnNet {
		// A packet that carries its own address needs no connect.
		blocks = append(blocks, block{unix.SYS_SENDTO, []unix.SockFilter{
			argHigh(4), equals(0), argLow(4), equals(0), pass(), fail(unix.EACCES)}})
		blocks = append(blocks, wardenBlocks()...)
		blocks = append(blocks, sharedBlocks()...)
	}
	return assemble(nativeArch, foreignNumbers, blocks)
}

// wardenBlocks keep a job from ending or starving processes of its user that are
// no part of it, by limits and priorities. It may set its own.
func wardenBlocks() []block {
	no := fail(unix.EPERM)
	own := []unix.SockFilter{argLow(0), equals(0), pass(), no}
	one := func(user uint32) []unix.SockFilter {
		return []unix.SockFilter{argLow(0), equals(user), no, argLow(1), equals(0), pass(), no}
	}
	return []block{
		{unix.SYS_PRLIMIT64, []unix.SockFilter{argLow(0), equals(0), pass(),
			argLow(2), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3}, argHigh(2), equals(0), pass(), no}},
		{unix.SYS_SETPRIORITY, one(unix.PRIO_USER)},
		{unix.SYS_IOPRIO_SET, one(3 /* IOPRIO_WHO_USER */)},
		{unix.SYS_SCHED_SETSCHEDULER, own}, {unix.SYS_SCHED_SETPARAM, own}, {unix.SYS_SCHED_SETATTR, own},
	}
}

// sharedBlocks close what a job without namespaces would share with others: a
// packet that opens a connection by itself or names a receiver, which is judged
// by nobody, and the memory and messages of the user's other programs.
func sharedBlocks() []block {
	no := fail(unix.EACCES)
	out := []block{
		{unix.SYS_SENDMSG, []unix.SockFilter{argLow(2), hasAny(unix.MSG_FASTOPEN), no, pass()}},
		{unix.SYS_SENDMMSG, []unix.SockFilter{argLow(3), hasAny(unix.MSG_FASTOPEN), no, pass()}},
		{unix.SYS_SOCKETPAIR, []unix.SockFilter{argLow(1), mask(0xf), equals(unix.SOCK_DGRAM), no, pass()}},
	}
	for _, nr := range []uint32{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
		unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	} {
		out = append(out, block{nr, []unix.SockFilter{no}})
	}
	return out
}

// modeBlocks refuse the bit that makes a program run as its owner: no job can
// gain by it, but whoever finds the file afterwards could.
func modeBlocks() []block {
	bit := func(arg int) []unix.SockFilter {
		return []unix.SockFilter{argLow(arg), hasAny(unix.S_ISUID), fail(unix.EPERM), pass()}
	}
	return append([]block{{unix.SYS_FCHMOD, bit(1)}, {unix.SYS_FCHMODAT, bit(2)}, {sysFchmodat2, bit(2)}}, oldModeBlocks(bit(1))...)
}

// refused are the calls that no job has a use for that a sandbox could allow.
func refused() []uint32 {
	return append([]uint32{
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PROCESS_MADVISE,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, sysOpenTreeAttr,
		unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_BPF, unix.SYS_USERFAULTFD,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEXEC_LOAD,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SYSLOG,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
		unix.SYS_PIDFD_GETFD, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
	}, refusedHere()...)
}

// absent are answered as an old kernel would, so that programs take the way
// that the filter can see: clone instead of clone3, openat instead of io_uring.
func absent() []uint32 {
	return []uint32{
		unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		sysStatmount, sysListmount, sysSetxattrat, sysRemovexattrat, sysFileSetattr,
	}
}

// These numbers are the same on every architecture.
const (
	sysSetxattrat    = 463
	sysRemovexattrat = 466
	sysStatmount     = 457
	sysListmount     = 458
	sysOpenTreeAttr  = 467
	sysFileSetattr   = 469
	sysFchmodat2     = 452
)

// ioctlBody looks at the lower half of the request only: the kernel does too.
func ioctlBody() []unix.SockFilter {
	body := []unix.SockFilter{argLow(1)}
	for _, c := range []uint32{ioctlTiocsti, ioctlTioclinux, ioctlTiocsetd, ioctlTioccons, ioctlSetFlags, ioctlSetFlags32, ioctlSetXattr} {
		body = append(body, equals(c), fail(unix.EPERM))
	}
	return append(body, pass())
}

// socketBody lets through local sockets, TCP, UDP where it reaches nobody, and
// the question which interfaces there are.
func socketBody(f filterFor) []unix.SockFilter {
	const jeq = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	inet := []unix.SockFilter{
		argLow(2), equals(protoMPTCP), fail(unix.EPROTONOSUPPORT),
		argLow(1), mask(0xf), equals(unix.SOCK_STREAM), pass(),
	}
	if f.OwnNet {
		inet = append(inet, equals(unix.SOCK_DGRAM), pass())
	}
	inet = append(inet, fail(unix.EACCES))
	local := []unix.SockFilter{pass()}
	if !f.OwnNet {
		// A datagram carries its receiver's name, which nobody would judge.
		local = []unix.SockFilter{argLow(1), mask(0xf), equals(unix.SOCK_DGRAM), fail(unix.EACCES), pass()}
	}
	body := []unix.SockFilter{argLow(0), {Code: jeq, K: unix.AF_UNIX, Jf: uint8(len(local))}}
	body = append(body, local...)
	body = append(body, []unix.SockFilter{
		{Code: jeq, K: unix.AF_INET, Jt: 1},
		{Code: jeq, K: unix.AF_INET6, Jf: uint8(len(inet))},
	}...)
	body = append(body, inet...)
	return append(body,
		unix.SockFilter{Code: jeq, K: unix.AF_NETLINK, Jt: 1}, fail(unix.EAFNOSUPPORT),
		argLow(2), equals(unix.NETLINK_ROUTE), pass(), fail(unix.EPROTONOSUPPORT))
}
