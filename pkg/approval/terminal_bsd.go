//go:build unix && !linux

package approval

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func getattr(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TIOCGETA) }

// setattr waits until the output has been written.
func setattr(fd int, t *unix.Termios) error { return unix.IoctlSetTermios(fd, unix.TIOCSETAW, t) }

const fileRead = 1 // FREAD of <sys/fcntl.h>: the input queue

// flushInput throws away what was typed and not yet read.
func flushInput(f *os.File) error {
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, fileRead)
}

// waitReadable waits until fd can be read or stop is closed. It selects, since
// poll does not know terminals on every one of these systems.
func waitReadable(fd, stop int) error {
	if fd >= unix.FD_SETSIZE || stop >= unix.FD_SETSIZE {
		return errors.New("too many open files to wait for the terminal")
	}
	for {
		var set unix.FdSet
		set.Set(fd)
		set.Set(stop)
		_, err := unix.Select(max(fd, stop)+1, &set, nil, nil, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
