package approval

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func getattr(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TCGETS) }

// setattr waits until the output has been written.
func setattr(fd int, t *unix.Termios) error { return unix.IoctlSetTermios(fd, unix.TCSETSW, t) }

// flushInput throws away what was typed and not yet read.
func flushInput(f *os.File) error {
	return unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}

// waitReadable waits until fd can be read or stop is closed.
func waitReadable(fd, stop int) error {
	set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(stop), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(set, -1)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
