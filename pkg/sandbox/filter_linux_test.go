//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// evaluate runs a filter as the kernel would.
func evaluate(t interface{ Fatalf(string, ...any) }, prog []unix.SockFilter, nr, arch uint32, args ...uint64) uint32 {
	var data [64]byte
	le := binary.LittleEndian
	le.PutUint32(data[0:], nr)
	le.PutUint32(data[4:], arch)
	for i, a := range args {
		le.PutUint64(data[16+8*i:], a)
	}
	var acc uint32
	for pc := 0; pc < len(prog); pc++ {
		in := prog[pc]
		branch := func(ok bool) {
			if ok {
				pc += int(in.Jt)
			} else {
				pc += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = le.Uint32(data[in.K:])
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			branch(acc == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			branch(acc >= in.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			branch(acc&in.K != 0)
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= in.K
		case unix.BPF_JMP | unix.BPF_JA:
			pc += int(in.K)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("instruction %d: code %#x", pc, in.Code)
		}
	}
	t.Fatalf("the program ends without a verdict")
	return 0
}

func TestFilter(t *testing.T) {
	const allow, ask, kill = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_RET_KILL_PROCESS
	no := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
	own, bare := filterFor{OwnNet: true}, filterFor{}
	names, all := filterFor{OwnNet: true, Notify: notifyNames}, filterFor{OwnNet: true, Notify: notifyAll}
	rows := []struct {
		name string
		f    filterFor
		nr   uint32
		args []uint64
		want uint32
	}{
		{"read", own, unix.SYS_READ, nil, allow},
		{"fork", own, unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, allow},
		{"a thread", own, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, allow},
		{"a user namespace", own, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER}, no(unix.EPERM)},
		{"a namespace, upper half set", own, unix.SYS_UNSHARE, []uint64{1<<40 | unix.CLONE_NEWNS}, no(unix.EPERM)},
		{"unshare files", own, unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}, allow},
		{"a set-user-id bit", own, unix.SYS_FCHMODAT, []uint64{0, 0, 0o4755}, no(unix.EPERM)},
		{"a set-user-id bit, by descriptor", own, unix.SYS_FCHMOD, []uint64{0, 0o4755}, no(unix.EPERM)},
		{"a set-group-id bit", own, unix.SYS_FCHMOD, []uint64{0, 0o2775}, allow},
		{"fast open", bare, unix.SYS_SENDMSG, []uint64{0, 0, unix.MSG_FASTOPEN | unix.MSG_NOSIGNAL}, no(unix.EACCES)},
		{"fast open of many", bare, unix.SYS_SENDMMSG, []uint64{0, 0, 1, unix.MSG_FASTOPEN}, no(unix.EACCES)},
		{"a message", bare, unix.SYS_SENDMSG, []uint64{0, 0, unix.MSG_NOSIGNAL}, allow},
		{"a pair of datagram sockets", bare, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC, 0}, no(unix.EACCES)},
		{"a pair of sockets", bare, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}, allow},
		{"shared memory of others", bare, unix.SYS_SHMAT, nil, no(unix.EACCES)},
		{"shared memory of its own", own, unix.SYS_SHMAT, nil, allow},
		{"clone3", own, unix.SYS_CLONE3, nil, no(unix.ENOSYS)},
		{"io_uring", own, unix.SYS_IO_URING_SETUP, nil, no(unix.ENOSYS)},
		{"ptrace", own, unix.SYS_PTRACE, nil, no(unix.EPERM)},
		{"mount", own, unix.SYS_MOUNT, nil, no(unix.EPERM)},
		{"TIOCSTI", own, unix.SYS_IOCTL, []uint64{0, ioctlTiocsti}, no(unix.EPERM)},
		{"TIOCSTI, upper half set", own, unix.SYS_IOCTL, []uint64{0, 1<<32 | ioctlTiocsti}, no(unix.EPERM)},
		{"TCGETS", own, unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, allow},
		{"unix socket", own, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM, 0}, allow},
		{"unix datagrams without a network of its own", bare, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC, 0}, no(unix.EACCES)},
		{"unix stream without a network of its own", bare, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_STREAM, 0}, allow},
		{"tcp", own, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC, 6}, allow},
		{"tcp 6", bare, unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_STREAM, 0}, allow},
		{"mptcp", own, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM, protoMPTCP}, no(unix.EPROTONOSUPPORT)},
		{"udp", own, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_DGRAM, 0}, allow},
		{"udp without a network of its own", bare, unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_DGRAM, 0}, no(unix.EACCES)},
		{"raw", own, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_RAW, 1}, no(unix.EACCES)},
		{"packet", own, unix.SYS_SOCKET, []uint64{unix.AF_PACKET, unix.SOCK_RAW, 3}, no(unix.EAFNOSUPPORT)},
		{"vsock", own, unix.SYS_SOCKET, []uint64{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, no(unix.EAFNOSUPPORT)},
		{"alg", own, unix.SYS_SOCKET, []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET, 0}, no(unix.EAFNOSUPPORT)},
		{"netlink route", own, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow},
		{"netlink audit", own, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, no(unix.EPROTONOSUPPORT)},
		{"sendto without a name", bare, unix.SYS_SENDTO, []uint64{3, 4, 5, 0, 0, 0}, allow},
		{"sendto with a name", bare, unix.SYS_SENDTO, []uint64{3, 4, 5, 0, 1 << 40, 16}, no(unix.EACCES)},
		{"open for reading, names only", names, unix.SYS_OPENAT, []uint64{0, 0, unix.O_RDONLY | unix.O_CLOEXEC}, allow},
		{"open for writing", names, unix.SYS_OPENAT, []uint64{0, 0, unix.O_WRONLY}, ask},
		{"open that makes", names, unix.SYS_OPENAT, []uint64{0, 0, unix.O_CREAT}, ask},
		{"open that truncates", names, unix.SYS_OPENAT, []uint64{0, 0, unix.O_TRUNC}, ask},
		{"open without a name", names, unix.SYS_OPENAT, []uint64{0, 0, unix.O_TMPFILE | unix.O_RDWR}, ask},
		{"a folder", names, unix.SYS_OPENAT, []uint64{0, 0, unix.O_DIRECTORY}, allow},
		{"open for reading", all, unix.SYS_OPENAT, []uint64{0, 0, unix.O_RDONLY}, ask},
		{"O_PATH", all, unix.SYS_OPENAT, []uint64{0, 0, unix.O_PATH}, allow},
		{"openat2", names, unix.SYS_OPENAT2, nil, no(unix.ENOSYS)},
		{"rename", names, unix.SYS_RENAMEAT2, nil, ask},
		{"chmod, names only", names, unix.SYS_FCHMODAT, nil, ask},
		{"chmod", all, unix.SYS_FCHMODAT, nil, ask},
		{"chmod by descriptor", all, unix.SYS_FCHMOD, nil, ask},
		{"connect, names only", names, unix.SYS_CONNECT, nil, ask},
		{"connect", all, unix.SYS_CONNECT, nil, ask},
	}
	for _, r := range rows {
		if got := evaluate(t, jobFilter(r.f), r.nr, nativeArch, r.args...); got != r.want {
			t.Errorf("%s: %#x, wanted %#x", r.name, got, r.want)
		}
	}
	for _, arch := range []uint32{0, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM} {
		if got := evaluate(t, jobFilter(own), unix.SYS_READ, arch); got != kill {
			t.Errorf("architecture %#x: %#x", arch, got)
		}
	}
	if foreignNumbers != 0 {
		if got := evaluate(t, jobFilter(own), foreignNumbers|2, nativeArch); got != no(unix.ENOSYS) {
			t.Errorf("x32: %#x", got)
		}
	}
	for nr := range forms() {
		if got := evaluate(t, jobFilter(own), nr, nativeArch); got != allow {
			t.Errorf("call %d without a supervisor: %#x", nr, got)
		}
	}
}

// TestSearch: however many numbers there are and however they lie, each meets
// its own block and every other passes.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 300), 0, 120, rapid.ID).Draw(t, "numbers")
		long := rapid.SliceOfN(rapid.Bool(), len(numbers), len(numbers)).Draw(t, "long")
		var blocks []block
		want := map[uint32]uint32{}
		for i, nr := range numbers {
			e := unix.Errno(1 + nr%3)
			body := []unix.SockFilter{fail(e)}
			if long[i] {
				body = []unix.SockFilter{argLow(0), hasAny(1), pass(), argHigh(1), equals(7), pass(), fail(e)}
			}
			blocks = append(blocks, block{nr, body})
			want[nr] = unix.SECCOMP_RET_ERRNO | uint32(e)
		}
		prog := assemble(nativeArch, foreignNumbers, append(blocks, blocks...))
		for nr := range uint32(310) {
			w, ok := want[nr]
			if !ok {
				w = unix.SECCOMP_RET_ALLOW
			}
			if got := evaluate(t, prog, nr, nativeArch); got != w {
				t.Fatalf("%d of %v: %#x, wanted %#x", nr, numbers, got, w)
			}
		}
	})
}
