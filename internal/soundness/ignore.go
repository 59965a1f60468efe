package soundness

import (
	"path"
	"slices"
	"strings"
)

// rule excuses an access that no prediction is expected to name.
type rule struct {
	why   string
	kinds []kind
	// under are folders (with a slash at the end) and files.
	under []string
}

// ignored is what processes do by themselves. The why is part of the proof:
// an entry without a good one hides a hole.
var ignored = []rule{
	{"the loader, the C library, interpreters and compilers load their own code and data, which only root can write", []kind{reads, lists}, []string{
		"/usr/lib/", "/lib/", "/lib64/", "/usr/lib64/", "/usr/libexec/", "/usr/include/", "/usr/share/", "/usr/local/share/man/", "/usr/local/lib/", "/usr/local/include/",
		"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/alternatives/", "/var/cache/man/"}},
	{"the C library looks up users, groups, hosts and the time zone", []kind{reads}, []string{
		"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/host.conf", "/etc/hosts", "/etc/resolv.conf", "/etc/gai.conf",
		"/etc/services", "/etc/protocols", "/etc/locale.alias"}},
	{"the system's settings of a program, which only root can write", []kind{reads, lists}, []string{
		"/etc/ssl/", "/etc/inputrc", "/etc/terminfo/", "/etc/magic", "/etc/wgetrc", "/etc/gitconfig", "/etc/perl/", "/etc/python3/", "/etc/ca-certificates/",
		"/etc/mime.types", "/etc/ssh/ssh_config", "/etc/ssh/ssh_config.d/", "/etc/manpath.config", "/etc/profile", "/etc/profile.d/", "/etc/bash.bashrc"}},
	{"the kernel's view of the process and the machine", []kind{reads, lists}, []string{"/proc/", "/sys/"}},
	{"a process's own descriptors, name and memory settings", []kind{writes}, []string{"/proc/self/", "/proc/thread-self/"}},
	{"harmless devices and streams", []kind{reads, writes}, []string{
		"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts/", "/dev/ptmx", "/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/shm/"}},
	{"the C library asks the name service's cache and writes to the system's log", []kind{connects}, []string{
		"unix:/dev/log", "unix:/run/systemd/journal/dev-log", "unix:/var/run/nscd/socket", "unix:/run/nscd/socket", "unix:/run/systemd/userdb/"}},
}

// settings are the files in the home directory in which a program keeps its
// own settings: it reads them at every start, and that it does says nothing
// about the script. Writing them is not excused.
var settings = map[string][]string{
	"git": {".gitconfig", ".config/git/"}, "rg": {".gitconfig", ".config/git/"},
	"wget": {".wgetrc", ".netrc", ".wget-hsts"}, "curl": {".curlrc", ".config/curlrc", ".netrc"},
	"sqlite3": {".sqliterc", ".config/sqlite3/"},
	"ssh":     {".ssh/"}, "scp": {".ssh/"}, "ssh-keygen": {".ssh/"},
	"less": {".lesskey", ".lesshst", ".less", ".config/lesskey", ".local/state/lesshst", ".local/share/"},
	"vim":  {".vimrc", ".viminfo", ".vim/"}, "tmux": {".tmux.conf", ".config/tmux/"},
	"node": {".npmrc"}, "npm": {".npmrc"}, "go": {".config/go/"}, "rsync": {".cvsignore", ".popt"}, "jq": {".jq"},
	"bash": {".bashrc", ".bash_profile", ".profile", ".bash_login"},
}

// excused says why an access needs no prediction, "" where it does.
func (p *prediction) excused(a *access, t *Tree) string {
	for i := range ignored {
		r := &ignored[i]
		if slices.Contains(r.kinds, a.kind) && slices.ContainsFunc(a.names, func(n string) bool { return among(n, r.under) }) {
			return r.why
		}
	}
	if a.kind == executes {
		if p.helper(a) {
			return "a program that the program is made of"
		}
		return ""
	}
	if a.kind == writes && a.err != "" && strings.HasPrefix(a.path, "/proc/") {
		return "a file of /proc that cannot be renamed or removed"
	}
	if a.kind == writes && a.err == "EEXIST" && isFolder(a.path) {
		return "a folder stands where the program tried to make something, and stays as it is"
	}
	// A look-up that found nothing has read nothing. In the workspace it
	// counts: on another tree the file is there.
	if a.kind == reads && a.err != "" && !t.inWorkspace(a) {
		return "a look-up outside of the workspace that found nothing"
	}
	if a.kind == reads || a.kind == lists {
		if own := t.homeRelative(a); own != "" && slices.ContainsFunc(a.programs, func(i image) bool { return among(own, settings[path.Base(i.path)]) }) {
			return "the program's own settings"
		}
	}
	if a.kind == reads && len(a.programs) > 0 && slices.Contains(a.names, a.programs[0].path) {
		return "the file of the program itself"
	}
	if why := p.own(a, t); why != "" {
		return why
	}
	return ""
}

// among reports whether a name is one of the files or lies in one of the
// folders.
func among(name string, list []string) bool {
	return slices.ContainsFunc(list, func(u string) bool {
		return name == strings.TrimSuffix(u, "/") || strings.HasSuffix(u, "/") && strings.HasPrefix(name, u)
	})
}
