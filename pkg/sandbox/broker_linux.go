//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// broker carries out the system calls that the kernel holds. The job's thread
// takes them all and does what is quick itself; what can wait (a person, the
// other end of a named pipe) gets a thread of its own.
type broker struct {
	fd    int
	root  int
	forms map[uint32]form
	judge *judge
	asks  *asks
	own   bool // the job has a tree and a network of its own
	job   *Job
	ptys  ptys

	lists listings
	ahead allowed
	kin   int // the helper, once it is known; see [broker.helper]

	slow    atomic.Int32 // threads that wait
	threads sync.WaitGroup
	// segments is what the job has asked for as System V memory, in bytes.
	segments int64
	names    sync.Mutex // between a judgement about names and its use
}

const maxSlow = 64

// newBroker makes what answers the kernel once it asks.
func (j *Job) newBroker() *broker {
	b := &broker{fd: -1, root: -1, own: j.tree, job: j, forms: forms(), judge: newJudge(&j.spec, j.plan)}
	b.asks = newAsks(j.ctx, &j.cmd, j.io.lend, j.report)
	return b
}

// supervise begins to answer the kernel, on the calling thread. The descriptors
// are the one on which it asks and the job's root.
func (b *broker) supervise(fds []int) error {
	if len(fds) != 2 {
		closeAll(fds)
		return errors.New("sandbox: supervisor: no descriptor to be asked on")
	}
	b.fd, b.root = fds[0], fds[1]
	notifySync(b.fd)
	b.job.broker = b
	return b.job.become()
}

// close waits for the threads that still carry something out.
func (b *broker) close() {
	b.threads.Wait()
	closeAll([]int{b.fd, b.root})
	b.lists.close()
	b.ahead.close()
}

// becomeWorker gives the calling goroutine a thread for good, with a mask and
// a working folder of its own and no more privilege than the job has. The
// thread ends with the goroutine.
func becomeWorker() error {
	runtime.LockOSThread()
	if _, err := undisturbed(); err != nil {
		return fmt.Errorf("sandbox: supervisor: %w", err)
	}
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("sandbox: supervisor: %w", err)
	}
	unix.Umask(0)
	if err := dropThreadCapabilities(); err != nil {
		return fmt.Errorf("sandbox: supervisor: %w", err)
	}
	return nil
}

// undisturbed keeps signals from the calling thread, for others of the process to
// take: where one comes while a descriptor is handed over, the kernel has answered
// the call with 0, and the descriptor is never there. What the thread causes
// itself is not kept from it. was is what it held back before.
func undisturbed() (was unix.Sigset_t, err error) {
	all := unix.Sigset_t{Val: [16]uint64{^uint64(1<<(unix.SIGSEGV-1) | 1<<(unix.SIGBUS-1) | 1<<(unix.SIGFPE-1) |
		1<<(unix.SIGILL-1) | 1<<(unix.SIGTRAP-1) | 1<<(unix.SIGSYS-1))}}
	err = unix.PthreadSigmask(unix.SIG_BLOCK, &all, &was)
	return was, err
}

// lent is a thread that is a worker for a while.
type lent struct {
	worker bool
	mask   unix.Sigset_t
	umask  int
	caps   [2]unix.CapUserData
}

// become makes the calling thread a worker until it is given back.
func (w *lent) become() error {
	runtime.LockOSThread()
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&hdr, &w.caps[0]); err != nil {
		return fmt.Errorf("sandbox: supervisor: %w", err)
	}
	mask, err := undisturbed()
	if err != nil {
		return fmt.Errorf("sandbox: supervisor: %w", err)
	}
	w.worker, w.mask, w.umask = true, mask, -1
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("sandbox: supervisor: %w", err)
	}
	w.umask = unix.Umask(0)
	without := w.caps
	without[0].Effective, without[1].Effective = 0, 0
	if err := unix.Capset(&hdr, &without[0]); err != nil {
		return fmt.Errorf("sandbox: supervisor: %w", err)
	}
	return nil
}

// back gives the thread back to the rest of the program. One that cannot be as it
// was stays the goroutine's, and ends with it.
func (w *lent) back() {
	if !w.worker {
		return
	}
	if w.umask >= 0 {
		unix.Umask(w.umask)
	}
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if unix.Capset(&hdr, &w.caps[0]) == nil && unix.PthreadSigmask(unix.SIG_SETMASK, &w.mask, nil) == nil {
		runtime.UnlockOSThread()
	}
}

// next takes one notification; false when there will be no more.
func (b *broker) next() bool {
	var n notification
	switch e := notifyRecv(b.fd, &n); e {
	case 0:
		b.handle(&n)
	case unix.EINTR, unix.ENOENT, unix.EAGAIN:
	default:
		return false
	}
	return true
}

