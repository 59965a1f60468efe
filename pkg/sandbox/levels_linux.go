//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// levels is what one job will be held by.
type levels struct {
	tree, user, fence, filter bool
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

func levelsFor(s *Spec, c *Command) (levels, error) {
	l := levels{tree: true, user: true, filter: true, fence: landlockVersion() >= 3}
	switch {
	case c.Ask != nil || namesAtAnyDepth(s.Denied):
		l.notify = notifyAll
	case len(s.Write) > 0 && len(s.Protected) > 0:
		l.notify = notifyNames
	}
	if s.Required && !l.fence {
		return l, fmt.Errorf("sandbox: %w: no Landlock", ErrNotEnforced)
	}
	return l, nil
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
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
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
