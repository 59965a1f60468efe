package sandbox

import (
	"path"
	"sort"
	"strings"
)

// access is what a grant opens, as bits.
type access uint8

const (
	canRead access = 1 << iota
	canWrite
	canRun
	canIoctl
	canList
	canPut // what is put there while the job runs, after a yes, can be run
)

// grant opens one folder or file with everything below it.
type grant struct {
	Path   string `json:"path"`
	Access access `json:"access"`
	// Private: the folder is the job's own and ends with it.
	Private bool `json:"private,omitempty"`
	// DotOnly: a private home; only names that begin with a dot may be made at
	// its top, so that nothing a person would look for is lost in silence.
	DotOnly bool `json:"dotOnly,omitempty"`
	// Quiet: a write is refused without a word. Tools try to write to their
	// caches and do well without.
	Quiet bool `json:"quiet,omitempty"`
}

// step is one change of the file tree that the helper makes.
type step struct {
	Do   string `json:"do"`
	Path string `json:"path"`
	// From is the source of a bind, or the text of a link.
	From string `json:"from,omitempty"`
	// Write: the bind can be written to.
	Write bool  `json:"write,omitempty"`
	Size  int64 `json:"size,omitempty"`
}

// The steps. A bind whose source is missing is passed over; a symbolic link in
// the place of a source is made again as a link.
const (
	doBind  = "bind"  // From, or Path itself, at Path
	doTmp   = "tmp"   // a fresh tmpfs
	doProc  = "proc"  // the pid namespace's own /proc
	doPts   = "pts"   // a fresh devpts
	doLink  = "link"  // a symbolic link to From
	doEmpty = "empty" // an unreadable file or folder over what is there
	doKeep  = "keep"  // what is there, read-only
)

// plan is a Spec worked out for the kernel, still without touching it.
type plan struct {
	Steps  []step   `json:"steps"`
	Grants []grant  `json:"grants"`
	Limits Limits   `json:"limits"`
	Net    bool     `json:"net"`
	Notify bool     `json:"notify"`
	Ask    bool     `json:"ask"`
	Roots  []string `json:"roots"`
}

// planOf orders the tree from the outside in, so that each step finds its
// parent in place.
func planOf(s *Spec) plan {
	p := plan{Limits: s.Limits.or(DefaultLimits()), Net: s.Network.Proxy}
	// What is private lies in memory, so it is bounded like memory.
	tmpSize := p.Limits.Memory / 2
	if tmpSize <= 0 {
		tmpSize = 1 << 30
	}
	add := func(st step, g access, private bool) {
		p.Steps = append(p.Steps, st)
		if g != 0 {
			p.Grants = append(p.Grants, grant{Path: st.Path, Access: g, Private: private})
		}
	}
	for _, f := range SystemFolders() {
		add(step{Do: doBind, Path: f}, canRead|canRun, false)
	}
	p.Steps = append(p.Steps, devSteps(tmpSize)...)
	p.Grants = append(p.Grants,
		grant{Path: "/", Access: canList | canPut}, // names in the job's own tree
		grant{Path: "/dev", Access: canRead | canWrite | canIoctl, Private: true},
		grant{Path: "/proc", Access: canRead | canWrite, Private: true})
	add(step{Do: doProc, Path: "/proc"}, 0, false)
	add(step{Do: doTmp, Path: "/tmp", Size: tmpSize}, canRead|canWrite|canRun, true)
	writes := outermost(s.Write)
	reads := outermost(append(append([]string(nil), s.Read...), s.Programs...))
	if holdsOne("/var/tmp", s.Home, reads, writes) {
		// A link would take what is granted below it to another place.
		add(step{Do: doTmp, Path: "/var/tmp", Size: tmpSize}, canRead|canWrite|canRun, true)
	} else {
		p.Steps = append(p.Steps, step{Do: doLink, Path: "/var/tmp", From: "/tmp"})
	}
	if !holdsOne("/var/run", s.Home, reads, writes) {
		p.Steps = append(p.Steps, step{Do: doLink, Path: "/var/run", From: "/run"})
	}

	if s.Home != "" && s.Home != "/" && !coveredBy(s.Home, writes) && !coveredBy(s.Home, reads) {
		add(step{Do: doTmp, Path: s.Home, Size: tmpSize}, canRead|canWrite|canRun, true)
		p.Grants[len(p.Grants)-1].DotOnly = true
		for _, f := range HomeFiles() {
			f = path.Join(s.Home, f)
			if !coveredBy(f, writes) && !coveredBy(f, reads) {
				add(step{Do: doBind, Path: f}, canRead|canRun, false)
				p.Grants[len(p.Grants)-1].Quiet = true
			}
		}
	}
	for _, f := range reads {
		if !coveredBy(f, writes) && !coveredBy(f, SystemFolders()) {
			add(step{Do: doBind, Path: f}, canRead|canRun, false)
		}
	}
	for _, f := range writes {
		add(step{Do: doBind, Path: f, Write: true}, canRead|canWrite|canRun, false)
		p.Roots = append(p.Roots, f)
	}
	for _, l := range s.Links {
		if !coveredBy(l.Path, append(append(SystemFolders(), reads...), writes...)) {
			p.Steps = append(p.Steps, step{Do: doLink, Path: l.Path, From: l.To})
		}
	}
	sort.SliceStable(p.Steps, func(i, j int) bool { return depth(p.Steps[i].Path) < depth(p.Steps[j].Path) })
	p.Steps = append(p.Steps, closeSteps(s, writes, append(append(SystemFolders(), reads...), writes...))...)
	return p
}

