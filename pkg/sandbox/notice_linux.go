//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// notifyKind says about which system calls the kernel asks the supervisor.
type notifyKind uint8

const (
	notifyNone notifyKind = iota
	// notifyNames: calls that make, change or remove names, or open for writing.
	notifyNames
	// notifyAll: every open as well, and connect.
	notifyAll
)

func noticeFilter(k notifyKind, ownNet bool) []unix.SockFilter {
	return assemble(nativeArch, foreignNumbers, nil)
}
