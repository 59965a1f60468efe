//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// A folder outside is never handed in: its descriptor would lead to everything
// above and below it, for calls that nobody judges. Who may list it gets a
// listing: a file system of its own with entries of the same names, types,
// modes, sizes and times, and nothing in them. It stands at the folder's place in
// the job's tree, so that its ".." leads there.

// maxNames is how many names one listing has.
const maxNames = 20000

var errManyNames = fmt.Errorf("it holds more than %d names", maxNames)

// openFolder asks about the names in a folder outside of the job's tree.
func (b *broker) openFolder(n *notification, t target, s spot, real, name string, flags int) reply {
	sub := subject{spot: s, real: real, outside: true, find: b.judge.read(real)}
	use := func() reply { return b.list(t, &sub, flags) }
	if fd := b.ahead.take(listed{t.leader(), real}); fd >= 0 {
		s.close()
		return injected(fd, flags)
	}
	if !sub.find.OK {
		return b.settle(n, t, OpRead, name, []subject{sub}, use)
	}
	return reply{later: func() reply {
		defer sub.close()
		b.names.Lock()
		defer b.names.Unlock()
		return use()
	}}
}

// list makes the listing and hands it over.
func (b *broker) list(t target, s *subject, flags int) reply {
	fd, err := b.show(t, s)
	if err != nil {
		b.unlisted(t, s, err)
		return reply{e: unix.EACCES}
	}
	return injected(fd, flags)
}

// unlisted tells of a listing that was allowed and could not be made.
func (b *broker) unlisted(t target, s *subject, err error) {
	a := b.access(t, OpRead, s.real, s.real, "")
	a.Folder = true
	v := violation(a, false)
	v.Text += "; its names could not be shown (" + err.Error() + ")"
	b.job.report(v)
}

// show puts a listing of the folder into the job's tree and opens it.
func (b *broker) show(t target, s *subject) (int, error) {
	if b.lists.full() {
		return -1, fmt.Errorf("it was shown %d folders already", maxListings)
	}
	place, missing, inRoot := b.placeFor(s.real)
	v, err := visiting(t)
	if err != nil {
		return -1, err
	}
	defer v.close()
	v.enter()
	fs := v.newListing()
	v.await()
	v.attr("read-only", fs, "", unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if place {
		v.folders(missing, inRoot)
		v.do("the folder's place", unix.SYS_MOVE_MOUNT, fs, "", unix.AT_FDCWD, s.real, unix.MOVE_MOUNT_F_EMPTY_PATH)
	}
	if err := v.start(); err != nil {
		return -1, err
	}
	root, err := v.handed()
	if err != nil {
		return -1, err
	}
	// From here on what it shows counts as missing.
	if e := b.lists.add(listing{real: s.real, root: root, placed: place}); e != 0 {
		return -1, e
	}
	if err := fill(root, s.obj); err != nil {
		return -1, err
	}
	if err := v.end(true); err != nil {
		return -1, err
	}
	b.led(missing)
	fd, err := unix.Openat(root, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return fd, err
}

// led remembers folders that were made on the way to something outside.
func (b *broker) led(missing []string) {
	for _, p := range missing {
		if fd, err := unix.Openat2(b.root, p, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS}); err == nil {
			b.lists.lead(fd)
			unix.Close(fd)
		}
	}
}

// placeFor looks where a folder outside has its place in the job's tree: whether
// it can have one, which folders have to be made, and whether they lie in the
// tree's own root or in a private folder. Nothing is ever made in what is bound
// from outside.
func (b *broker) placeFor(real string) (ok bool, missing []string, inRoot bool) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_DIRECTORY, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS}
	for at := real; ; at = path.Dir(at) {
		fd, err := unix.Openat2(b.root, at, &how)
		if errors.Is(err, unix.ENOENT) && at != "/" {
			missing = append([]string{at}, missing...)
			continue
		}
		if err != nil {
			return false, nil, false
		}
		defer unix.Close(fd)
		var here, root unix.Stat_t
		var fs unix.Statfs_t
		if unix.Fstat(fd, &here) != nil || unix.Fstat(b.root, &root) != nil || unix.Fstatfs(fd, &fs) != nil {
			return false, nil, false
		}
		if inRoot := here.Dev == root.Dev; inRoot || len(missing) == 0 {
			return true, missing, inRoot
		}
		g := b.judge.cover(at)
		return fs.Type == unix.TMPFS_MAGIC && g != nil && g.Private, missing, false
	}
}

