package tools

import (
	"fmt"
	"regexp"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// denied is one built-in pattern with what it is about.
type denied struct {
	what    string
	pattern *regexp.Regexp
}

// builtinDenied returns the commands that no agent should run. Each pattern
// is tried on one simple command after quotes are removed, so that text which
// only mentions such a command is let through.
func builtinDenied() []denied {
	const (
		root   = `(/+(\*|\.+/*)*|~/*\*?|\$HOME/*\*?|\$\{HOME\}/*\*?|/(bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library)/*\*?)`
		device = `/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|loop|mapper/|mem|kmem|port)\S*`
	)
	list := []struct{ what, re string }{
		{"deletes a whole system or home folder", `^rm\s+(.*\s)?(-[a-zA-Z]*[rR][a-zA-Z]*|--r\w*)(\s.*)?\s` + root + `(\s|$)`},
		{"deletes a whole system or home folder", `^rm\s+(.*\s)?` + root + `\s(.*\s)?(-[a-zA-Z]*[rR][a-zA-Z]*|--r\w*)(\s|$)`},
		{"deletes without the root's protection", `^rm\s(.*\s)?--no-preserve-root(\s|$)`},
		{"changes the rights of the whole system", `^(chmod|chown|chgrp)\s+(.*\s)?(-[a-zA-Z]*R[a-zA-Z]*|--recursive)(\s.*)?\s` + root + `(\s|$)`},
		{"makes a file system", `^(mkfs(\.\w+)?|mke2fs|mkswap|wipefs|newfs\w*)(\s|$)`},
		{"changes a disk's partitions", `^(fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted)\s(.*\s)?/dev/`},
		{"formats a disk", `^diskutil\s+(erase|partition|reformat)`},
		{"writes onto a device", `^dd\s(.*\s)?of=` + device},
		{"writes onto a device", `^(shred|tee|cp|mv|cat|blkdiscard)\s(.*\s)?` + device + `(\s|$)`},
		{"shuts the machine down", `^(shutdown|reboot|halt|poweroff)(\s|$)`},
		{"shuts the machine down", `^(init|telinit)\s+[06](\s|$)`},
		{"shuts the machine down", `^systemctl\s+(.*\s)?(poweroff|reboot|halt|kexec|rescue|emergency)(\s|$)`},
		{"ends every process", `^kill\s+(.*\s)?-1$|^kill\s+-(9|KILL|SIGKILL)\s+-1(\s|$)`},
	}
	out := make([]denied, len(list))
	for i, d := range list {
		out[i] = denied{d.what, regexp.MustCompile(d.re)}
	}
	return out
}

// forkBomb is a function that pipes itself into itself; it is tried on the
// whole text, since no simple command shows it.
const forkBomb = `([\w:.]+)\s*\(\s*\)\s*\{\s*([\w:.]+)\s*\|\s*([\w:.]+)\s*&\s*;?\s*\}`

// disk is a path that a redirection must not write to.
const disk = `^/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|loop|mapper/|mem|kmem|port)`

// patterns are an exec tool's deny patterns. Immutable.
type patterns struct {
	builtin     []denied
	forkBomb    *regexp.Regexp
	disk        *regexp.Regexp
	custom      []*regexp.Regexp
	customAllow []*regexp.Regexp
}

func newPatterns(o Options) (patterns, error) {
	var p patterns
	if o.EnableDenyPatterns {
		p.builtin = builtinDenied()
		p.forkBomb, p.disk = regexp.MustCompile(forkBomb), regexp.MustCompile(disk)
	}
	for _, c := range []struct {
		key  string
		in   []string
		into *[]*regexp.Regexp
	}{
		{"custom_deny_patterns", o.CustomDenyPatterns, &p.custom},
		{"custom_allow_patterns", o.CustomAllowPatterns, &p.customAllow},
	} {
		for _, s := range c.in {
			re, err := regexp.Compile(s)
			if err != nil {
				return patterns{}, fmt.Errorf("tools.exec.%s: %q is no regular expression: %w", c.key, s, err)
			}
			*c.into = append(*c.into, re)
		}
	}
	return p, nil
}

// blocks says why the command must not run, "" where no pattern matches. The
// call's parts are its simple commands; where there are none, because it could
// not be read, the whole text stands for them.
func (p patterns) blocks(command string, call permissions.Call) string {
	simple := make([]string, 0, len(call.Parts)+1)
	for _, part := range call.Parts {
		simple = append(simple, wordsOf(part.Words))
		if part.Canon != nil {
			simple = append(simple, wordsOf(part.Canon))
		}
	}
	for _, re := range p.custom {
		if matchesAny(re, append([]string{command}, simple...)) {
			return fmt.Sprintf("blocked by tools.exec.custom_deny_patterns: %s", approval.Line(re.String()))
		}
	}
	for _, re := range p.customAllow {
		if re.MatchString(command) {
			return ""
		}
	}
	if len(call.Parts) == 0 {
		simple = append(simple, strings.TrimSpace(command))
	}
	for _, d := range p.builtin {
		if matchesAny(d.pattern, simple) {
			return blockedText(d.what)
		}
	}
	if p.forkBomb != nil {
		for _, m := range p.forkBomb.FindAllStringSubmatch(command, -1) {
			if m[1] == m[2] && m[2] == m[3] {
				return blockedText("multiplies itself without end")
			}
		}
	}
	for _, e := range call.Effects {
		if p.disk != nil && e.Kind == permissions.FSWrite && (p.disk.MatchString(e.Path) || p.disk.MatchString(e.Place.Real)) {
			return blockedText("writes onto a device")
		}
	}
	return ""
}

func blockedText(what string) string {
	return fmt.Sprintf("blocked: this %s, which no agent may do here (tools.exec.enable_deny_patterns). It cannot be granted in a question", what)
}

func matchesAny(re *regexp.Regexp, in []string) bool {
	for _, s := range in {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}

// wordsOf joins a command's words, its program without the directory.
func wordsOf(words []permissions.Word) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
		if i == 0 {
			out[i] = w.Text[strings.LastIndexByte(w.Text, '/')+1:]
		}
	}
	return strings.Join(out, " ")
}
