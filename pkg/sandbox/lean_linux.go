//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"fmt"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A forked process shares every page with the one that it was forked from
// until either writes to it. Process 1 of a job has no use for what Go keeps in
// memory, but the supervisor goes on writing there, and each page would cost it
// a copy and an interrupt of the other processors. So what Go allocated is left
// out of the fork; what process 1 then cannot read, nothing in the job can.

// extent is a part of the memory: from the first address up to the second.
type extent struct{ from, to uintptr }

// withoutHeap calls fork while the memory that Go allocated is not passed on to
// a forked process, where that can do without. No other fork takes place meanwhile: os/exec's need it.
func withoutHeap(fork func()) error {
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	if !canFork {
		fork()
		return nil
	}
	all, err := allocated()
	if err != nil {
		return err
	}
	defer func() {
		for _, s := range all {
			_ = s.advise(unix.MADV_DOFORK)
		}
	}()
	for _, s := range all {
		if err := s.advise(unix.MADV_DONTFORK); err != nil {
			return fmt.Errorf("sandbox: memory that is not passed on: %w", err)
		}
	}
	fork()
	return nil
}

func (s extent) advise(how int) error {
	if _, _, e := syscall.RawSyscall(syscall.SYS_MADVISE, s.from, s.to-s.from, uintptr(how)); e != 0 {
		return e
	}
	return nil
}

// allocated are the mappings that belong to this process alone and to no file.
// A program's own variables lie right behind a mapping of its file and are not
// among them.
func allocated() ([]extent, error) {
	text, err := readAll("/proc/self/maps")
	if err != nil {
		return nil, fmt.Errorf("sandbox: memory: %w", err)
	}
	var out []extent
	var data uintptr // where the last mapping of a program's variables ends
	for line := range bytes.Lines(text) {
		f := bytes.Fields(line)
		if len(f) < 5 {
			continue
		}
		low, high, _ := bytes.Cut(f[0], []byte("-"))
		from, err1 := strconv.ParseUint(string(low), 16, 64)
		to, err2 := strconv.ParseUint(string(high), 16, 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("sandbox: memory: /proc/self/maps has an unknown line %q", line)
		}
		s := extent{uintptr(from), uintptr(to)}
		switch {
		case string(f[1]) != "rw-p":
		case string(f[4]) != "0", s.from == data:
			data = s.to
		case len(f) == 5, bytes.HasPrefix(f[5], []byte("[anon:")):
			out = append(out, s)
		}
	}
	return out, nil
}

// readAll reads a file of /proc.
func readAll(name string) ([]byte, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	b := make([]byte, 0, 16<<10)
	for {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, 4*cap(b)), b...)
		}
		n, err := unix.Read(fd, b[len(b):cap(b)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return b, err
		}
		b = b[:len(b)+n]
	}
}
