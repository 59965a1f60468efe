package soundness

import (
	"path"
	"slices"
	"strings"

	"mayi/pkg/permissions"
)

// caches are files below the home that a program keeps for itself at every run:
// how often it was used, and what it has worked out before.
var caches = map[string][]string{
	"go":    {".config", ".config/go", ".config/go/telemetry/", ".cache", ".cache/go-build/", "go", "go/pkg", "go/pkg/mod", "go/pkg/mod/cache", "go/pkg/mod/cache/lock"},
	"gofmt": {".config", ".config/go", ".config/go/telemetry/"},
}

// own excuses what single programs do by themselves with files beside those
// that they are asked about.
func (p *prediction) own(a *access, t *Tree) string {
	git := a.started("git")
	switch {
	case a.kind == writes:
		if git != nil && a.names[0] == t.Work+"/.git/config" && slices.ContainsFunc([]string{"branch", "checkout", "switch", "push", "fetch", "pull", "worktree"}, git.says) {
			// Nothing but the name of a branch can get in there that way.
			return "git notes the upstream of a branch"
		}
		if git != nil && (a.path == t.Work+"/.git/index" || a.path == t.Work+"/.git/index.lock") {
			return "git refreshes the times in its index"
		}
		if git != nil && a.call == "rmdir" && a.err == "ENOTEMPTY" {
			return "git tries whether a folder has become empty"
		}
		if home := t.homeRelative(a); home != "" {
			for _, i := range a.programs {
				if among(home, caches[path.Base(i.path)]) {
					return "the program's own counters and cache"
				}
			}
		}
		return ""
	case a.kind == lists && p.writesBeside(a):
		return "a program looks for a free name beside the file that it writes"
	case a.started("rsync") != nil && p.covers(&access{kind: writes, path: a.path, names: a.names}):
		return "rsync compares what it writes with what is there"
	case git != nil && git.says("grep"):
		return "" // prints the files of the work tree: they have to be predicted
	case git != nil && t.inWorkspace(a):
		// What it compares is not what it prints; that a difference shows the
		// lines of a tracked file that changed is the same as git show.
		return "git reads its repository, and compares the files of the work tree with the index"
	case git != nil && p.talks("git"):
		return "git reads the repository that its settings name as the remote"
	case git != nil && a.kind == lists && !below(a.path, t.Root) || git != nil && a.path == t.Bin:
		return "git looks for its own sub-commands in PATH"
	case git != nil && a.path == "/usr/bin/gettext.sh":
		return "git's scripts load the system's messages"
	case a.by() == "ld" && a.err != "" && strings.HasPrefix(path.Base(a.path), "lib"):
		return "the linker looks for the system's libraries"
	case a.started("rg") != nil && slices.Contains([]string{".gitignore", ".ignore", ".rgignore", "exclude"}, path.Base(a.path)):
		return "rg reads the ignore files above the folder that it searches"
	case a.started("node") != nil && path.Base(a.path) == "package.json" && a.err != "":
		return "node looks for the kind of module that a file is"
	case a.started("sqlite3") != nil && path.Base(a.path) == ":memory:":
		return "sqlite3 looks whether the database that is none is an archive"
	case a.started("go") != nil && t.inWorkspace(a):
		return "go reads the sources of the module that it works in"
	case a.started("go") != nil && goBin() != "" && below(a.path, path.Dir(strings.TrimSuffix(goBin(), ":"))):
		return "go reads its own installation"
	}
	return ""
}

// started is the program of that name in the chain, nil where it is not there.
func (a *access) started(name string) *image {
	for i := range a.programs {
		if path.Base(a.programs[i].path) == name {
			return &a.programs[i]
		}
	}
	return nil
}

// says reports whether the word is among the program's arguments.
func (i *image) says(word string) bool { return strings.Contains(i.argv, `"`+word+`"`) }

// writesBeside reports whether a file in the folder is predicted to be written.
func (p *prediction) writesBeside(a *access) bool {
	for i := range p.effects {
		e := &p.effects[i]
		if e.Kind == permissions.FSWrite && (slices.Contains(a.names, path.Dir(path.Clean(e.Path))) || e.Place.Real != "" && slices.Contains(a.names, path.Dir(e.Place.Real))) {
			return true
		}
	}
	return false
}

// talks reports whether a part of that program has a network effect with a
// host that the program picks itself.
func (p *prediction) talks(program string) bool {
	for i := range p.effects {
		e := &p.effects[i]
		if (e.Kind == permissions.NetRead || e.Kind == permissions.NetWrite) && e.Host == "" && e.Part >= 0 && e.Part < len(p.parts) &&
			slices.ContainsFunc(programsOf(&p.parts[e.Part]), func(n string) bool { return sameProgram(n, program) }) {
			return true
		}
	}
	return false
}
