//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's structures of seccomp user notification.
type notification struct {
	ID    uint64
	Pid   uint32
	Flags uint32
	Nr    int32
	Arch  uint32
	IP    uint64
	Args  [6]uint64
}

type response struct {
	ID    uint64
	Val   int64
	Error int32
	Flags uint32
}

type addFD struct {
	ID       uint64
	Flags    uint32
	Src      uint32
	New      uint32
	NewFlags uint32
}

const (
	ioctlRecv    = 0xc0502100
	ioctlSend    = 0xc0182101
	ioctlIDValid = 0x40082102
	ioctlAddFD   = 0x40182103
	ioctlFlags   = 0x40082104
)

func notifyIoctl(fd int, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
	r, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), req, uintptr(arg))
	return r, e
}

func notifyRecv(fd int, n *notification) unix.Errno {
	*n = notification{}
	_, e := notifyIoctl(fd, ioctlRecv, unsafe.Pointer(n))
	return e
}

func notifySend(fd int, r *response) unix.Errno {
	_, e := notifyIoctl(fd, ioctlSend, unsafe.Pointer(r))
	return e
}

// notifyValid says whether the call is still waiting.
func notifyValid(fd int, id uint64) bool {
	_, e := notifyIoctl(fd, ioctlIDValid, unsafe.Pointer(&id))
	return e == 0
}

// notifyAdd puts a descriptor into the caller.
func notifyAdd(fd int, a *addFD) (int, unix.Errno) {
	r, e := notifyIoctl(fd, ioctlAddFD, unsafe.Pointer(a))
	return int(r), e
}

// notifySync lets the waiting program and the supervisor hand the processor to
// one another (Linux 6.6); older kernels refuse, and are only slower.
func notifySync(fd int) {
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), ioctlFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
}

// readMemory copies bytes out of another process; it gives how many there were.
func readMemory(pid int, addr uint64, buf []byte) (int, error) {
	if len(buf) == 0 {
		return 0, nil
	}
	local := []unix.Iovec{{Base: &buf[0]}}
	local[0].SetLen(len(buf))
	remote := []unix.RemoteIovec{{Base: uintptr(addr), Len: len(buf)}}
	n, err := unix.ProcessVMReadv(pid, local, remote, 0)
	if err == unix.EPERM || err == unix.ENOSYS {
		return readMemoryFile(pid, addr, buf)
	}
	return n, err
}

// readMemoryFile is readMemory for where the system call is filtered out, as
// within the sandboxes of some agents; the kernel allows or refuses both alike.
func readMemoryFile(pid int, addr uint64, buf []byte) (int, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/mem", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	return unix.Pread(fd, buf, int64(addr))
}

// connectRaw connects a socket to an address given as the kernel's bytes.
func connectRaw(fd int, addr []byte) unix.Errno {
	_, _, e := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&addr[0])), uintptr(len(addr)))
	return e
}

// dropThreadCapabilities takes every capability from the calling thread.
func dropThreadCapabilities() error {
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&hdr, &none[0])
}
