//go:build unix

package approval

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const interruptKey = 3 // ctrl-c

func openTTY() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

func isTerminal(f *os.File) bool {
	_, err := getattr(int(f.Fd()))
	return err == nil
}

// lineMode puts the terminal into line mode with echo, whatever mode it was
// in, and makes ctrl-c end the line instead of killing the program; restore
// puts everything back.
func lineMode(f *os.File) (restore func(), err error) {
	fd := int(f.Fd())
	old, err := getattr(fd)
	if err != nil {
		return nil, err
	}
	now := *old
	now.Lflag |= unix.ICANON | unix.ECHO | unix.ECHOE | unix.ECHOK
	now.Lflag &^= unix.ISIG | unix.ECHONL
	now.Iflag |= unix.ICRNL
	now.Iflag &^= unix.INLCR | unix.IGNCR
	now.Oflag |= unix.OPOST | unix.ONLCR
	now.Cc[unix.VEOL] = interruptKey
	if err := setattr(fd, &now); err != nil {
		return nil, err
	}
	return func() { _ = setattr(fd, old) }, nil
}

// readLine returns the next line without its end.
func readLine(ctx context.Context, f *os.File) (string, error) {
	var line []byte
	for {
		more, err := readBytes(ctx, f)
		if err != nil {
			return "", err
		}
		line = append(line, more...)
		if bytes.IndexByte(line, interruptKey) >= 0 {
			return "", errInterrupt
		}
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return string(line[:i]), nil
		}
		if len(line) > 1<<16 {
			line = line[:copy(line, "an endless line")]
		}
	}
}

// readBytes returns what can be read next. It waits in poll, so that it ends
// with ctx and leaves no reader behind.
func readBytes(ctx context.Context, f *os.File) ([]byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	stop := context.AfterFunc(ctx, func() { w.Close() })
	defer func() {
		if stop() {
			w.Close()
		}
	}()
	buf := make([]byte, 4096)
	for {
		if err := waitReadable(int(f.Fd()), int(r.Fd())); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n, err := unix.Read(int(f.Fd()), buf)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return nil, err
		case n == 0:
			return nil, io.EOF
		}
		return buf[:n], nil
	}
}
