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
	// holds is a text that stands in every command that the expression matches;
	// root: a word of it names the root, a folder there, or the home.
	holds string
	root  bool
	re    string

	once     sync.Once
	compiled *regexp.Regexp
}

// matches tries the expression on a command whose program is name. It is
// compiled only where it may match, since that takes longer than most decisions
// and few processes ever need one.
func (d *denied) matches(name, command string) bool {
	return d.speaksOf(name) && d.may(command) && d.expression().MatchString(command)
}

// speaksOf reports whether one of the pattern's programs has this name.
func (d *denied) speaksOf(name string) bool {
	for p := range strings.FieldsSeq(d.programs) {
		if prefix, ok := strings.CutSuffix(p, "*"); p == name || ok && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// may is false only where the expression does not match.
func (d *denied) may(command string) bool {
	return strings.Contains(command, d.holds) && (!d.root || mayNameRoot(command))
}

func (d *denied) expression() *regexp.Regexp {
	d.once.Do(func() { d.compiled = regexp.MustCompile(d.re) })
	return d.compiled
}

// mayNameRoot reports whether one of the words may be one that root matches: a
// name with one component, or the home directory.
func mayNameRoot(command string) bool {
	for w := range strings.FieldsSeq(command) {
		switch rest := strings.TrimRight(w, "/*."); {
		case rest == "" || rest == "~" || rest == "$HOME" || rest == "${HOME}":
			return true
		case rest[0] == '/' && !strings.Contains(rest[1:], "/"):
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
	return []denied{
		{what: "deletes a whole system or home folder", programs: "rm", root: true, re: `^rm\s+(.*\s)?(-[a-zA-Z]*[rR][a-zA-Z]*|--r\w*)(\s.*)?\s` + root + `(\s|$)`},
		{what: "deletes a whole system or home folder", programs: "rm", root: true, re: `^rm\s+(.*\s)?` + root + `\s(.*\s)?(-[a-zA-Z]*[rR][a-zA-Z]*|--r\w*)(\s|$)`},
		{what: "deletes without the root's protection", programs: "rm", holds: "--no-preserve-root", re: `^rm\s(.*\s)?--no-preserve-root(\s|$)`},
		{what: "changes the rights of the whole system", programs: "chmod chown chgrp", root: true, re: `^(chmod|chown|chgrp)\s+(.*\s)?(-[a-zA-Z]*R[a-zA-Z]*|--recursive)(\s.*)?\s` + root + `(\s|$)`},
		{what: "makes a file system", programs: "mkfs* mke2fs mkswap wipefs newfs*", re: `^(mkfs(\.\w+)?|mke2fs|mkswap|wipefs|newfs\w*)(\s|$)`},
		{what: "changes a disk's partitions", programs: "fdisk sfdisk cfdisk gdisk sgdisk parted", holds: "/dev/", re: `^(fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted)\s(.*\s)?/dev/`},
		{what: "formats a disk", programs: "diskutil", re: `^diskutil\s+(erase|partition|reformat)`},
		{what: "writes onto a device", programs: "dd", holds: "/dev/", re: `^dd\s(.*\s)?of=` + device},
		{what: "writes onto a device", programs: "shred tee cp mv cat blkdiscard", holds: "/dev/", re: `^(shred|tee|cp|mv|cat|blkdiscard)\s(.*\s)?` + device + `(\s|$)`},
		{what: "shuts the machine down", programs: "shutdown reboot halt poweroff", re: `^(shutdown|reboot|halt|poweroff)(\s|$)`},
		{what: "shuts the machine down", programs: "init telinit", re: `^(init|telinit)\s+[06](\s|$)`},
		{what: "shuts the machine down", programs: "systemctl", re: `^systemctl\s+(.*\s)?(poweroff|reboot|halt|kexec|rescue|emergency)(\s|$)`},
		{what: "ends every process", programs: "kill", holds: "-1", re: `^kill\s+(.*\s)?-1$|^kill\s+-(9|KILL|SIGKILL)\s+-1(\s|$)`},
	}
}

// forkBomb is a function that pipes itself into itself; it is tried on the
// whole text, since no simple command shows it.
const forkBomb = `([\w:.]+)\s*\(\s*\)\s*\{\s*([\w:.]+)\s*\|\s*([\w:.]+)\s*&\s*;?\s*\}`

// multiplies reports whether a text defines a fork bomb.
func multiplies(command string) bool {
	if !mayMultiply(command) {
		return false
	}
	for _, m := range regexp.MustCompile(forkBomb).FindAllStringSubmatch(command, -1) {
		if m[1] == m[2] && m[2] == m[3] {
			return true
		}
	}
	return false
}

// mayMultiply reports whether a text has what every fork bomb has.
func mayMultiply(command string) bool {
	for _, c := range [...]string{"(", ")", "{", "|", "&", "}"} {
		if !strings.Contains(command, c) {
			return false
		}
	}
	return true
}

// isDisk reports whether the path is one that a redirection must not write to.
func isDisk(path string) bool {
	name, ok := strings.CutPrefix(path, "/dev/")
	if !ok {
		return false
	}
	for _, kind := range [...]string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "md", "loop", "mapper/", "mem", "kmem", "port"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}
