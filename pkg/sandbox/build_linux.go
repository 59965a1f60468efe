//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// builder writes the parts of a job's script that depend on what is to run.
type builder struct {
	*script
	setup
	order           *order
	control, report int
	slave           cell
	own             bool   // the job's root is its own
	first           uint64 // lets the program begin unasked
}

// build is what process 1 does for the job itself: its tree, its place, and
// what the supervisor needs of it.
func (b *builder) build() error {
	o := b.order
	if o.Stdin != "" {
		b.reopen(o)
	}
	if err := b.tree(); err != nil {
		return err
	}
	if o.Pty {
		b.terminal(o)
	}
	if o.Proxy {
		b.listener()
	}
	proc := cell(b.cell())
	b.do("/proc", unix.SYS_OPENAT, unix.AT_FDCWD, "/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0).into(proc)
	b.hand("/proc", b.report, isProc, proc)
	b.do(placeOf(o), unix.SYS_CHDIR, o.Dir)
	b.do("the rest of the order", unix.SYS_READ, b.control, b.at(b.take(8)), 8).least = 1
	return nil
}

func placeOf(o *order) string { return "working directory " + shown(o.Dir) }

// tree completes what was set up, or begins again where the plan is not the
// usual one and something more.
func (b *builder) tree() error {
	p := b.order.Plan
	rest, ok := beyond(p.Steps, b.steps)
	made, grants := b.made, p.Grants
	if !ok {
		b.do("another root", unix.SYS_UMOUNT2, raised, unix.MNT_DETACH)
		made, rest = map[string]bool{}, p.Steps
	}
	holds := b.holds(rest)
	if !ok {
		b.covers = b.raise()
	}
	if err := (tree{b.script, made, b.covers}).place(rest, holds); err != nil {
		return err
	}
	b.own = !slices.ContainsFunc(p.Steps, func(s step) bool { return s.Path == "/" })
	b.enter(b.covers, b.own)
	if b.order.Fence {
		if !ok {
			b.ruleset = b.fence(landlockVersion())
		} else {
			grants = slices.DeleteFunc(slices.Clone(grants), func(g grant) bool { return slices.Contains(b.grants, g) })
		}
		b.rules(b.ruleset, grants, "")
	}
	return nil
}

// beyond gives the steps that a plan has besides those that were made already;
// ok is false where these do not stand in it as they are, or something is to
// be put over one of them.
func beyond(all, made []step) (rest []step, ok bool) {
	have := make(map[step]bool, len(made))
	for _, st := range made {
		have[st] = true
	}
	found := 0
	for _, st := range all {
		if have[st] {
			found++
			continue
		}
		if within(st.source(), raised) {
			return nil, false
		}
		for _, m := range made {
			if within(m.Path, st.Path) {
				return nil, false
			}
		}
		rest = append(rest, st)
	}
	return rest, found == len(made)
}

// reopen puts a descriptor in the place of standard input that leads to the
// same file through a read-only mount: with the one that was handed in, its
// owner could change the file's mode, times and attributes.
func (b *builder) reopen(o *order) {
	const says = "standard input"
	was, is := b.take(256), b.take(256) // struct stat: device and inode come first
	mount := b.hold(says, o.Stdin, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NODEV, 0)
	b.do(says, unix.SYS_DUP3, mount, numbered, unix.O_CLOEXEC)
	fd := cell(b.cell())
	b.do(says, unix.SYS_OPENAT, b.procfd, fmt.Sprint(numbered), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0).into(fd)
	b.do(says, unix.SYS_FSTAT, b.pass[0], b.at(was))
	b.do(says, unix.SYS_FSTAT, fd, b.at(is))
	b.do("standard input was replaced", playSame, was, is)
	b.do("standard input was replaced", playSame, was+8, is+8)
	b.do(says, unix.SYS_LSEEK, fd, int(o.StdinAt), unix.SEEK_SET)
	b.do(says, unix.SYS_CLOSE, numbered)
	b.pass[0] = fd
}

// terminal opens the job's terminal in the job's own devpts, so that the name
// that ttyname finds is right inside, and hands the master out.
func (b *builder) terminal(o *order) {
	const says = "terminal"
	master, zero, size := cell(b.cell()), b.take(8), b.take(8)
	b.slave = cell(b.cell())
	b.put32(size, uint32(o.Rows)|uint32(o.Cols)<<16)
	b.do(says, unix.SYS_OPENAT, unix.AT_FDCWD, "/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0).into(master)
	b.do(says, unix.SYS_IOCTL, master, unix.TIOCSPTLCK, b.at(zero))
	b.do(says, unix.SYS_IOCTL, master, unix.TIOCSWINSZ, b.at(size))
	b.do(says, unix.SYS_IOCTL, master, unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC).into(b.slave)
	b.hand(says, b.report, isPty, master)
	b.do(says, unix.SYS_CLOSE, master)
}

// listener opens the proxy's port inside and hands it to the supervisor, which
// accepts from outside: nothing in the job has to carry the bytes.
func (b *builder) listener() {
	const says = "proxy"
	sock, one, addr := cell(b.cell()), b.take(8), b.take(16)
	b.put32(one, 1)
	b.put64(addr, unix.AF_INET|uint64(proxyPort>>8|proxyPort&0xff<<8)<<16|0x0100007f<<32)
	b.do(says, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0).into(sock)
	b.do(says, unix.SYS_SETSOCKOPT, sock, unix.SOL_SOCKET, unix.SO_REUSEADDR, b.at(one), 4)
	b.do(says, unix.SYS_BIND, sock, b.at(addr), 16)
	b.do(says, unix.SYS_LISTEN, sock, 128)
	b.hand(says, b.report, isProxy, sock)
	b.do(says, unix.SYS_CLOSE, sock)
}

// start is what the job's first process does before it becomes the program.
// The order matters: what needs capabilities, then their loss, then the layers
// that cannot be taken back.
func (b *builder) start() error {
	o := b.order
	if n := b.stage().cpuBytes; n > 0 {
		b.do("processors", unix.SYS_SCHED_SETAFFINITY, 0, n, b.at(stageCPUs))
	}
	b.first = rand.Uint64()
	b.do("session", unix.SYS_SETSID)
	for i, from := range b.pass {
		if o.Pty {
			from = b.slave
		}
		b.do("streams", unix.SYS_DUP3, from, i, 0)
	}
	if o.Pty {
		b.do("terminal", unix.SYS_IOCTL, 0, unix.TIOCSCTTY, 0)
	}
	b.limits(o.Plan.Limits)
	b.do("signals", unix.SYS_RT_SIGPROCMASK, sigSet, b.at(stageMask), 0, 8)
	b.none()
	if o.Fence {
		b.do("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, b.ruleset, 0)
	}
	if o.Filter {
		b.filter(o)
	}
	b.exec(o)
	return nil
}

// limits bounds the process and what it starts.
func (b *builder) limits(l Limits) {
	set := func(what int, v int64) {
		var old unix.Rlimit
		if unix.Getrlimit(what, &old) != nil {
			old.Max = unix.RLIM_INFINITY
		}
		n := min(uint64(v), old.Max)
		lim := b.take(16)
		b.put64(lim, n)
		b.put64(lim+8, n)
		b.do("limits", unix.SYS_PRLIMIT64, 0, what, b.at(lim), 0)
	}
	if l.FileSize > 0 {
		set(unix.RLIMIT_FSIZE, l.FileSize)
	}
	if l.Processes > 0 {
		set(unix.RLIMIT_NPROC, int64(l.Processes))
	}
	set(unix.RLIMIT_CORE, 0)
}

// dropBounds takes from the process what those that it forks could gain by a program;
// what it has it keeps.
func (s *script) dropBounds() {
	// The bounding set can only be emptied by who may set capabilities; who
	// may not has nothing that no_new_privs would let grow.
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		s.do("capabilities", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0).tolerate(mayFail, unix.CAP_LAST_CAP-c)
	}
	s.do("capabilities", unix.SYS_PRCTL, unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0).tolerate(mayFail, 0)
	s.do("capabilities", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0).tolerate(mayFail, 0)
}

// none drops the capabilities that a process has, and what it could gain.
func (s *script) none() {
	head := s.take(8)
	s.put32(head, unix.LINUX_CAPABILITY_VERSION_3)
	s.do("capabilities", unix.SYS_CAPSET, s.at(head), s.at(s.take(24)))
	s.do("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// filter installs the job's filter and hands out the descriptors on which the
// kernel asks.
func (b *builder) filter(o *order) {
	prog := jobFilter(filterFor{OwnNet: true, Notify: o.Notify, First: b.first})
	code, head := b.take(8*len(prog)), b.take(16)
	for i, in := range prog {
		b.put64(code+8*uintptr(i), uint64(in.Code)|uint64(in.Jt)<<16|uint64(in.Jf)<<24|uint64(in.K)<<32)
	}
	b.put32(head, uint32(len(prog)))
	b.put64(head+8, uint64(b.at(code)))
	root, fd, flags := cell(b.cell()), cell(b.cell()), 0
	if o.Notify != notifyNone {
		b.do("the job's root", unix.SYS_OPENAT, unix.AT_FDCWD, "/", unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0).into(root)
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
		if waitKillable() {
			// Without it a signal can interrupt a call that the supervisor is
			// already carrying out.
			flags |= unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
		}
	}
	c := b.do("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, b.at(head))
	if o.Notify != notifyNone {
		c.into(fd)
		b.hand("seccomp", b.control, isLayers, fd, root)
	}
}

// exec tries the program where a shell would find it.
func (b *builder) exec(o *order) {
	args, env := b.words(o.Args), b.words(o.Env)
	var again uintptr
	if len(o.Args) > 0 {
		again = b.words(append([]string{"sh", o.Path}, o.Args[1:]...))
		b.stage().again = again - b.base() + 8
	}
	sh := b.text("/bin/sh")
	for _, file := range candidates(o.Path, o.Env) {
		b.do(shown(o.Path), playExec, file, args, env, sh, again, uintptr(b.first))
	}
	b.do(shown(o.Path), playGiveUp)
}

// candidates are the places where a shell looks for a program.
func candidates(file string, env []string) []string {
	if strings.Contains(file, "/") {
		return []string{file}
	}
	search := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			search = v
		}
	}
	var out []string
	for _, dir := range strings.Split(search, ":") {
		if dir == "" {
			dir = "."
		}
		out = append(out, dir+"/"+file)
	}
	return out
}

// attend is what process 1 does once the job runs.
func (b *builder) attend() error {
	s := b.script
	if b.own {
		b.drop()
	}
	s.closeBut(3, b.control)
	b.none()
	set := b.take(8)
	b.put64(set, 1<<(uint(unix.SIGCHLD)-1))
	fd := cell(stageSignals)
	b.do("signals", unix.SYS_SIGNALFD4, -1, b.at(set), 8, unix.SFD_CLOEXEC).into(fd)
	return nil
}
