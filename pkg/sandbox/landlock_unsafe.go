//go:build linux && (amd64 || arm64)

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockVersion is the kernel's Landlock version, 0 where there is none.
func landlockVersion() int {
	v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0
	}
	return int(v)
}

func landlockCreate(f fence) (int, error) {
	// Older kernels know a shorter structure and take zeros behind it.
	attr := [3]uint64{f.Files, f.Net, f.Scoped}
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return -1, e
	}
	return int(fd), nil
}

func landlockAllow(ruleset, path int, allow uint64) error {
	// struct landlock_path_beneath_attr is packed: 8 bytes of rights, then 4.
	attr := struct {
		allow uint64
		fd    int32
		_     int32
	}{allow: allow, fd: int32(path)}
	_, _, e := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

func landlockRestrict(ruleset int) error {
	if _, _, e := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); e != 0 {
		return e
	}
	return nil
}

// installFilter gives the calling thread a filter. With listen it returns the
// descriptor on which the kernel asks; otherwise -1.
func installFilter(prog []unix.SockFilter, listen bool) (fd int, err error) {
	p := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	call := func(flags uintptr) (uintptr, unix.Errno) {
		r, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
		return r, e
	}
	if !listen {
		if _, e := call(0); e != 0 {
			return -1, e
		}
		return -1, nil
	}
	// Without WAIT_KILLABLE_RECV a signal can interrupt a call that the
	// supervisor is already carrying out.
	r, e := call(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if e == 0 {
		return int(r), nil
	}
	r, e = call(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	if e != 0 {
		return -1, e
	}
	return int(r), nil
}
