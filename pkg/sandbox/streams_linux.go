//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// streams connect a job's standard streams with the caller's. Output always
// goes through pipes of our own, so that it can be counted and so that the job
// never holds a descriptor of a file outside.
type streams struct {
	child    [3]int     // the job's ends, closed after the start; -1 for none
	ours     []*os.File // our ends that end with the job
	pumps    sync.WaitGroup
	limit    int64
	passed   atomic.Int64
	cut      atomic.Int64
	over     func(why string) // called when the limit is passed
	term     *terminal
	hush     *hush
	keyboard *keyboard // where standard input is a terminal, but the job has none
	start    []func()
	flows    []*flow
}

// flow is one pipe of the job's output. Nothing is done for it before the job
// writes something.
type flow struct {
	fd int // our end, -1 once it is read from
	to io.Writer
}

func openStreams(c *Command, limit int64, o *order, over func(string)) (*streams, error) {
	s := &streams{limit: limit, over: over, hush: newHush(), child: [3]int{-1, -1, -1}}
	if c.Tty != nil || c.Rows > 0 {
		return s, s.openTerminal(c, o)
	}
	if err := s.input(c.Stdin, o); err != nil {
		s.abandon()
		return nil, err
	}
	out, err := s.output(c.Stdout)
	if err != nil {
		s.abandon()
		return nil, err
	}
	s.child[1] = out
	if sameWriter(c.Stdout, c.Stderr) {
		s.child[2] = out
		return s, nil
	}
	if s.child[2], err = s.output(c.Stderr); err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

// output makes a pipe whose bytes are counted and passed on.
func (s *streams) output(w io.Writer) (child int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, fmt.Errorf("sandbox: output: %w", err)
	}
	s.flows = append(s.flows, &flow{p[0], w})
	return p[1], nil
}

// flow begins to pass on what the job writes to one pipe.
func (s *streams) flow(f *flow) {
	if f.fd < 0 {
		return
	}
	// A fast writer should not wait for us at every page.
	_, _ = unix.FcntlInt(uintptr(f.fd), unix.F_SETPIPE_SZ, 1<<20)
	_ = unix.SetNonblock(f.fd, true)
	r := os.NewFile(uintptr(f.fd), "output")
	f.fd = -1
	s.pumps.Add(1)
	go func() {
		defer s.pumps.Done()
		defer r.Close()
		s.pump(f.to, r)
	}()
}

// rest passes on, here and now, what nothing was begun for: the job's end of
// the pipe is closed.
func (s *streams) rest() {
	for _, f := range s.flows {
		if f.fd < 0 {
			continue
		}
		var buf [4096]byte
		for {
			n, err := unix.Read(f.fd, buf[:])
			if err == unix.EINTR {
				continue
			}
			if n <= 0 {
				break
			}
			s.pass(f.to, buf[:n])
		}
		unix.Close(f.fd)
		f.fd = -1
	}
}

// pump passes output on until its end or the limit.
func (s *streams) pump(w io.Writer, r io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			s.pass(w, buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (s *streams) pass(w io.Writer, b []byte) {
	if s.limit > 0 {
		if total := s.passed.Add(int64(len(b))); total > s.limit {
			lost := min(total-s.limit, int64(len(b)))
			b = b[:int64(len(b))-lost]
			s.cut.Add(lost)
			s.over(fmt.Sprintf("it wrote more than %d MiB of output", s.limit>>20))
		}
	}
	if w != nil && len(b) > 0 {
		s.hush.write(w, b)
	}
}

// lend gives the terminal to the person while f asks, and lets the job write
// nothing meanwhile.
func (s *streams) lend(f func()) {
	s.hush.during(func() { s.term.lend(f) })
}

// input hands standard input on. A file is opened again for reading only, by
// the helper, in a copy of its mount that nothing can be changed through;
// where that cannot be done its bytes come through a pipe.
func (s *streams) input(f *os.File, o *order) error {
	if f == nil {
		var err error
		s.child[0], err = unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return fmt.Errorf("sandbox: standard input: %w", err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return errors.New("sandbox: standard input is a folder")
	case unix.S_IFREG:
		if st.Nlink > 0 && !(o.Tree && !o.Built && again(f, &st, o)) {
			return s.feed(f)
		}
	case unix.S_IFBLK:
		return s.feed(f)
	case unix.S_IFCHR:
		if isTerminal(f) {
			return s.keys(f)
		}
	}
	var err error
	if s.child[0], err = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		return fmt.Errorf("sandbox: standard input: %w", err)
	}
	return nil
}

// again notes under which name the helper finds the file.
func again(f *os.File, st *unix.Stat_t, o *order) bool {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return false
	}
	var now unix.Stat_t
	if unix.Lstat(name, &now) != nil || now.Dev != st.Dev || now.Ino != st.Ino {
		return false
	}
	if o.StdinAt, err = unix.Seek(int(f.Fd()), 0, io.SeekCurrent); err != nil {
		return false
	}
	o.Stdin = name
	return true
}

// feed copies standard input through a pipe.
func (s *streams) feed(f *os.File) error {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("sandbox: standard input: %w", err)
	}
	_ = unix.SetNonblock(p[1], true)
	w := os.NewFile(uintptr(p[1]), "stdin")
	s.child[0] = p[0]
	s.ours = append(s.ours, w)
	s.start = append(s.start, func() {
		go func() {
			_, _ = io.Copy(w, f)
			w.Close()
		}()
	})
	return nil
}

// childStarted lets go of the job's ends and begins to pass bytes.
func (s *streams) childStarted() {
	s.closeChild()
	for _, f := range s.start {
		f()
	}
}

func (s *streams) closeChild() {
	for i, fd := range s.child {
		if i == 0 || fd != s.child[i-1] {
			closeFD(fd)
		}
	}
	s.child = [3]int{-1, -1, -1}
}

// abandon closes everything of a job that never started.
func (s *streams) abandon() {
	s.start = nil
	s.closeChild()
	s.keyboard.close()
	s.keyboard = nil
	for _, f := range s.ours {
		f.Close()
	}
	for _, f := range s.flows {
		closeFD(f.fd)
		f.fd = -1
	}
}

// finish waits for the last bytes of a job that has ended.
func (s *streams) finish() {
	s.closeChild()
	s.keyboard.close()
	s.rest()
	s.pumps.Wait()
	for _, f := range s.ours {
		f.Close()
	}
	if s.term != nil {
		s.term.restore()
	}
}

// sameWriter says whether two writers lead to the same place.
func sameWriter(a, b io.Writer) bool {
	fa, ok1 := a.(*os.File)
	fb, ok2 := b.(*os.File)
	if ok1 && ok2 {
		x, err1 := fa.Stat()
		y, err2 := fb.Stat()
		return err1 == nil && err2 == nil && os.SameFile(x, y)
	}
	if ok1 != ok2 {
		return false
	}
	defer func() { _ = recover() }() // values that cannot be compared are different
	return a == b
}
