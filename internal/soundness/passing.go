package soundness

import "path"

// scratch is the folder for temporary files in the sandbox, new for every run.
const scratch = "/tmp"

// passing finds files that a run made new and took away again or renamed: the
// half-written copy beside the target of sed -i, the lock of git, the journal
// of a database, the compiler's scratch file in the folder for such files. No
// file that was there before is touched by way of them, and where a rename puts
// them is counted on its own. To be excused they have to lie in the folder for
// temporary files, or in a folder in which the prediction has a write.
type passing struct {
	fresh map[string]bool // made with O_EXCL
	gone  map[string]bool // renamed or removed afterwards
}

func newPassing(list []access) *passing {
	p := &passing{map[string]bool{}, map[string]bool{}}
	for i := range list {
		a := &list[i]
		if a.kind != writes || a.err != "" {
			continue
		}
		if a.fresh {
			note(p.fresh, a)
			continue
		}
		switch a.call {
		case "mkdir", "mkdirat", "symlink", "symlinkat", "mknod", "mknodat":
			note(p.fresh, a) // these fail where the name is taken
		case "unlink", "unlinkat", "rename", "renameat", "renameat2", "rmdir", "link", "linkat":
			note(p.gone, a)
		}
	}
	return p
}

// excuses says why the access concerns a passing file, "" where it does not.
func (p *passing) excuses(a *access, pr *prediction, t *Tree) string {
	if a.kind == executes || a.kind == connects {
		return ""
	}
	for _, name := range a.names {
		// The tree itself may lie in the folder for temporary files.
		if below(name, scratch) && !below(name, t.Root) {
			for d := name; d != scratch && d != "/"; d = path.Dir(d) {
				if p.fresh[d] {
					return "a new file of the run's own in the folder for temporary files"
				}
			}
		}
		if p.fresh[name] && p.gone[name] && beside(pr, path.Dir(name)) {
			return "a passing file beside what is written"
		}
	}
	return ""
}

func note(set map[string]bool, a *access) {
	for _, n := range a.names {
		set[n] = true
	}
}

// beside reports whether the prediction has a write in the folder.
func beside(pr *prediction, dir string) bool {
	for i := range pr.effects {
		e := &pr.effects[i]
		if !pr.fits(e, writes) {
			continue
		}
		if e.Glob && globCovers(path.Dir(led(e.Path, pr.resolve)), dir, e.Recursive, false) {
			return true
		}
		for _, own := range [...]string{path.Clean(e.Path), e.Place.Real} {
			if own != "" && own != "." && (path.Dir(own) == dir || own == dir || e.Recursive && below(dir, own)) {
				return true
			}
		}
	}
	return false
}

// remade lists the files that the run itself made or emptied: reading them
// back tells it nothing that it has not written.
func remade(list []access) map[string]bool {
	out := map[string]bool{}
	for i := range list {
		if a := &list[i]; a.kind == writes && a.err == "" && a.made {
			for _, n := range a.names {
				out[n] = true
			}
		}
	}
	return out
}
