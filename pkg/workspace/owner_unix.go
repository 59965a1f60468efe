//go:build unix

package workspace

import (
	"os"
	"syscall"
)

// ownedByOther reports whether a folder belongs to another user (root aside):
// whoever can write it could widen the workspace.
func ownedByOther(dir string) bool {
	fi, err := os.Lstat(dir)
	if err != nil {
		return true
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Uid != 0 && int(st.Uid) != os.Geteuid()
}
