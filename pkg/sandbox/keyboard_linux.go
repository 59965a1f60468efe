//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// keyboard passes what is typed at a terminal to a job that has no terminal of
// its own. Through the terminal's own descriptor the job could write over a
// question, change how the terminal shows it, and read the answer.
type keyboard struct {
	tty  *os.File
	pipe int // our end; the job's is read from by nobody else
	hush *hush
	over chan struct{}
	runs bool
}

// keyTime is how often is looked whether something may be passed on.
const keyTime = 100 * time.Millisecond

// isTerminal says whether a descriptor is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// keys connects standard input, a terminal, by a pipe.
func (s *streams) keys(f *os.File) error {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("sandbox: standard input: %w", err)
	}
	_ = unix.SetNonblock(p[1], true)
	k := &keyboard{tty: f, pipe: p[1], hush: s.hush, over: make(chan struct{})}
	s.child[0], s.keyboard = p[0], k
	s.start = append(s.start, func() {
		k.runs = true
		go k.pass()
	})
	return nil
}

// pass copies line by line, and no line before the job has taken the last one:
// what it does not read is left to whoever reads from the terminal next.
func (k *keyboard) pass() {
	defer unix.Close(k.pipe)
	buf := make([]byte, 4096)
	fds := []unix.PollFd{{Fd: int32(k.tty.Fd()), Events: unix.POLLIN}}
	for !k.ended() {
		if left, err := unix.IoctlGetInt(k.pipe, unix.TIOCINQ); err != nil || left > 0 || !k.ours() {
			time.Sleep(keyTime)
			continue
		}
		if n, err := unix.Poll(fds, int(keyTime.Milliseconds())); n == 0 || err == unix.EINTR {
			continue
		} else if err != nil {
			return
		}
		if k.ended() {
			return
		}
		n, err := k.hush.read(int(k.tty.Fd()), buf)
		if err == unix.EAGAIN || err == unix.EINTR {
			time.Sleep(keyTime) // a question is open, and what is typed is the answer
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		if _, err := unix.Write(k.pipe, buf[:n]); err != nil {
			return
		}
	}
}

// ours says whether this process may read from the terminal: in the background
// the kernel would stop it.
func (k *keyboard) ours() bool {
	front, err := unix.IoctlGetInt(int(k.tty.Fd()), unix.TIOCGPGRP)
	return err != nil || front == unix.Getpgrp()
}

func (k *keyboard) ended() bool {
	select {
	case <-k.over:
		return true
	default:
		return false
	}
}

// close ends it; nothing that is typed from now on is taken.
func (k *keyboard) close() {
	if k == nil {
		return
	}
	close(k.over)
	if !k.runs {
		unix.Close(k.pipe)
	}
}
