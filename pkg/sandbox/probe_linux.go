//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const probeTime = 10 * time.Second

// Probes tries every level once, each by a round trip through the kernel, and
// says what is missing and how to get it. It takes some tens of milliseconds.
func Probes() []Probe {
	out := []Probe{probeTree(byHelper)}
	if !out[0].OK {
		out[0].Mend = mendNamespaces()
	}
	if p := probeTree(byBwrap); trustedProgram(bwrapPath) || !out[0].OK {
		p.Name = "bubblewrap, in their place"
		p.Mend = "install bubblewrap (" + bwrapPath + ")"
		if p.OK {
			p.Mend = ""
		}
		out = append(out, p)
	}
	return append(out, onThread(LevelFence, "Landlock", probeFence), onThread(LevelFilter, "seccomp filter", probeFilter),
		onThread(LevelAsking, "seccomp user notification", probeAsking))
}

// probeTree runs a program in a tree of its own.
func probeTree(by backend) Probe {
	p := Probe{Level: LevelTree, Name: "mount, pid, net, ipc, uts and user namespaces"}
	if by == byBwrap && !trustedProgram(bwrapPath) {
		p.Detail = "there is no " + bwrapPath + " that belongs to root"
		return p
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	l := levels{tree: true, user: true, by: by}
	s := Spec{Dir: "/"}
	j, err := start(ctx, s, Command{Args: []string{"/bin/sh", "-c", "test $$ -lt 10 && test ! -e /root/.profile && test ! -e /boot"}, Env: []string{"PATH=/usr/bin:/bin"}}, l, nil)
	if err != nil {
		p.Detail = err.Error()
		return p
	}
	r := j.Wait()
	p.OK = r.Code == 0
	if !p.OK {
		p.Detail = fmt.Sprintf("a program in it ended with %d", r.Code)
	}
	return p
}

// mendNamespaces reads what usually stands against user namespaces.
func mendNamespaces() string {
	is := func(file, want string) bool {
		b, err := os.ReadFile(file)
		return err == nil && strings.TrimSpace(string(b)) == want
	}
	switch {
	case is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"):
		return "AppArmor refuses user namespaces to programs without a profile: install bubblewrap, or a profile for mayi with the rule 'userns,'"
	case is("/proc/sys/kernel/unprivileged_userns_clone", "0"):
		return "set the sysctl kernel.unprivileged_userns_clone to 1"
	case is("/proc/sys/user/max_user_namespaces", "0"):
		return "set the sysctl user.max_user_namespaces to 1000 or so"
	}
	if _, err := os.Stat("/.dockerenv"); err == nil {
		return "start the container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or with a runtime that allows nested namespaces"
	}
	return "the kernel needs user namespaces and mount_setattr (Linux 5.12); in WSL use version 2"
}

// onThread runs a probe on a thread that ends with it, since what it does to
// the thread cannot be undone.
func onThread(l Level, name string, f func() (string, string, error)) Probe {
	p := Probe{Level: l, Name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		detail, mend, err := f()
		p.OK, p.Detail, p.Mend = err == nil, detail, mend
		if err != nil {
			p.Detail = err.Error()
		} else {
			p.Mend = ""
		}
	}()
	<-done
	return p
}

func probeFence() (detail, mend string, err error) {
	mend = "Linux 6.2 or newer with CONFIG_SECURITY_LANDLOCK, and landlock in the kernel's lsm= list"
	v := landlockVersion()
	f, err := fenceOf([]grant{{Path: "/proc", Access: canRead}}, v, false)
	if err != nil {
		return "", mend, err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", mend, err
	}
	if err := f.apply(); err != nil {
		return "", mend, err
	}
	if fd, err := unix.Open("/etc/passwd", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		unix.Close(fd)
		return "", mend, errors.New("a file that was not granted could be opened")
	}
	detail = fmt.Sprintf("version %d", v)
	if v < 6 {
		detail += "; signals and abstract sockets need version 6 (Linux 6.12), the namespaces cover them"
	}
	return detail, mend, nil
}

func probeFilter() (detail, mend string, err error) {
	mend = "the kernel needs CONFIG_SECCOMP_FILTER; a container may have to allow seccomp(2)"
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", mend, err
	}
	if _, err := installFilter(jobFilter(filterFor{OwnNet: true}), false); err != nil {
		return "", mend, err
	}
	if _, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0); err != unix.EAFNOSUPPORT {
		return "", mend, fmt.Errorf("a refused call gave %v", err)
	}
	return "", mend, nil
}

// probeAsking lets the kernel ask about one call, answers it with a descriptor,
// and looks whether the descriptor arrived.
func probeAsking() (detail, mend string, err error) {
	mend = "Linux 5.14 or newer, and a container that allows seccomp(2) with a listener"
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", mend, err
	}
	prog := assemble(nativeArch, foreignNumbers, []block{{unix.SYS_TRUNCATE, []unix.SockFilter{tell()}}})
	fd, err := installFilter(prog, true)
	if err != nil {
		return "", mend, err
	}
	defer unix.Close(fd)
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return "", mend, err
	}
	defer closeAll(pipe[:])
	answered := make(chan unix.Errno, 1)
	go func() {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, int(probeTime.Milliseconds())); err != nil || n == 0 {
			answered <- unix.ETIMEDOUT
			return
		}
		var n notification
		if e := notifyRecv(fd, &n); e != 0 {
			answered <- e
			return
		}
		_, e := notifyAdd(fd, &addFD{ID: n.ID, Src: uint32(pipe[0]), Flags: unix.SECCOMP_ADDFD_FLAG_SEND, NewFlags: unix.O_CLOEXEC})
		if e != 0 {
			_ = notifySend(fd, &response{ID: n.ID, Error: -int32(unix.EPERM)})
		}
		answered <- e
	}()
	got, _, e := unix.Syscall(unix.SYS_TRUNCATE, 0, 0, 0)
	if a := <-answered; a != 0 {
		return "", mend, fmt.Errorf("a descriptor could not be handed over: %w", a)
	}
	if e != 0 {
		return "", mend, e
	}
	unix.Close(int(got))
	detail = "with descriptors handed over"
	if waitKillable() {
		detail += ", undisturbed by signals"
	} else {
		detail += "; before Linux 5.19 a signal can make a program repeat a call"
	}
	return detail, mend, nil
}

// waitKillable says whether WAIT_KILLABLE_RECV is known: the kernel checks the
// flags before it looks at the filter.
func waitKillable() bool {
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 0)
	return e == unix.EFAULT
}
