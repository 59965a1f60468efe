//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

var errNotFound = errors.New("command not found")

// lookup finds the program as a shell would, in the job's own tree and PATH.
func (h *helper) lookup() (string, error) {
	if strings.Contains(h.Path, "/") {
		return h.Path, nil
	}
	search := ""
	for _, kv := range h.Env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			search = v
		}
	}
	found := error(errNotFound)
	for _, dir := range strings.Split(search, ":") {
		if dir == "" {
			dir = "."
		}
		file := dir + "/" + h.Path
		var st unix.Stat_t
		if unix.Stat(file, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if unix.Access(file, unix.X_OK) != nil {
			found = unix.EACCES
			continue
		}
		return file, nil
	}
	return "", fmt.Errorf("%s: %w", shown(h.Path), found)
}

// launch starts the job from the calling thread, whose layers it inherits.
func (h *helper) launch(file string) (int, error) {
	attr := &syscall.ProcAttr{Env: h.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true}}
	if h.slave >= 0 {
		attr.Files = []uintptr{uintptr(h.slave), uintptr(h.slave), uintptr(h.slave)}
		attr.Sys.Setctty = true
	}
	pid, err := syscall.ForkExec(file, h.Args, attr)
	if errors.Is(err, unix.ENOEXEC) {
		// A script without a first line that names its interpreter.
		pid, err = syscall.ForkExec("/bin/sh", append([]string{"sh", file}, h.Args[1:]...), attr)
	}
	return pid, err
}

// setLimits bounds the calling process and what it starts.
func setLimits(l Limits) error {
	set := func(what int, v int64) error {
		if v <= 0 {
			return nil
		}
		var old unix.Rlimit
		if err := unix.Getrlimit(what, &old); err != nil {
			return err
		}
		n := uint64(v)
		if old.Max < n {
			n = old.Max
		}
		return unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n})
	}
	if err := set(unix.RLIMIT_FSIZE, l.FileSize); err != nil {
		return fmt.Errorf("sandbox: limit on file size: %w", err)
	}
	if err := set(unix.RLIMIT_NPROC, int64(l.Processes)); err != nil {
		return fmt.Errorf("sandbox: limit on processes: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("sandbox: limit on core files: %w", err)
	}
	return nil
}

// noRoot are NOROOT, NO_SETUID_FIXUP and their locks; KEEP_CAPS locked off.
const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5

// dropPrivileges takes every capability from the calling thread, for good.
func dropPrivileges() error {
	// The bounding set can only be emptied by who may set capabilities; who
	// may not has nothing that no_new_privs would let grow.
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			break
		}
	}
	_ = unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0)
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&hdr, &none[0]); err != nil {
		return fmt.Errorf("sandbox: drop capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: no_new_privs: %w", err)
	}
	return nil
}
