package knowledge

import (
	"fmt"
	"strings"
)

// roleKind is what a word (an operand or the value of an option) is to the
// program. The zero value hides everything.
type roleKind uint8

const (
	roleUnread roleKind = iota // can mean anything
	roleText                   // data that names nothing
	roleRead
	roleList
	roleWrite
	roleUpdate // read and written
	roleDelete
	roleMove    // read and removed from where it is
	rolePrefix  // names that begin with it are written
	roleDest    // where the operands before it are copied to
	roleInto    // a directory that files are written into
	roleTarget  // a directory that the operands are copied into (cp -t)
	roleCd      // the directory that everything else is relative to
	roleURL     // read from the network
	roleURLOut  // sent to the network
	roleHost    // a host that is spoken to
	roleHostOut // a host that things are sent to
	roleRemote  // a local path, or host:path to read
	roleRemoteOut
	roleShell   // shell text that is run
	roleProgram // the name of a program that is run
	roleCommand // this word and all that follow are a command
	roleCode    // program text in another language
	roleCodeFile
	roleHidden // a file whose content steers the program and is not read
	roleLoad   // a file that is loaded as code
	rolePaths  // a file that names files
	roleAssign // NAME=VALUE for the environment
	roleKey    // key=value, see spec.keys
	roleData   // text, or @file to read
	roleExec   // marks the program as an exec effect
	roleScript // this word and all that follow, joined by blanks, are shell text
	roleMount  // host:container, or key=value pairs with a source
	roleRepository
	roleRepositoryOut
	roleRev // a revision, a path or revision:path
	roleGitDir
	roleGitConfig
	roleGitInit
	roleFileURL  // text, or file://path to read
	rolePathspec // a name in the work tree, or a revision
	roleArgument // what a script is given
	roleSources  // a file, or a folder whose files with certain endings are rewritten
	roleGoFlags  // flags for the tools that go build starts
)

// role is a roleKind with what belongs to it.
type role struct {
	kind roleKind
	tree bool   // everything below, too
	arg  string // the language of code, the reason of unread and exec, where a command runs
	// may: the program may or may not touch it.
	may bool
}

// roleNamed is the role that a word of the data names.
func roleNamed(name string) (roleKind, bool) {
	switch name {
	case "unread":
		return roleUnread, true
	case "text":
		return roleText, true
	case "read":
		return roleRead, true
	case "list":
		return roleList, true
	case "write":
		return roleWrite, true
	case "update":
		return roleUpdate, true
	case "delete":
		return roleDelete, true
	case "move":
		return roleMove, true
	case "prefix":
		return rolePrefix, true
	case "dest":
		return roleDest, true
	case "into":
		return roleInto, true
	case "target":
		return roleTarget, true
	case "cd":
		return roleCd, true
	case "url":
		return roleURL, true
	case "url-out":
		return roleURLOut, true
	case "host":
		return roleHost, true
	case "host-out":
		return roleHostOut, true
	case "remote":
		return roleRemote, true
	case "remote-out":
		return roleRemoteOut, true
	case "shell":
		return roleShell, true
	case "program":
		return roleProgram, true
	case "command":
		return roleCommand, true
	case "code":
		return roleCode, true
	case "code-file":
		return roleCodeFile, true
	case "hidden":
		return roleHidden, true
	case "load":
		return roleLoad, true
	case "paths":
		return rolePaths, true
	case "assign":
		return roleAssign, true
	case "key":
		return roleKey, true
	case "data":
		return roleData, true
	case "exec":
		return roleExec, true
	case "script":
		return roleScript, true
	case "mount":
		return roleMount, true
	case "repository":
		return roleRepository, true
	case "repository-out":
		return roleRepositoryOut, true
	case "rev":
		return roleRev, true
	case "git-dir":
		return roleGitDir, true
	case "git-config":
		return roleGitConfig, true
	case "git-init":
		return roleGitInit, true
	case "file-url":
		return roleFileURL, true
	case "pathspec":
		return rolePathspec, true
	case "argument":
		return roleArgument, true
	case "sources":
		return roleSources, true
	case "go-flags":
		return roleGoFlags, true
	}
	return roleUnread, false
}

// parseRole reads "write", "read-tree", "code:awk", "unread:why".
func parseRole(s string) (role, error) {
	name, arg, _ := strings.Cut(s, ":")
	var r role
	r.arg = arg
	if base, ok := strings.CutPrefix(name, "may-"); ok {
		name, r.may = base, true
	}
	if base, ok := strings.CutSuffix(name, "-tree"); ok {
		name, r.tree = base, true
	}
	kind, ok := roleNamed(name)
	if !ok {
		return r, fmt.Errorf("unknown role %q", s)
	}
	r.kind = kind
	return r, nil
}

// parseSlots reads "text read* dest": one operand, "?" at most one, "*" any
// number, "+" at least one. "prefix?=x" is a place with a default.
func parseSlots(s string) ([]slot, error) {
	var out []slot
	seenMany := false
	for _, w := range strings.Fields(s) {
		sl := slot{required: true}
		w, sl.standard, _ = strings.Cut(w, "=")
		if w == "" {
			return nil, fmt.Errorf("operands %q: a default without a place", s)
		}
		switch w[len(w)-1] {
		case '?':
			sl.required = false
		case '*':
			sl.required, sl.many = false, true
		case '+':
			sl.many = true
		}
		r, err := parseRole(strings.TrimRight(w, "?*+"))
		if err != nil {
			return nil, err
		}
		if sl.many && seenMany {
			return nil, fmt.Errorf("operands %q: only one place can take any number", s)
		}
		seenMany = seenMany || sl.many
		sl.role = r
		out = append(out, sl)
	}
	return out, nil
}

// effect is something that happens whatever the operands are: a role applied
// to a fixed word, or a mark.
type effect struct {
	mark string // "stdin", "executes", "workspace", "state", "net", … or "" for a role
	role role
	text string // the fixed word, or the reason
}

// parseEffects reads "list .", "stdin", "executes: it talks to a daemon",
// "net", "net-out", "state", "unread: why".
func parseEffects(list []string) ([]effect, error) {
	if list == nil {
		return nil, nil
	}
	out := make([]effect, 0, len(list))
	for _, s := range list {
		head, why, colon := strings.Cut(s, ": ")
		if colon {
			switch head {
			case "executes", "workspace", "unread", "secret", "person":
				out = append(out, effect{mark: head, text: why})
				continue
			}
			return nil, fmt.Errorf("unknown effect %q", s)
		}
		switch s {
		case "stdin", "stdin-script", "stdin-code", "stdin-args", "stdin-paths", "state", "net", "net-out", "git-store", "worktree", "worktree-any", "steers", "by-name", "follows", "args-run":
			out = append(out, effect{mark: s})
			continue
		}
		name, word, ok := strings.Cut(s, " ")
		r, err := parseRole(name)
		if err != nil || !ok || word == "" {
			return nil, fmt.Errorf("unknown effect %q", s)
		}
		out = append(out, effect{role: r, text: word})
	}
	return out, nil
}
