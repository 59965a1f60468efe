package tools

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"mayi/internal/proc"
)

// frontOf says who reads the session's input now. Whatever cannot be found
// out counts as some other program.
func frontOf(s *shellSession, shell string) front {
	pid := s.proc.pid
	group := pid
	if s.proc.tty != nil {
		fg, ok := askDevice(s.proc.tty, unix.TIOCGPGRP)
		if !ok {
			return front{name: "an unknown program"}
		}
		group = fg
	}
	all, err := proc.All()
	if err != nil {
		return front{name: "an unknown program"}
	}
	child := 0
	for _, p := range all {
		// Without a terminal every child shares the input; with one, only
		// the foreground group reads it.
		if p.Parent == pid && p.State != 'Z' && (s.proc.tty == nil || p.Group == group) {
			child = p.PID
			break
		}
	}
	reader := group
	if group == pid && child != 0 {
		reader = child
	}
	f := describe(reader)
	if reader != pid {
		// Until a child runs its program it goes by the shell's arguments.
		f.other = !slices.Equal(f.argv, describe(pid).argv)
		return f
	}
	if !s.typed.shell {
		f.starting = slices.Equal(f.argv, s.proc.args)
		f.data = slices.Contains(dataPrograms, systemProgram(pid))
		return f
	}
	f.prompt = isShell(pid, shell) && promptArgs(f.argv) && waitsForInput(pid) && s.proc.inputTaken() && f.dir != ""
	return f
}

// dataPrograms do nothing with their input but print it, or part of it.
var dataPrograms = []string{"cat", "head", "tail", "wc", "sort", "uniq", "tr", "cut", "rev", "nl", "tac", "fold", "grep", "base64", "md5sum", "sha1sum", "sha256sum", "sha512sum"}

func describe(pid int) front {
	f := front{name: "an unknown program"}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err == nil && len(b) > 0 {
		for _, a := range bytes.Split(bytes.TrimSuffix(b, []byte{0}), []byte{0}) {
			f.argv = append(f.argv, string(a))
		}
		f.name = filepath.Base(strings.TrimPrefix(f.argv[0], "-"))
	}
	if dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil && !strings.HasSuffix(dir, " (deleted)") {
		f.dir = dir
	}
	return f
}

// systemProgram is the name of the program file, where it is one of the
// system's; what a program calls itself proves nothing.
func systemProgram(pid int) string {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	dir, name := filepath.Split(exe)
	if dir != "/bin/" && dir != "/usr/bin/" {
		return ""
	}
	return name
}

func isShell(pid int, shell string) bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	for _, known := range []string{shell, "/bin/sh", "/bin/bash", "/bin/dash"} {
		if real, err := filepath.EvalSymlinks(known); err == nil && real == exe {
			return true
		}
	}
	return false
}

// promptArgs reports whether a shell with these arguments reads its commands
// from its input.
func promptArgs(argv []string) bool {
	return len(argv) > 0 && plainShell(append([]string{filepath.Base(strings.TrimPrefix(argv[0], "-"))}, argv[1:]...))
}

// waitsForInput reports whether the process sleeps in a call that waits for
// input. Where the kernel does not say which call, sleeping has to do.
func waitsForInput(pid int) bool {
	if p, err := proc.Read(pid); err != nil || p.State != 'S' {
		return false
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
	if err != nil {
		return true
	}
	var call int
	if _, err := fmt.Sscanf(string(b), "%d", &call); err != nil {
		return false
	}
	return slices.Contains(waitCalls(), call)
}

// inputTaken reports whether the program has read all that was typed.
func (p *process) inputTaken() bool {
	if p.tty == nil {
		f, ok := p.in.(*os.File)
		if !ok {
			return false
		}
		n, ok := askDevice(f, unix.TIOCINQ)
		return ok && n == 0
	}
	// The queue is seen from the program's side of the terminal only.
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/0", p.pid), os.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	n, ok := askDevice(f, unix.TIOCINQ)
	return ok && n == 0
}

// askDevice reads one number from the device. It keeps the file in the
// runtime's poller, which File.Fd would take it out of.
func askDevice(f *os.File, request uint) (n int, ok bool) {
	c, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	var got error
	err = c.Control(func(fd uintptr) { n, got = unix.IoctlGetInt(int(fd), request) })
	return n, err == nil && got == nil
}

// bytesRead is how many bytes the process has read so far, of anything.
func bytesRead(pid int) (uint64, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, false
	}
	var n uint64
	_, err = fmt.Sscanf(string(b), "rchar: %d", &n)
	return n, err == nil
}
