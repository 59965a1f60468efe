//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// order is what the helper is told, once, on its control socket.
type order struct {
	Plan plan     `json:"plan"`
	Path string   `json:"path"`
	Args []string `json:"args"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	// Pty: the job's standard streams are a terminal of its own.
	Pty        bool   `json:"pty,omitempty"`
	Rows, Cols uint16 `json:",omitempty"`
	// Stdin is the file that descriptor 0 is opened from again, read-only.
	Stdin string `json:"stdin,omitempty"`
	// StdinAt is the place in it where reading goes on.
	StdinAt int64 `json:"stdinAt,omitempty"`
	// Tree: the helper stands in namespaces of its own.
	Tree bool `json:"tree"`
	// Built: the tree is made already.
	Built bool `json:"built,omitempty"`
	// Fence: apply Landlock; Filter: apply seccomp; Notify: also ask.
	Fence  bool       `json:"fence"`
	Filter bool       `json:"filter"`
	Notify notifyKind `json:"notify"`
	Proxy  bool       `json:"proxy"`
}

// note is what helper and supervisor tell one another.
type note struct {
	// Is names the note: see the constants.
	Is     string `json:"is"`
	Signal int    `json:"signal,omitempty"`
	Code   int    `json:"code,omitempty"`
	Text   string `json:"text,omitempty"`
	Pid    int    `json:"pid,omitempty"`
}

const (
	noteProxy   = "proxy"   // helper: with a listening socket on the job's loopback
	noteAsk     = "ask"     // helper: with the descriptor on which the kernel asks
	notePty     = "pty"     // helper: with the master of the job's terminal
	noteStarted = "started" // helper: the job runs
	noteFailed  = "failed"  // helper: it does not, with an exit code and a reason
	noteSetup   = "setup"   // helper: a layer cannot be had, with the reason
	noteEnd     = "end"     // helper: the job ended, with its exit code; with a reason where it was stopped
	noteSignal  = "signal"  // supervisor: pass this signal on
)

const maxNote = 1 << 16

// sendNote writes one note, with descriptors.
func sendNote(sock int, n note, fds ...int) error {
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return sendBytes(sock, b, fds)
}

func sendBytes(sock int, b []byte, fds []int) error {
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(sock, b, oob, nil, unix.MSG_NOSIGNAL)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

var errGone = errors.New("the other side is gone")

// recvNote reads one note with the descriptors that came with it.
func recvNote(sock int, buf []byte) (n note, fds []int, err error) {
	b, fds, err := recvBytes(sock, buf)
	if err != nil {
		return n, nil, err
	}
	if err := json.Unmarshal(b, &n); err != nil {
		return n, fds, fmt.Errorf("sandbox: a note that cannot be read: %w", err)
	}
	return n, fds, nil
}

func recvBytes(sock int, buf []byte) (b []byte, fds []int, err error) {
	var space [64]byte
	var k, o int
	for {
		k, o, _, _, err = unix.Recvmsg(sock, buf, space[:], unix.MSG_CMSG_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if k == 0 {
		return nil, nil, errGone
	}
	if o > 0 {
		msgs, err := unix.ParseSocketControlMessage(space[:o])
		if err != nil {
			return nil, nil, err
		}
		for _, m := range msgs {
			if got, err := unix.ParseUnixRights(&m); err == nil {
				fds = append(fds, got...)
			}
		}
	}
	return buf[:k], fds, nil
}

// one gives the only descriptor of a note, or -1; what else came is closed.
func one(fds []int) int {
	if len(fds) == 0 {
		return -1
	}
	closeAll(fds[1:])
	return fds[0]
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
