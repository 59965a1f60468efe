//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// bubblewrap is used where plain user namespaces are refused and its own
// profile allows them. It is found by its absolute path, never through PATH,
// and it gets an empty environment.
const (
	bwrapPath   = "/usr/bin/bwrap"
	bwrapHelper = "/.helper"
)

// bwrapArgs is the tree of a plan in bubblewrap's words.
func bwrapArgs(steps []step, exe string) []string {
	args := []string{
		"bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent",
		"--as-pid-1", "--clearenv", "--cap-drop", "ALL",
	}
	for _, st := range steps {
		args = append(args, bwrapStep(st)...)
	}
	return append(args, "--ro-bind", exe, bwrapHelper, "--remount-ro", "/", "--chdir", "/", "--", bwrapHelper, helperName)
}

func bwrapStep(st step) []string {
	if st.Path == "/dev" {
		return []string{"--dev", "/dev"}
	}
	if within(st.Path, "/dev") {
		return nil
	}
	switch st.Do {
	case doBind:
		if text, err := os.Readlink(st.Path); err == nil && st.From == "" {
			return []string{"--symlink", text, st.Path}
		}
		how := "--ro-bind-try"
		if st.Write {
			how = "--bind-try"
		}
		return []string{how, st.Path, st.Path}
	case doTmp:
		return []string{"--perms", "1777", "--size", strconv.FormatInt(st.Size, 10), "--tmpfs", st.Path}
	case doProc:
		return []string{"--proc", st.Path}
	case doLink:
		return []string{"--symlink", st.From, st.Path}
	case doKeep:
		return []string{"--ro-bind-try", st.Path, st.Path}
	case doEmpty:
		var s unix.Stat_t
		if unix.Lstat(st.Path, &s) != nil {
			return nil
		}
		switch s.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			return []string{"--perms", "0000", "--tmpfs", st.Path}
		case unix.S_IFREG:
			return []string{"--ro-bind", "/dev/null", st.Path}
		}
	}
	return nil
}
