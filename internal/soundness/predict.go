package soundness

import (
	"os"
	"path"
	"slices"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/workspace"
)

// prediction is what was said about a script before it ran.
type prediction struct {
	parts   []permissions.Part
	unread  []permissions.Unread
	effects []permissions.Effect
	// hosts are the addresses of the names that the sandbox knows.
	hosts map[string]string
	// resolve follows a name on the tree as it was before the run.
	resolve func(string) string
}

// newPrediction takes an analysis whose effects have been resolved on the tree.
func newPrediction(a shell.Analysis, resolved []permissions.Effect, hosts map[string]string, resolve func(string) string) *prediction {
	p := &prediction{parts: slices.Clone(a.Parts), unread: a.Unread, effects: resolved, hosts: hosts, resolve: resolve}
	for i := range p.parts {
		p.parts[i].Unread = settled(p.parts[i].Unread)
	}
	return p
}

// settled drops what the disk says is not so: a glob that could be an option
// where no file begins with a dash.
func settled(list []permissions.Unread) []permissions.Unread {
	var out []permissions.Unread
	for _, u := range list {
		if u.Dashed != "" && !hasDashed(u.Dashed) {
			continue
		}
		if u.Tame.Tree != "" && workspace.IsTame(u.Tame) {
			continue
		}
		out = append(out, u)
	}
	return out
}

func hasDashed(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "-") })
}

// covers reports whether the access is among the effects.
func (p *prediction) covers(a *access) bool {
	switch a.kind {
	case executes:
		return p.runs(a)
	case connects:
		return p.reaches(a)
	}
	for i := range p.effects {
		e := &p.effects[i]
		if e.Certainty == permissions.Unknown && e.Path == "" {
			continue // excuses, at most: see blind
		}
		if !p.fits(e, a.kind) {
			continue
		}
		for _, name := range a.names {
			if touches(e, a.kind, name, p.resolve) || strings.HasPrefix(a.call, "mkdir") && onTheWay(e, name) {
				return true
			}
		}
	}
	return false
}

// onTheWay reports whether name is a folder on the way to what the effect
// writes, which may have to be made first.
func onTheWay(e *permissions.Effect, name string) bool {
	return e.Kind == permissions.FSWrite && (below(path.Clean(e.Path), name) || e.Place.Real != "" && below(e.Place.Real, name))
}

// fits reports whether an effect of this kind allows an access of that kind.
func (p *prediction) fits(e *permissions.Effect, k kind) bool {
	switch k {
	case reads:
		return e.Kind == permissions.Read || e.Kind == permissions.Exec
	case lists:
		// What removes or changes a folder looks into it, too.
		return e.Kind == permissions.Read || e.Kind == permissions.FSWrite
	default:
		return e.Kind == permissions.FSWrite
	}
}

// touches reports whether the effect's path is, or holds, the name.
func touches(e *permissions.Effect, k kind, name string, resolve func(string) string) bool {
	if e.Path == "" {
		return false
	}
	if e.Glob {
		for _, pattern := range [...]string{e.Path, led(e.Path, resolve)} {
			if globCovers(pattern, name, e.Recursive, k == lists) {
				return true
			}
		}
	}
	for _, own := range [...]string{path.Clean(e.Path), e.Place.Real} {
		if own == "" {
			continue
		}
		if own == name || e.Recursive && below(name, own) {
			return true
		}
	}
	return false
}

// led is a pattern with the folders before its first wildcard followed.
func led(pattern string, resolve func(string) string) string {
	at := strings.IndexAny(pattern, "*?[")
	if at < 0 {
		return pattern
	}
	dir := strings.LastIndexByte(pattern[:at], '/')
	if dir <= 0 {
		return pattern
	}
	return resolve(pattern[:dir]) + pattern[dir:]
}

// below reports whether name lies in dir.
func below(name, dir string) bool {
	return dir == "/" || len(name) > len(dir) && strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// globCovers matches a name against a pattern component by component. The
// folders that the shell lists to expand the pattern count as covered when
// listing is asked about.
func globCovers(pattern, name string, recursive, listing bool) bool {
	return globParts(strings.Split(path.Clean(pattern), "/"), strings.Split(name, "/"), recursive, listing)
}

func globParts(pattern, name []string, recursive, listing bool) bool {
	if len(pattern) == 0 {
		return len(name) == 0 || recursive
	}
	if len(name) == 0 {
		return pattern[0] == "**" && globParts(pattern[1:], name, recursive, listing) || listing && strings.ContainsAny(strings.Join(pattern, "/"), "*?[")
	}
	if pattern[0] == "**" {
		return globParts(pattern[1:], name, recursive, listing) || globParts(pattern, name[1:], recursive, listing)
	}
	ok, err := path.Match(strings.ReplaceAll(pattern[0], "[!", "[^"), name[0])
	return err == nil && ok && globParts(pattern[1:], name[1:], recursive, listing)
}

// runs reports whether a part, or an effect, names the program.
func (p *prediction) runs(a *access) bool {
	for i := range p.parts {
		if slices.ContainsFunc(programsOf(&p.parts[i]), func(n string) bool { return sameProgram(n, a.path) }) {
			return true
		}
	}
	for i := range p.effects {
		e := &p.effects[i]
		if e.Kind != permissions.Exec {
			continue
		}
		if sameProgram(e.Program, a.path) {
			return true
		}
		for _, name := range a.names {
			if touches(e, executes, name, p.resolve) {
				return true
			}
		}
	}
	return false
}

// reaches reports whether a network effect names the address, or any.
func (p *prediction) reaches(a *access) bool {
	for i := range p.effects {
		e := &p.effects[i]
		if e.Kind != permissions.NetRead && e.Kind != permissions.NetWrite {
			continue
		}
		if e.Host == "" || e.Host == a.path || p.hosts[e.Host] == a.path || a.path == nameServer {
			return true
		}
	}
	return false
}

// programsOf lists the names that a part's command may have.
func programsOf(p *permissions.Part) []string {
	var out []string
	for _, words := range [...][]permissions.Word{p.Words, p.Canon} {
		if len(words) == 0 {
			continue
		}
		if words[0].Known {
			out = append(out, words[0].Text)
		}
		out = append(out, words[0].OneOf...)
	}
	return out
}

// sameProgram reports whether a command's name may start the file: the name
// itself where it has a folder, else the last part of the path.
func sameProgram(name, file string) bool {
	if name == "" {
		return false
	}
	return path.Base(name) == path.Base(file)
}
