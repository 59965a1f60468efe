//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Rights over files, by the version of Landlock that brought them.
const (
	llFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	llRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	llWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	llDevices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// fence is a Landlock ruleset as a value.
type fence struct {
	Files  uint64
	Net    uint64
	Scoped uint64
	Rules  []fenceRule
}

type fenceRule struct {
	Path  string
	Allow uint64
}

// fenceOf works out the ruleset for a version of Landlock. A version below 3
// cannot hold truncation, so it is refused rather than used by halves.
func fenceOf(grants []grant, abi int, ownNet bool) (fence, error) {
	if abi < 3 {
		return fence{}, fmt.Errorf("sandbox: this kernel's Landlock has version %d; version 3 (Linux 6.2) is the first that also holds truncation", abi)
	}
	f := fenceFor(abi, ownNet)
	for _, g := range grants {
		if a := f.rights(g, ownNet); a != 0 {
			f.Rules = append(f.Rules, fenceRule{g.Path, a})
		}
	}
	return f, nil
}

// fenceFor is what a ruleset handles, still without rules. In a tree of the
// job's own, reading and truncating are left to the tree: all that is in it may
// be read, and its mounts hold what may not be changed. Handling them would make
// the kernel walk up from the file with every open.
func fenceFor(abi int, ownNet bool) fence {
	f := fence{Files: llRead | llWrite | llDevices | unix.LANDLOCK_ACCESS_FS_EXECUTE}
	if ownNet {
		f.Files &^= llRead | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 && !ownNet {
		f.Net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		f.Files |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		f.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return f
}

// rights are what a grant opens of what the ruleset handles.
func (f fence) rights(g grant, ownNet bool) uint64 {
	var a uint64
	if g.Access&canRead != 0 {
		a |= llRead
	}
	if g.Access&canWrite != 0 {
		a |= llWrite
	}
	if g.Access&canRun != 0 || g.Access&canPut != 0 && ownNet {
		a |= unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	if g.Access&canIoctl != 0 {
		a |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if g.Access&canList != 0 && ownNet {
		a |= unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	return a & f.Files
}

// apply puts the calling thread behind the fence. The thread must have
// no_new_privs. Paths that do not exist have nothing to grant; any other
// failure is an error, and the thread must not be used.
func (f fence) apply() error {
	fd, err := landlockCreate(f)
	if err != nil {
		return fmt.Errorf("sandbox: landlock: %w", err)
	}
	defer unix.Close(fd)
	for _, r := range f.Rules {
		if err := f.add(fd, r); err != nil {
			return fmt.Errorf("sandbox: landlock: %s: %w", r.Path, err)
		}
	}
	if err := landlockRestrict(fd); err != nil {
		return fmt.Errorf("sandbox: landlock: %w", err)
	}
	return nil
}

func (f fence) add(ruleset int, r fenceRule) error {
	p, err := unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(p)
	var st unix.Stat_t
	if err := unix.Fstat(p, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		r.Allow &= llFile
	}
	if r.Allow == 0 {
		return nil
	}
	return landlockAllow(ruleset, p, r.Allow)
}
