//go:build unix && !linux

package tools

import (
	"os"
	"syscall"
)

// awaitExit leaves the waiting to Wait.
func awaitExit(int) {}

func dirName(_ *os.File, name string) string { return name }

// signalJob signals the process group; what left it is out of reach here.
func signalJob(pid int, _ string, sig syscall.Signal) int {
	if err := syscall.Kill(-pid, sig); err != nil {
		return 0
	}
	return 1
}
