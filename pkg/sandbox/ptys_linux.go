//go:build linux && (amd64 || arm64)

package sandbox

import (
	"sync"

	"golang.org/x/sys/unix"
)

// ptys are the numbers of the terminals that a job has made for itself. Without
// a tree of its own it sees those of everybody, and the user's among them.
type ptys struct {
	mu   sync.Mutex
	made map[uint32]bool
}

// opened takes note of the terminal that a master belongs to.
func (p *ptys) opened(master int) {
	n, err := unix.IoctlGetUint32(master, unix.TIOCGPTN)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		p.made = map[uint32]bool{}
	}
	p.made[n] = true
}

func (p *ptys) has(n uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[n]
}

// isMaster says whether a device makes a new terminal when it is opened.
func (s *spot) isMaster() bool {
	return s.st.Mode&unix.S_IFMT == unix.S_IFCHR && s.st.Rdev == unix.Mkdev(5, 2)
}

// others says whether an object is the terminal of somebody outside of the job.
func (b *broker) others(t target, s *spot) bool {
	major, minor := unix.Major(s.st.Rdev), unix.Minor(s.st.Rdev)
	if b.own || s.magic || s.st.Mode&unix.S_IFMT != unix.S_IFCHR || major < 136 || major > 143 {
		return false
	}
	return !b.ptys.has((major-136)<<20|minor) && t.terminal() != terminalName(major, minor)
}
