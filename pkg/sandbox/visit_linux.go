//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// visit is a short-lived process that steps into a job's namespaces and changes
// its tree there: nobody inside has the power to, and the supervisor has too
// many threads. It plays a script, as process 1 does, and cannot be seen from
// inside. It ends with the supervisor's thread that began it.
type visit struct {
	*script
	pair [2]int // ours, and the visitor's
	own  []int  // the job's namespaces, open while it is not started yet
	pid  int
}

// isHanded is the record that comes with a descriptor of a visitor's.
const isHanded = isEnd + 1

// visiting begins the script of a visitor to the namespaces of a job's process.
func visiting(t target) (*visit, error) {
	mem, err := newRegion()
	if err != nil {
		return nil, err
	}
	v := &visit{script: &script{region: mem}, pair: [2]int{-1, -1}}
	if v.pair, err = socketPair(); err != nil {
		v.close()
		return nil, err
	}
	mnt, err := unix.Open(t.proc("ns/mnt"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		v.close()
		return nil, fmt.Errorf("sandbox: the job's mount namespace: %w", err)
	}
	v.own = append(v.own, mnt)
	// Not the process's own user namespace, which may be one below.
	user, err := unix.IoctlRetInt(mnt, unix.NS_GET_USERNS)
	if err != nil {
		v.close()
		return nil, fmt.Errorf("sandbox: the job's user namespace: %w", err)
	}
	v.own = append(v.own, user)
	unix.CloseOnExec(user)
	v.do("user namespace", unix.SYS_SETNS, user, unix.CLONE_NEWUSER)
	// A change of credentials takes it back, so not before.
	v.do("the supervisor's end", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, int(unix.SIGKILL), 0, 0, 0)
	return v, nil
}

// enter goes into the job's tree.
func (v *visit) enter() { v.do("mount namespace", unix.SYS_SETNS, v.own[0], unix.CLONE_NEWNS) }

// writable gives a view of the job's root that can be changed. What is mounted
// on it is not in this view.
func (v *visit) writable() cell {
	const says = "the job's root"
	root, attr := cell(v.cell()), v.take(32)
	v.put64(attr+8, unix.MOUNT_ATTR_RDONLY) // to be cleared
	v.do(says, unix.SYS_OPEN_TREE, unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).into(root)
	v.do(says, unix.SYS_MOUNT_SETATTR, root, "", unix.AT_EMPTY_PATH, v.at(attr), 32)
	return root
}

// await lets the supervisor do something first.
func (v *visit) await() {
	v.do("the word to go on", unix.SYS_READ, v.pair[1], v.at(v.take(8)), 8).least = 1
}

// start begins the visit. What the script says must be complete.
func (v *visit) start() error {
	v.do("end", unix.SYS_EXIT_GROUP, 0)
	p, err := v.done()
	if err != nil {
		return err
	}
	st := v.stage()
	st.visit, st.control, st.report, st.pidfd, st.signals = p, int32(v.pair[1]), int32(v.pair[1]), -1, -1
	st.page = uintptr(os.Getpagesize())
	var pid uintptr
	var e unix.Errno
	err = withoutHeap(func() { pid, e = forkInit(unsafe.Pointer(st), 0) })
	if err == nil && e != 0 {
		err = e
	}
	if err != nil {
		return fmt.Errorf("sandbox: a process that enters the job: %w", err)
	}
	v.pid = int(pid)
	closeFD(v.pair[1])
	v.pair[1] = -1
	return nil
}

// handed takes the descriptor that the visitor hands out.
func (v *visit) handed() (int, error) {
	var buf [32]byte
	b, fds, err := recvBytes(v.pair[0], buf[:])
	if err != nil {
		return -1, err
	}
	n := recordOf(b)
	if n.Is != isHanded || len(fds) == 0 {
		closeAll(fds)
		return -1, v.failed(n)
	}
	return one(fds), nil
}

// end tells the visitor to go on, where it waits, and waits for its end.
func (v *visit) end(goOn bool) error {
	if goOn {
		if err := sendBytes(v.pair[0], []byte{1}, nil); err != nil {
			return err
		}
	}
	var buf [32]byte
	b, fds, err := recvBytes(v.pair[0], buf[:])
	closeAll(fds)
	if errors.Is(err, errGone) {
		return nil
	}
	if err != nil {
		return err
	}
	return v.failed(recordOf(b))
}

func (v *visit) failed(n record) error {
	says := strconv.Itoa(int(n.Call))
	if int(n.Call) < len(v.says) {
		says = v.says[n.Call]
	}
	return fmt.Errorf("sandbox: in the job's tree: %s: %w", says, unix.Errno(n.Value))
}

// close ends the visit and lets go of everything.
func (v *visit) close() {
	for _, fd := range append(v.own, v.pair[0], v.pair[1]) {
		closeFD(fd)
	}
	if v.pid > 0 {
		_ = unix.Kill(v.pid, unix.SIGKILL)
		waitFor(v.pid)
	}
	v.free()
}
