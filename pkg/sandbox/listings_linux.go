//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// listings are the listings that a job was given: what they hold are names, and
// nothing that could be opened. Whoever uses one of the names means what it
// stands for outside, so that for everything but looking they count as missing
// in the job's tree. The zero value is empty and ready; nil is empty.
type listings struct {
	mu    sync.Mutex
	lists map[uint64]listing // by the device of their file system
	made  map[object]bool    // folders of the job's tree that only lead to a listing
}

// listing is one of them. Its descriptor keeps the device's number its own.
type listing struct {
	real   string
	root   int
	placed bool
}

type object struct{ dev, ino uint64 }

// maxListings is how many folders one job is shown; who walks through more of a
// tree than that should be granted it.
const maxListings = 500

// holds says whether what was found is only shown.
func (s *listings) holds(at *spot) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lists)+len(s.made) == 0 {
		return false
	}
	st := at.st
	if at.obj < 0 && unix.Fstat(at.parent, &st) != nil {
		return true
	}
	_, ok := s.lists[st.Dev]
	return ok || at.obj >= 0 && s.made[object{st.Dev, st.Ino}]
}

// base is the folder that a descriptor of a listing stands for, "" for any
// other; p is the kernel's name for it.
func (s *listings) base(fd int, p string) string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var st unix.Stat_t
	if len(s.lists) == 0 || unix.Fstat(fd, &st) != nil {
		return ""
	}
	l, ok := s.lists[st.Dev]
	switch {
	case !ok:
		return ""
	case l.placed:
		return p
	}
	return strings.TrimSuffix(l.real+p, "/")
}

// full says that the job gets no more.
func (s *listings) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lists) >= maxListings
}

// add remembers a listing and takes its descriptor over.
func (s *listings) add(l listing) unix.Errno {
	var st unix.Stat_t
	if err := unix.Fstat(l.root, &st); err != nil {
		closeFD(l.root)
		return errno(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists == nil {
		s.lists = map[uint64]listing{}
	}
	s.lists[st.Dev] = l
	return 0
}

// lead remembers a folder that was made on the way to a listing.
func (s *listings) lead(fd int) {
	var st unix.Stat_t
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made = map[object]bool{}
	}
	if unix.Fstat(fd, &st) == nil {
		s.made[object{st.Dev, st.Ino}] = true
	}
}

func (s *listings) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lists {
		closeFD(l.root)
	}
	s.lists = nil
}