// newListing makes an empty file system and hands it out.
func (v *visit) newListing() cell {
	const says = "a listing"
	conf, fs := cell(v.cell()), cell(v.cell())
	v.do(says, unix.SYS_FSOPEN, "tmpfs", unix.FSOPEN_CLOEXEC).into(conf)
	for _, o := range [][2]string{{"size", "1m"}, {"mode", "755"}} {
		v.do(says, unix.SYS_FSCONFIG, conf, unix.FSCONFIG_SET_STRING, o[0], o[1], 0)
	}
	v.do(says, unix.SYS_FSCONFIG, conf, unix.FSCONFIG_CMD_CREATE, 0, 0, 0)
	v.do(says, unix.SYS_FSMOUNT, conf, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC).into(fs)
	v.hand(says, v.pair[1], isHanded, fs)
	return fs
}

// folders makes what leads to a place.
func (v *visit) folders(missing []string, inRoot bool) {
	const says = "the way to the folder's place"
	if len(missing) == 0 {
		return
	}
	var root cell
	if inRoot {
		root = v.writable()
	}
	for _, p := range missing {
		if inRoot {
			v.do(says, unix.SYS_MKDIRAT, root, p[1:], 0o755).tolerate(mayExist, 0)
		} else {
			v.do(says, unix.SYS_MKDIRAT, unix.AT_FDCWD, p, 0o755).tolerate(mayExist, 0)
		}
	}
}

// fill puts the entries of a folder into a listing.
func fill(root, folder int) error {
	fd, err := unix.Open(fdPath(folder), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	d := os.NewFile(uintptr(fd), "folder")
	defer d.Close()
	names, err := d.Readdirnames(maxNames + 1)
	if len(names) > maxNames {
		return errManyNames
	}
	if err != nil && !errors.Is(err, io.EOF) { // io.EOF: nothing is in it
		return err
	}
	limit := uint64(math.MaxInt64)
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &lim) == nil {
		limit = min(limit, lim.Cur)
	}
	for _, name := range names {
		var st unix.Stat_t
		if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue // it is gone, or not for us to see
		}
		if err := entry(root, fd, name, &st, limit); err != nil {
			return err
		}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	return like(root, ".", &st)
}

// entry makes one name of a listing.
func entry(root, folder int, name string, st *unix.Stat_t, limit uint64) error {
	switch kind := st.Mode & unix.S_IFMT; kind {
	case unix.S_IFDIR:
		if err := unix.Mkdirat(root, name, 0o700); err != nil {
			return err
		}
	case unix.S_IFLNK:
		var buf [unix.PathMax]byte
		n, err := unix.Readlinkat(folder, name, buf[:])
		if err != nil || n == 0 {
			return nil
		}
		if err := unix.Symlinkat(string(buf[:n]), root, name); err != nil {
			return err
		}
	case unix.S_IFCHR, unix.S_IFBLK:
		// No device, but what looks like one.
		if err := unix.Mknodat(root, name, unix.S_IFCHR|0o600, 0); err != nil {
			return err
		}
	default:
		if err := unix.Mknodat(root, name, kind|0o600, 0); err != nil {
			return err
		}
		if kind == unix.S_IFREG && st.Size > 0 && uint64(st.Size) <= limit {
			_ = unix.Truncate(fdPath(root)+"/"+name, st.Size)
		}
	}
	return like(root, name, st)
}

// like gives an entry the mode and the times of what it stands for.
func like(root int, name string, st *unix.Stat_t) error {
	if st.Mode&unix.S_IFMT != unix.S_IFLNK {
		if err := unix.Fchmodat(root, name, st.Mode&0o7777, 0); err != nil {
			return err
		}
	}
	return unix.UtimesNanoAt(root, name, []unix.Timespec{st.Atim, st.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
}
