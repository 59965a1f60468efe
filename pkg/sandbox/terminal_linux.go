//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// terminal connects the caller's terminal with the job's own.
type terminal struct {
	tty    *os.File // the caller's; nil where the caller takes the master
	master *os.File
	fd     int // the master's, without changing its mode
	ready  chan struct{}
	saved  *term.State
	resize chan os.Signal

	mu     sync.Mutex
	paused bool
	wake   int // an eventfd
	over   bool
}

func (s *streams) openTerminal(c *Command, o *order) error {
	t := &terminal{tty: c.Tty, ready: make(chan struct{})}
	s.term = t
	o.Pty, o.Rows, o.Cols = true, c.Rows, c.Cols
	if t.tty != nil {
		if cols, rows, err := term.GetSize(int(t.tty.Fd())); err == nil {
			o.Rows, o.Cols = uint16(rows), uint16(cols)
		}
	}
	if o.Rows == 0 || o.Cols == 0 {
		o.Rows, o.Cols = 24, 80
	}
	for i := range s.child {
		null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			s.abandon()
			return err
		}
		s.child[i] = null
	}
	return nil
}

// attach takes the master that the helper sends.
func (s *streams) attach(fd int) {
	t := s.term
	if t == nil || fd < 0 {
		return
	}
	_ = unix.SetNonblock(fd, true)
	t.master, t.fd = os.NewFile(uintptr(fd), "terminal"), fd
	close(t.ready)
	if t.tty == nil {
		return
	}
	t.saved, _ = term.MakeRaw(int(t.tty.Fd()))
	t.wake, _ = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	t.resize = make(chan os.Signal, 1)
	signal.Notify(t.resize, unix.SIGWINCH)
	go t.follow()
	s.pumps.Add(1)
	go func() {
		defer s.pumps.Done()
		s.pump(t.tty, t.master)
	}()
	go t.pass()
}

// follow passes changes of the window's size on.
func (t *terminal) follow() {
	for range t.resize {
		if ws, err := unix.IoctlGetWinsize(int(t.tty.Fd()), unix.TIOCGWINSZ); err == nil {
			_ = unix.IoctlSetWinsize(t.fd, unix.TIOCSWINSZ, ws)
		}
	}
}

// restore gives the terminal back as it was.
func (t *terminal) restore() {
	t.set(func() { t.over = true })
	if t.resize != nil {
		signal.Stop(t.resize)
		close(t.resize)
		t.resize = nil
	}
	if t.saved != nil {
		_ = term.Restore(int(t.tty.Fd()), t.saved)
		t.saved = nil
	}
	if t.master != nil {
		t.master.Close()
	}
}

// pass gives the job what is typed, unless a question is open.
func (t *terminal) pass() {
	in := int(t.tty.Fd())
	buf := make([]byte, 4096)
	for {
		fds := []unix.PollFd{{Fd: int32(t.wake), Events: unix.POLLIN}, {Fd: int32(in), Events: unix.POLLIN}}
		t.mu.Lock()
		paused, over := t.paused, t.over
		t.mu.Unlock()
		if over {
			return
		}
		if paused {
			fds = fds[:1]
		}
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
		if fds[0].Revents != 0 {
			_, _ = unix.Read(t.wake, buf[:8])
			continue
		}
		if paused || fds[1].Revents == 0 {
			continue
		}
		t.mu.Lock()
		if t.paused || t.over {
			t.mu.Unlock()
			continue
		}
		n, err := unix.Read(in, buf)
		t.mu.Unlock()
		if n > 0 {
			_, _ = t.master.Write(buf[:n])
		}
		if err != nil && err != unix.EINTR && err != unix.EAGAIN || n == 0 && err == nil {
			return
		}
	}
}

// lend gives the terminal back to the person while f asks.
func (t *terminal) lend(f func()) {
	if t == nil || t.tty == nil || t.saved == nil {
		f()
		return
	}
	t.set(func() { t.paused = true })
	fd := int(t.tty.Fd())
	_ = term.Restore(fd, t.saved)
	f()
	_, _ = term.MakeRaw(fd)
	t.set(func() { t.paused = false })
}

// set changes the state and lets pass look at it.
func (t *terminal) set(f func()) {
	t.mu.Lock()
	f()
	t.mu.Unlock()
	if t.tty == nil {
		return // nobody passes anything, so there is nobody to wake
	}
	_, _ = unix.Write(t.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}
