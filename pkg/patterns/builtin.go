package patterns

import (
	"regexp"
	"strings"
	"sync"
)

// denied is one built-in pattern: what it is about, the programs that it
// speaks of ("mkfs*" is every name that begins so), and the expression, which
// is tried on one simple command after quotes are removed, so that text which
// only mentions such a command is let through.
type denied struct {
	what     string
	programs string
	compiled func() *regexp.Regexp
}

// speaksOf reports whether one of the pattern's programs has this name. Only
// then is the expression compiled: most processes never need one.
func (d denied) speaksOf(name string) bool {
	for _, p := range strings.Fields(d.programs) {
		if prefix, ok := strings.CutSuffix(p, "*"); p == name || ok && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// builtin returns the commands that no agent should run.
func builtin() []denied {
	const (
		root   = `(/+(\*|\.+/*)*|~/*\*?|\$HOME/*\*?|\$\{HOME\}/*\*?|/(bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library)/*\*?)`
		device = `/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|loop|mapper/|mem|kmem|port)\S*`
	)
	list := []struct{ what, programs, re string }{
		{"deletes a whole system or home folder", "rm", `^rm\s+(.*\s)?(-[a-zA-Z]*[rR][a-zA-Z]*|--r\w*)(\s.*)?\s` + root + `(\s|$)`},
		{"deletes a whole system or home folder", "rm", `^rm\s+(.*\s)?` + root + `\s(.*\s)?(-[a-zA-Z]*[rR][a-zA-Z]*|--r\w*)(\s|$)`},
		{"deletes without the root's protection", "rm", `^rm\s(.*\s)?--no-preserve-root(\s|$)`},
		{"changes the rights of the whole system", "chmod chown chgrp", `^(chmod|chown|chgrp)\s+(.*\s)?(-[a-zA-Z]*R[a-zA-Z]*|--recursive)(\s.*)?\s` + root + `(\s|$)`},
		{"makes a file system", "mkfs* mke2fs mkswap wipefs newfs*", `^(mkfs(\.\w+)?|mke2fs|mkswap|wipefs|newfs\w*)(\s|$)`},
		{"changes a disk's partitions", "fdisk sfdisk cfdisk gdisk sgdisk parted", `^(fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted)\s(.*\s)?/dev/`},
		{"formats a disk", "diskutil", `^diskutil\s+(erase|partition|reformat)`},
		{"writes onto a device", "dd", `^dd\s(.*\s)?of=` + device},
		{"writes onto a device", "shred tee cp mv cat blkdiscard", `^(shred|tee|cp|mv|cat|blkdiscard)\s(.*\s)?` + device + `(\s|$)`},
		{"shuts the machine down", "shutdown reboot halt poweroff", `^(shutdown|reboot|halt|poweroff)(\s|$)`},
		{"shuts the machine down", "init telinit", `^(init|telinit)\s+[06](\s|$)`},
		{"shuts the machine down", "systemctl", `^systemctl\s+(.*\s)?(poweroff|reboot|halt|kexec|rescue|emergency)(\s|$)`},
		{"ends every process", "kill", `^kill\s+(.*\s)?-1$|^kill\s+-(9|KILL|SIGKILL)\s+-1(\s|$)`},
	}
	out := make([]denied, len(list))
	for i, d := range list {
		out[i] = denied{d.what, d.programs, lazy(d.re)}
	}
	return out
}

// lazy compiles an expression at its first use.
func lazy(re string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re) })
}

// forkBomb is a function that pipes itself into itself; it is tried on the
// whole text, since no simple command shows it.
const forkBomb = `([\w:.]+)\s*\(\s*\)\s*\{\s*([\w:.]+)\s*\|\s*([\w:.]+)\s*&\s*;?\s*\}`

// disk is a path that a redirection must not write to.
const disk = `^/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|loop|mapper/|mem|kmem|port)`
