package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// gitConfig judges one key=value of git -c. A key that is not known to be
// harmless is unread; one that names a program shows what it runs.
func (c *call) gitConfig(v value.Value) {
	head := v.Prefix()
	key, _, eq := strings.Cut(head, "=")
	text, exact := v.Text()
	if !eq && !exact {
		c.unread("a setting of git is not known: " + v.String())
		return
	}
	val := value.Exact("true")
	if eq {
		val = cut(v, len(key)+1)
	} else {
		key = text
	}
	section, name := splitKey(key)
	setting, known := val.Text()
	switch {
	case gitHarmless(section, name):
	case known && gitHarmlessValue(section, name, setting):
	case section == "alias":
		if !known {
			c.unread("an alias of git is not known")
		} else if rest, shell := strings.CutPrefix(setting, "!"); shell {
			c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: value.Exact(rest), MoreArgs: true, Via: "git alias"})
		}
	case gitRuns(section, name):
		script := val
		if rest, shell := strings.CutPrefix(setting, "!"); known && shell {
			script = value.Exact(rest)
		}
		c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: script, Via: "git -c " + key})
	default:
		c.unread("the setting " + key + " can change what git runs or where it goes")
	}
}

// splitKey is the first and the last part of a key, in lower case: what is
// between them names a branch, a remote or a driver.
func splitKey(key string) (section, name string) {
	key = strings.ToLower(key)
	section, _, _ = strings.Cut(key, ".")
	return section, key[strings.LastIndexByte(key, '.')+1:]
}

// gitHarmless: no value of the setting runs a program, names a file or sends
// git elsewhere.
func gitHarmless(section, name string) bool {
	switch section {
	case "user", "author", "committer", "color", "advice", "log", "status", "column", "blame", "push", "pull", "rerere",
		"i18n", "format", "pack", "gc", "rebase", "commit", "merge", "diff", "init", "fetch", "tag", "branch", "stash", "grep", "index", "feature", "checkout", "clean", "apply", "am", "versionsort", "showbranch", "notes", "transfer", "receive", "reflog", "protocol", "http":
		switch section + "." + name {
		case "commit.template", "diff.external", "diff.command", "diff.textconv", "diff.orderfile", "diff.tool", "merge.driver", "merge.tool",
			"init.templatedir", "log.mailmapfile", "blame.ignorerevsfile", "format.signaturefile", "format.outputdirectory", "notes.rewriteref",
			"branch.remote", "branch.pushremote", "branch.merge", "push.pushoption", "pull.twohead", "pull.octopus",
			"receive.procreceiverefs", "fetch.bundleuri", "grep.fallbacktonoindex":
			return false
		}
		switch section {
		case "protocol":
			return name == "version"
		case "http":
			return name == "postbuffer" || name == "lowspeedlimit" || name == "lowspeedtime" || name == "version" || name == "useragent"
		case "transfer", "receive":
			return name == "fsckobjects"
		}
		return true
	case "core":
		switch name {
		case "quotepath", "autocrlf", "eol", "safecrlf", "filemode", "ignorecase", "precomposeunicode", "longpaths", "abbrev",
			"commentchar", "whitespace", "compression", "loosecompression", "bigfilethreshold", "logallrefupdates", "checkstat",
			"trustctime", "preloadindex", "untrackedcache", "splitindex", "multipackindex", "commitgraph", "symlinks", "protectntfs", "protecthfs", "fsyncmethod", "fsync":
			return true
		}
	}
	return false
}

// gitHarmlessValue: this value switches the setting off.
func gitHarmlessValue(section, name, val string) bool {
	switch section + "." + name {
	case "core.pager", "pager.diff", "pager.log", "pager.show", "pager.branch", "pager.status":
		return val == "cat" || val == "" || val == "false"
	case "core.editor", "sequence.editor":
		return val == "true" || val == ":" || val == "/bin/true"
	case "core.fsmonitor":
		return val == "false" || val == ""
	case "core.hookspath":
		return val == "/dev/null"
	case "credential.helper", "core.askpass", "diff.external", "core.excludesfile":
		return val == ""
	}
	return section == "pager" && (val == "false" || val == "true" || val == "cat")
}

// gitRuns: the value of the setting is a command.
func gitRuns(section, name string) bool {
	switch section {
	case "core":
		return name == "sshcommand" || name == "pager" || name == "editor" || name == "askpass" || name == "fsmonitor" ||
			name == "gitproxy" || name == "alternaterefscommand"
	case "sequence":
		return name == "editor"
	case "pager":
		return true
	case "diff":
		return name == "external" || name == "textconv" || name == "command"
	case "difftool", "mergetool", "man", "browser", "guitool":
		return name == "cmd"
	case "filter":
		return name == "clean" || name == "smudge" || name == "process"
	case "merge":
		return name == "driver"
	case "credential":
		return name == "helper"
	case "gpg":
		return name == "program" || name == "defaultkeycommand"
	case "interactive":
		return name == "difffilter"
	case "uploadpack":
		return name == "packobjectshook"
	case "remote":
		return name == "uploadpack" || name == "receivepack" || name == "vcs"
	case "tar":
		return name == "command"
	case "trailer":
		return name == "command" || name == "cmd"
	case "sendemail":
		return strings.HasSuffix(name, "cmd")
	case "submodule":
		return name == "update"
	}
	return false
}
