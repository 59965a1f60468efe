package tools

import "golang.org/x/sys/unix"

// waitCalls are the system calls in which a shell waits for its input.
func waitCalls() []int {
	return []int{unix.SYS_READ, unix.SYS_SELECT, unix.SYS_PSELECT6, unix.SYS_POLL, unix.SYS_PPOLL}
}
