//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"sync"

	"golang.org/x/sys/unix"
)

// Many programs look whether a folder is there before they open it, and looking
// is not held: it would cost every look inside as much as an open. So a folder
// outside is asked about as well when somebody goes into it, and when a program
// begins that lists folders and was given it as an argument.

// lists says whether a program looks into the folders that it is given.
func lists(program string) bool {
	switch program {
	case "ls", "dir", "vdir", "exa", "eza", "lsd", "tree", "find", "fd", "fdfind", "bfs", "du", "ncdu", "dust",
		"grep", "egrep", "fgrep", "rgrep", "rg", "ag", "ack", "ugrep", "cp", "rm", "rsync", "tar", "zip", "diff":
		return true
	}
	return false
}

// maxGiven is how many arguments of a program are looked at.
const maxGiven = 64

// allowed are listings that were allowed ahead of the open that they are for,
// opened.
type allowed struct {
	mu   sync.Mutex
	once map[listed]int
}

type listed struct {
	pid  int
	real string
}

func (a *allowed) put(x listed, fd int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.once == nil {
		a.once = map[listed]int{}
	}
	if old, ok := a.once[x]; ok {
		closeFD(old)
	}
	a.once[x] = fd
}

// take gives one, and uses it up; -1 is none.
func (a *allowed) take(x listed) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	fd, ok := a.once[x]
	if !ok {
		return -1
	}
	delete(a.once, x)
	return fd
}

func (a *allowed) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, fd := range a.once {
		closeFD(fd)
	}
	a.once = nil
}

// withFolders lets a call go on when it was asked about the folders outside that
// it names, whatever the answers are: it then finds them, or it does not.
func (b *broker) withFolders(n *notification, t target, program string, names []string) reply {
	on := reply{pass: true}
	var all []subject
	for _, name := range names {
		if s, ok := b.folderOutside(t, name); ok {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return on
	}
	pid := t.leader()
	return reply{later: func() reply {
		for i := range all {
			s := &all[i]
			if b.mayList(n, t, s, program) {
				b.names.Lock()
				fd, err := b.show(t, s)
				b.names.Unlock()
				if err == nil {
					b.ahead.put(listed{pid, s.real}, fd)
				} else {
					b.unlisted(t, s, err)
				}
			}
			s.close()
		}
		if !notifyValid(b.fd, n.ID) {
			return reply{e: unix.EINTR}
		}
		return on
	}}
}

// mayList decides about one folder, asking where one must.
func (b *broker) mayList(n *notification, t target, s *subject, program string) bool {
	if s.find.OK {
		return true
	}
	a := s.asks(s.find, b.access(t, OpRead, s.real, s.real, ""))
	if program != "" {
		a.Program = program
	}
	if s.find.Firm || b.asks.closed() {
		b.job.report(violation(a, false))
		return false
	}
	if !b.wait(b.asks.ctx, n, a) {
		return false
	}
	now, e := s.path()
	return e == 0 && now == s.real
}

// folderOutside finds a folder of which the job's tree does not show anything.
func (b *broker) folderOutside(t target, name string) (subject, bool) {
	s, e := t.lookup(unix.AT_FDCWD, name, true)
	if e == 0 && s.obj >= 0 || e != 0 && e != unix.ENOENT {
		s.close()
		return subject{}, false
	}
	s.close()
	out, real, ok := b.outside(t, unix.AT_FDCWD, name, true)
	if !ok {
		return subject{}, false
	}
	if !out.isDir() || b.judge.hidden(real) && b.asks.closed() {
		out.close()
		return subject{}, false
	}
	return subject{spot: out, real: real, outside: true, find: b.judge.read(real)}, true
}

// given are the arguments of a program that may name a folder outside.
func (b *broker) given(t target, argv uint64) []string {
	if argv == 0 || !b.own {
		return nil
	}
	var raw [8 * maxGiven]byte
	// As much as there is on the page; the list goes on to the next one seldom.
	n := min(len(raw), int(4096-argv%4096))
	k, err := readMemory(t.pid, argv, raw[:n])
	if err != nil {
		return nil
	}
	if k == n && n < len(raw) {
		if more, err := readMemory(t.pid, argv+uint64(n), raw[n:]); err == nil {
			k += more
		}
	}
	var out []string
	for i := 8; i+8 <= k; i += 8 { // behind the program's own name
		addr := binary.NativeEndian.Uint64(raw[i:])
		if addr == 0 {
			break
		}
		word, e := t.text(addr)
		if e == 0 && word != "" && word[0] != '-' {
			out = append(out, word)
		}
	}
	return out
}
