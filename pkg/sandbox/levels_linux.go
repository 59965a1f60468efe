//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// backend is how the job gets a tree of its own.
type backend uint8

const (
	byHelper backend = iota // the helper makes the namespaces and the tree
	byBwrap                 // bubblewrap makes them, the helper the rest
	byNobody                // there is none; Landlock and the supervisor hold alone
)

// levels is what one job is to be held by.
type levels struct {
	tree, user, fence, filter bool
	by                        backend
	notify                    notifyKind
}

func (l levels) list() []Level {
	var out []Level
	if l.tree {
		out = append(out, LevelTree, LevelNetwork)
	}
	if l.fence {
		out = append(out, LevelFence)
	}
	if l.filter {
		out = append(out, LevelFilter)
	}
	if l.notify != notifyNone {
		out = append(out, LevelAsking)
	}
	return out
}

// ladder gives the ways to hold a job, the best one first. A Spec that requires
// its levels has the ways with a tree only: without one, names that other
// programs make are not hidden, and the network is closed for TCP alone.
func ladder(s *Spec, c *Command) ([]levels, error) {
	full := levels{tree: true, user: true, filter: true, fence: landlockVersion() >= 3, notify: noticeFor(s, c)}
	if !full.fence && s.Required {
		return nil, fmt.Errorf("sandbox: %w: Landlock is missing (Linux 6.2 or newer, with landlock in the list of security modules)", ErrNotEnforced)
	}
	ways := []levels{full}
	if os.Geteuid() == 0 {
		plain := full
		plain.user = false
		ways = append(ways, plain)
	}
	if trustedProgram(bwrapPath) {
		wrapped := full
		wrapped.by = byBwrap
		ways = append(ways, wrapped)
	}
	if !s.Required && full.fence {
		bare := full
		bare.tree, bare.user, bare.by, bare.notify = false, false, byNobody, notifyAll
		if landlockVersion() < 6 {
			bare.notify = notifySignals
		}
		ways = append(ways, bare)
	}
	return ways, nil
}

// noticeFor says about which calls the supervisor has to be asked.
func noticeFor(s *Spec, c *Command) notifyKind {
	switch {
	case c.Ask != nil || namesAtAnyDepth(s.Denied) || len(s.AskRead) > 0:
		return notifyAll // what is asked about is refused with words, so a mount does not do
	case len(s.Write) > 0 && len(s.Protected)+len(s.AskWrite) > 0, c.Stdin != nil:
		return notifyNames // what was handed in must not be opened for writing
	}
	return notifyNone
}

// setupError is a failure to set the sandbox up, as opposed to the program.
type setupError struct{ err error }

func (e setupError) Error() string { return e.err.Error() }
func (e setupError) Unwrap() error { return e.err }

// canDegrade says whether another way may do what this one could not.
func canDegrade(err error) bool {
	var s setupError
	return errors.As(err, &s)
}

// identityMaps map the caller to itself; root to everybody it can see, so that
// files keep their owners.
func identityMaps() (uids, gids []syscall.SysProcIDMap, setgroups bool) {
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 {
		u, g := seenIDs("/proc/self/uid_map"), seenIDs("/proc/self/gid_map")
		if len(u) > 0 && len(g) > 0 {
			return u, g, true
		}
	}
	return []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}, []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}, false
}

func seenIDs(file string) []syscall.SysProcIDMap {
	var buf [4096]byte
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	n, err := unix.Read(fd, buf[:])
	unix.Close(fd)
	if err != nil || n <= 0 || n == len(buf) {
		return nil
	}
	b := buf[:n]
	var out []syscall.SysProcIDMap
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil
		}
		id, err1 := strconv.Atoi(f[0])
		size, err2 := strconv.Atoi(f[2])
		if err1 != nil || err2 != nil {
			return nil
		}
		out = append(out, syscall.SysProcIDMap{ContainerID: id, HostID: id, Size: size})
	}
	return out
}

// trustedProgram says whether a helper program belongs to root and can be
// changed by nobody else.
func trustedProgram(file string) bool {
	var st unix.Stat_t
	return unix.Stat(file, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Uid == 0 && st.Mode&0o022 == 0 && st.Mode&0o111 != 0
}