// handle answers one notification, whatever happens.
func (b *broker) handle(n *notification) {
	r := reply{e: unix.EPERM}
	defer func() {
		if v := recover(); v != nil {
			b.answer(n, reply{e: unix.EPERM})
		}
	}()
	f, ok := b.forms[uint32(n.Nr)]
	if ok && n.Arch == nativeArch {
		r = b.do(n, f)
	}
	if r.later != nil {
		b.later(n, r.later)
		return
	}
	b.answer(n, r)
}

// later runs what may wait on a thread of its own.
func (b *broker) later(n *notification, f func() reply) {
	if b.slow.Add(1) > maxSlow {
		b.slow.Add(-1)
		b.answer(n, reply{e: unix.EACCES})
		return
	}
	held := *n
	b.threads.Add(1)
	go func() {
		defer b.threads.Done()
		defer b.slow.Add(-1)
		r := reply{e: unix.EACCES}
		defer func() {
			_ = recover()
			b.answer(&held, r)
		}()
		if becomeWorker() == nil {
			r = f()
		}
	}()
}

// reply is the outcome of a call: an error, a result, or a descriptor.
type reply struct {
	e     unix.Errno
	val   int64
	fd    int // to be put into the target and closed here; 0 for none
	flags uint32
	at    int // the number that it replaces there, plus one
	pass  bool
	later func() reply
}

func (b *broker) answer(n *notification, r reply) {
	if r.fd > 0 {
		defer unix.Close(r.fd)
		a := addFD{ID: n.ID, Src: uint32(r.fd), NewFlags: r.flags, Flags: unix.SECCOMP_ADDFD_FLAG_SEND}
		if r.at > 0 {
			a.Flags, a.New = unix.SECCOMP_ADDFD_FLAG_SETFD, uint32(r.at-1)
		}
		_, e := notifyAdd(b.fd, &a)
		if e == 0 && r.at == 0 || e == unix.ENOENT {
			return
		}
		r = reply{e: e}
	}
	out := response{ID: n.ID, Val: r.val, Error: -int32(r.e)}
	if r.pass {
		out = response{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	}
	_ = notifySend(b.fd, &out)
}

func arg(n *notification, i int8) uint64 {
	if i == 0 {
		return 0
	}
	return n.Args[i-1]
}

// dirOf is the descriptor argument, or the working folder.
func dirOf(n *notification, i int8) int32 {
	if i == 0 {
		return unix.AT_FDCWD
	}
	return int32(n.Args[i-1])
}

// access describes the attempt for a person.
func (b *broker) access(t target, op Op, p, name, rule string) Access {
	return Access{Op: op, Path: p, Name: name, Rule: rule, Program: t.program(), Pid: t.pid}
}

// hostPath is the name that a path of the job has outside, where its folders
// stand under the same names.
func (b *broker) hostPath(t target, dirfd int32, p string) (string, bool) {
	if p != "" && p[0] == '/' {
		return p, true
	}
	d, e := t.dir(dirfd)
	if e != 0 {
		return "", false
	}
	defer unix.Close(d)
	base, e := pathOf(d)
	if e != 0 {
		return "", false
	}
	if real := b.lists.base(d, base); real != "" {
		base = real
	}
	return base + "/" + p, true
}

// outside resolves a path in the supervisor's own view: to use it where it is
// granted, to ask about it, or at least to say that it was refused.
func (b *broker) outside(t target, dirfd int32, p string, follow bool) (spot, string, bool) {
	none := spot{parent: -1, obj: -1}
	if !b.own || p == "" {
		return none, "", false
	}
	name, ok := b.hostPath(t, dirfd, p)
	if !ok || b.judge.lookOut(path.Clean(name)) == lookNot {
		return none, "", false
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if err != nil {
		return none, "", false
	}
	defer unix.Close(root)
	host := target{pid: os.Getpid(), root: root}
	s, e := host.walk(root, name, follow)
	if e == 0 && s.parent < 0 && !s.magic {
		s, e = host.again(s) // a path that ends in dots
	}
	if e != 0 || s.magic || s.parent < 0 {
		s.close()
		return none, "", false
	}
	real, e := s.path()
	if e != 0 || b.judge.lookOut(real) == lookNot {
		s.close()
		return none, "", false
	}
	return s, real, true
}

// refuse refuses without asking.
func (b *broker) refuse(a Access, quiet bool) unix.Errno {
	if !quiet {
		b.job.report(violation(a, false))
	}
	return unix.EACCES
}

// wait asks and gives the person's answer; the call must still be there then.
func (b *broker) wait(ctx context.Context, n *notification, a Access) bool {
	return b.asks.ask(ctx, a) && notifyValid(b.fd, n.ID)
}
