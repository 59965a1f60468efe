//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// openPty opens the job's terminal in the job's own devpts, so that the name
// that ttyname finds is right inside, and hands the master out.
func (h *helper) openPty() error {
	m, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sandbox: terminal: %w", err)
	}
	defer unix.Close(m)
	if err := unix.IoctlSetPointerInt(m, unix.TIOCSPTLCK, 0); err != nil {
		return fmt.Errorf("sandbox: terminal: %w", err)
	}
	n, err := unix.IoctlGetInt(m, unix.TIOCGPTN)
	if err != nil {
		return fmt.Errorf("sandbox: terminal: %w", err)
	}
	if h.Rows > 0 && h.Cols > 0 {
		_ = unix.IoctlSetWinsize(m, unix.TIOCSWINSZ, &unix.Winsize{Row: h.Rows, Col: h.Cols})
	}
	h.slave, err = unix.Open(fmt.Sprintf("/dev/pts/%d", n), unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sandbox: terminal: %w", err)
	}
	return sendNote(h.control, note{Is: notePty}, m)
}
