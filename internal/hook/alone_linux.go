package hook

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"mayi/internal/proc"
)

// Alone reports whether it is sure that nobody sits in front of the agent that
// started this hook. An agent with a screen reads its terminal key by key; one
// that was given its task on the command line leaves the terminal as it is, or
// has none. Where an editor or another program speaks for the person, and where
// the agent cannot be looked at, nothing is sure.
func Alone() bool {
	for pid, steps := os.Getppid(), 0; pid > 1 && steps < 8; steps++ {
		args, parent, ok := process(pid)
		if !ok {
			return false
		}
		if !starts(args[0]) {
			return !spokenFor(args) && !keyByKey(pid)
		}
		pid = parent
	}
	return false
}

// process is what a process was started as, and by whom.
func process(pid int) (args []string, parent int, ok bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	p, err2 := proc.Read(pid)
	if err != nil || err2 != nil || len(line) == 0 {
		return nil, 0, false
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"), p.Parent, true
}

// starts reports whether a program is one that an agent starts its hooks with.
func starts(program string) bool {
	switch strings.TrimPrefix(filepath.Base(program), "-") {
	case "sh", "bash", "dash", "ash", "zsh", "busybox", "timeout", "env", "nice", "mayi", "mayi-engine":
		return true
	}
	return false
}

// spokenFor reports whether an agent's arguments say that it is driven by
// another program, which may have a person.
func spokenFor(args []string) bool {
	for _, a := range args[1:] {
		for _, word := range []string{"acp", "stream-json", "server", "serve", "stdio"} {
			if a == word || strings.HasPrefix(a, "--") && strings.Contains(a, word) {
				return true
			}
		}
	}
	return false
}

// keyByKey reports whether the process's input is a terminal that gives each key
// at once. It is also true where that cannot be told.
func keyByKey(pid int) bool {
	name := "/proc/" + strconv.Itoa(pid) + "/fd/0"
	target, err := os.Readlink(name)
	if err != nil {
		return true
	}
	if !strings.HasPrefix(target, "/dev/pts/") && !strings.HasPrefix(target, "/dev/tty") && target != "/dev/console" {
		return false
	}
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err != nil || t.Lflag&unix.ICANON == 0
}
