//go:build linux && (amd64 || arm64)

package sandbox

import (
	"cmp"
	"slices"

	"golang.org/x/sys/unix"
)

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
// the first number that belongs to another calling convention, or 0. Of two
// blocks for one number the first holds. The number is searched for by halves:
// the kernel runs the whole program for every number there is when it is
// installed, and for some with every call.
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
	list := spans(blocks)
	out = slices.Grow(out, size(list)+16)
	for _, b := range blocks {
		if b.nr == unix.SYS_OPENAT { // the one that has to be quick
			out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: b.nr, Jf: uint8(len(b.body))})
			out = append(out, b.body...)
			break
		}
	}
	return search(out, list)
}

// span is a row of numbers that the same happens on.
type span struct {
	from, to uint32
	body     []unix.SockFilter
}

func spans(blocks []block) []span {
	sorted := slices.Clone(blocks)
	slices.SortStableFunc(sorted, func(a, b block) int { return cmp.Compare(a.nr, b.nr) })
	out := make([]span, 0, len(sorted))
	for _, b := range sorted {
		last := len(out) - 1
		switch {
		case last >= 0 && out[last].to == b.nr:
		case last >= 0 && out[last].to+1 == b.nr && slices.Equal(out[last].body, b.body):
			out[last].to = b.nr
		default:
			out = append(out, span{b.nr, b.nr, b.body})
		}
	}
	return out
}

// search appends what finds the span that a number belongs to; what belongs to
// none passes.
func search(out []unix.SockFilter, list []span) []unix.SockFilter {
	const jge = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	switch len(list) {
	case 0:
		return append(out, pass())
	case 1:
		r := list[0]
		if r.from == r.to {
			out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: r.from, Jf: uint8(len(r.body))})
			return append(append(out, r.body...), pass())
		}
		out = append(out, unix.SockFilter{Code: jge, K: r.from, Jt: 1}, pass(), unix.SockFilter{Code: jge, K: r.to + 1, Jf: 1}, pass())
		return append(out, r.body...)
	}
	mid := len(list) / 2
	low := size(list[:mid])
	if low > 255 {
		out = append(out, unix.SockFilter{Code: jge, K: list[mid].from, Jf: 1}, jump(low))
	} else {
		out = append(out, unix.SockFilter{Code: jge, K: list[mid].from, Jt: uint8(low)})
	}
	return search(search(out, list[:mid]), list[mid:])
}

// size is how many instructions search appends.
func size(list []span) int {
	switch len(list) {
	case 0:
		return 1
	case 1:
		if list[0].from == list[0].to {
			return len(list[0].body) + 2
		}
		return len(list[0].body) + 4
	}
	mid := len(list) / 2
	low := size(list[:mid])
	n := low + size(list[mid:]) + 1
	if low > 255 {
		n++
	}
	return n
}

func jump(n int) unix.SockFilter { return ins(unix.BPF_JMP|unix.BPF_JA, uint32(n)) }
