//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// lift puts the same folder and object of the machine's own tree in the place of
// those in the job's, which a mount may keep read-only: a person has allowed just
// this. The descriptors keep their numbers. Where they are not the same any more,
// nothing is put there.
func (s *subject) lift() {
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if err != nil {
		return
	}
	defer unix.Close(root)
	h, e := target{pid: os.Getpid(), root: root}.walk(root, s.real, false)
	if e != 0 {
		return
	}
	defer h.close()
	if real, e := h.path(); e != 0 || real != s.real || h.magic || h.name != s.name || !same(h.parent, s.parent) || !same(h.obj, s.obj) {
		return
	}
	for _, pair := range [][2]int{{h.parent, s.parent}, {h.obj, s.obj}} {
		if pair[1] >= 0 {
			_ = unix.Dup3(pair[0], pair[1], unix.O_CLOEXEC) // the old one stays where this fails
		}
	}
}

// same says whether two descriptors are of the same object, or both of none.
func same(a, b int) bool {
	if a < 0 || b < 0 {
		return a < 0 && b < 0
	}
	var x, y unix.Stat_t
	return unix.Fstat(a, &x) == nil && unix.Fstat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}
