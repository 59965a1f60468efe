//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// A seccomp filter is a list of blocks, one for each system call that is not
// simply allowed. A block is entered when the number matches and always ends
// in a verdict, so blocks do not depend on one another.

// Offsets in struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

func ins(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func load(off uint32) unix.SockFilter { return ins(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, off) }

func argLow(i int) unix.SockFilter  { return load(uint32(offArgs + 8*i)) }
func argHigh(i int) unix.SockFilter { return load(uint32(offArgs + 8*i + 4)) }

func ret(k uint32) unix.SockFilter { return ins(unix.BPF_RET|unix.BPF_K, k) }

func fail(e unix.Errno) unix.SockFilter {
	return ret(unix.SECCOMP_RET_ERRNO | uint32(e)&unix.SECCOMP_RET_DATA)
}

func pass() unix.SockFilter { return ret(unix.SECCOMP_RET_ALLOW) }
func tell() unix.SockFilter { return ret(unix.SECCOMP_RET_USER_NOTIF) }

// equals, hasAny: run the next instruction when it holds, else skip it.
func equals(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: 1}
}

func hasAny(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: k, Jf: 1}
}

func mask(k uint32) unix.SockFilter { return ins(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, k) }

// block is what happens on one system call.
type block struct {
	nr   uint32
	body []unix.SockFilter
}

// assemble puts the blocks behind the checks of the architecture. foreign is
// the first number that belongs to another calling convention, or 0.
func assemble(arch, foreign uint32, blocks []block) []unix.SockFilter {
	out := []unix.SockFilter{
		load(offArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: arch, Jt: 1},
		ret(unix.SECCOMP_RET_KILL_PROCESS),
		load(offNumber),
	}
	if foreign != 0 {
		out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: foreign, Jf: 1}, fail(unix.ENOSYS))
	}
	for _, b := range blocks {
		out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: b.nr, Jf: uint8(len(b.body))})
		out = append(out, b.body...)
	}
	return append(out, pass())
}