// holdsOne reports whether the home or something granted lies below the folder.
func holdsOne(folder, home string, reads, writes []string) bool {
	for _, f := range append(append([]string{home}, reads...), writes...) {
		if strings.HasPrefix(f, folder+"/") {
			return true
		}
	}
	return false
}

func devSteps(size int64) []step {
	steps := []step{{Do: doTmp, Path: "/dev", Size: 1 << 20}}
	for _, n := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		steps = append(steps, step{Do: doBind, Path: "/dev/" + n, Write: true})
	}
	for _, l := range [][2]string{{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"}} {
		steps = append(steps, step{Do: doLink, Path: "/dev/" + l[0], From: l[1]})
	}
	return append(steps, step{Do: doPts, Path: "/dev/pts"}, step{Do: doTmp, Path: "/dev/shm", Size: size})
}

// closeSteps closes names inside what is granted, where they are known without
// looking through folders: absolute ones, and those that can stand at the top
// of a writable root. The supervisor closes the rest by name.
func closeSteps(s *Spec, writes, visible []string) []step {
	var out []step
	seen := map[string]bool{}
	put := func(do, p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, step{Do: do, Path: p})
		}
	}
	for _, pat := range append(systemSecrets(), s.Denied...) {
		for _, p := range places(pat, writes) {
			if coveredBy(p, visible) {
				put(doEmpty, p)
			}
		}
	}
	for _, pat := range s.Protected {
		if pat.Exact {
			continue
		}
		for _, p := range places(pat, writes) {
			if coveredBy(p, writes) && !touches(p, s.Unprotected) {
				put(doKeep, p)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return depth(out[i].Path) < depth(out[j].Path) })
	return out
}

// places gives the paths that a pattern certainly names.
func places(pat Pattern, roots []string) []string {
	glob := strings.TrimPrefix(pat.Glob, "**/")
	if strings.ContainsAny(glob, `*?[\`) {
		return nil
	}
	if strings.HasPrefix(glob, "/") {
		return []string{path.Clean(glob)}
	}
	var out []string
	for _, r := range roots {
		out = append(out, path.Join(r, glob))
	}
	return out
}

func depth(p string) int { return strings.Count(strings.TrimSuffix(p, "/"), "/") }

func coveredBy(p string, roots []string) bool {
	for _, r := range roots {
		if within(p, r) {
			return true
		}
	}
	return false
}

// touches says whether p covers one of the paths or is covered by one.
func touches(p string, paths []string) bool {
	for _, q := range paths {
		if within(q, p) || within(p, q) {
			return true
		}
	}
	return false
}

// outermost drops what another entry covers, and duplicates.
func outermost(in []string) []string {
	sorted := append([]string(nil), in...)
	sort.Strings(sorted)
	var out []string
	for _, p := range sorted {
		if !coveredBy(p, out) {
			out = append(out, p)
		}
	}
	return out
}
