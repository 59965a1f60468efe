package sandbox

import (
	"path"
	"slices"
	"strings"
)

// judge answers, for resolved paths, what the Spec says about them. It is pure
// and safe for concurrent use.
type judge struct {
	grants []grant
	denied names
	// firm are the protected names that nothing opens.
	firm, protected names
	// askRead and askWrite are what is asked about although it is granted, but for
	// what is answered already.
	askRead, askWrite names
	answered          []Answered
	open              []string
	home              string
	quiet             []string
}

func newJudge(s *Spec, p plan) *judge {
	j := &judge{grants: p.Grants, denied: compile(append(systemSecrets(), s.Denied...)), open: s.Unprotected, home: s.Home}
	firm, soft := divided(s.Protected)
	j.firm, j.protected = compile(firm), compile(soft)
	j.askRead, j.askWrite, j.answered = compile(s.AskRead), compile(s.AskWrite), s.Answered
	for _, q := range quietFiles() {
		if s.Home != "" {
			j.quiet = append(j.quiet, path.Join(s.Home, q))
		}
	}
	return j
}

// divided puts the patterns that no answer opens apart.
func divided(list []Pattern) (firm, soft []Pattern) {
	for _, p := range list {
		if p.Firm {
			firm = append(firm, p)
		} else {
			soft = append(soft, p)
		}
	}
	return firm, soft
}

// finding is what the Spec says about one path.
type finding struct {
	OK bool
	// Firm: nobody can open it in this job.
	Firm bool
	// Outside: no grant covers the path.
	Outside bool
	// Quiet: nobody needs to hear of it.
	Quiet bool
	Rule  string
	// Asks is the rule that says to ask about the path, in the words of the
	// settings. Where nothing else stands against it, that is why it is not OK.
	Asks string
	// Reads: what it asks about is reading, whatever the call does.
	Reads bool
}

// onlyAsked says whether nothing but a rule that asks stands against it.
func (f finding) onlyAsked() bool {
	return !f.OK && !f.Firm && !f.Outside && f.Rule == "" && f.Asks != ""
}

// read says whether a path may be opened for reading.
func (j *judge) read(p string) finding {
	return j.asking(j.readable(p), j.askRead, p, false, false)
}

// moved says whether a path may get another name, under which it is read.
func (j *judge) moved(p string, folder bool) finding {
	return j.asking(finding{OK: true}, j.askRead, p, false, folder)
}

// asking completes a finding with what is asked about in any case. What is the
// job's own and private is nobody else's concern.
func (j *judge) asking(f finding, ask names, p string, write, folder bool) finding {
	if len(ask.list) == 0 || f.Firm {
		return f
	}
	if g := j.cover(p); f.OK && g != nil && g.Private && !within(p, "/proc") {
		return f
	}
	comps := componentsOf(p)
	for i := range ask.list {
		c := &ask.list[i]
		if h := meet(c.segs, comps, c.Exact); h == miss || h == above && !folder {
			continue
		}
		if !slices.ContainsFunc(j.answered, func(a Answered) bool { return a.Rule == c.Why && a.Write == write && a.names(p) }) {
			f.OK, f.Asks, f.Reads = false, c.Why, !write
			return f
		}
	}
	return f
}

func (j *judge) readable(p string) finding {
	if h, by := j.denied.match(p); h == covered {
		return finding{Firm: by.Firm, Rule: by.Glob}
	}
	if g := j.cover(p); g == nil || g.Access&canRead == 0 {
		return finding{Outside: true}
	}
	return finding{OK: true}
}

// run says whether a program may be run. What nobody can open to be read, nobody
// can open to be run.
func (j *judge) run(p string) finding {
	if f := j.readable(p); f.Firm {
		return f
	}
	if g := j.cover(p); g == nil || g.Access&canRun == 0 {
		return finding{Outside: true}
	}
	return j.asking(finding{OK: true}, j.askRead, p, false, false)
}

// write says whether a path may be made, changed or removed. folder: what
// stands there, or is put there, holds or leads to other names, so that it
// must not take the place of a folder above protected ones.
func (j *judge) write(p string, folder bool) finding {
	return j.asking(j.writable(p, folder), j.askWrite, p, true, folder)
}

func (j *judge) writable(p string, folder bool) finding {
	if h, by := j.denied.match(p); h == covered || folder && h == above {
		return finding{Firm: by.Firm, Rule: by.Glob}
	}
	g := j.cover(p)
	if h, by := j.firm.match(p); (h == covered || folder && h == above) && (g == nil || !g.Private || g.Access&canWrite == 0) {
		return finding{Firm: true, Rule: by.Glob}
	}
	if g == nil || g.Access&canWrite == 0 {
		quiet := g != nil && g.Quiet
		return finding{Outside: true, Firm: quiet, Quiet: quiet}
	}
	if g.DotOnly && p != g.Path {
		if top := strings.TrimPrefix(p, g.Path+"/"); !strings.HasPrefix(top, ".") && !strings.HasPrefix(top, "go/") && top != "go" {
			return finding{Outside: true}
		}
		return finding{OK: true}
	}
	if g.Private {
		return finding{OK: true}
	}
	if h, by := j.protected.match(p); (h == covered || folder && h == above) && !coveredBy(p, j.open) && !(packaged(p, by)) {
		return finding{Rule: by.Glob}
	}
	return finding{OK: true}
}

// packaged says whether a name that would steer an editor or an agent lies
// among installed packages, where nobody starts one: packages bring such files,
// and an installation must not fail for them. What git and mayi follow stays.
func packaged(p string, by *Pattern) bool {
	if !steersAnywhere(strings.TrimPrefix(by.Glob, "**/")) {
		return false
	}
	for _, c := range splitPath(p) {
		switch c {
		case "node_modules", "site-packages", ".venv", ".cargo", ".gopath", ".npm", ".yarn", ".pnpm-store":
			return true
		}
	}
	return false
}

// cover gives the innermost grant that holds the path; of two for one path the
// later one, as of two mounts.
func (j *judge) cover(p string) *grant {
	var best *grant
	for i := range j.grants {
		g := &j.grants[i]
		if within(p, g.Path) && (best == nil || len(g.Path) >= len(best.Path)) {
			best = g
		}
	}
	return best
}

// lookOut says what to do with a path that does not exist in the job's tree:
// look for it outside because it is granted all the same (it did not exist
// when the tree was made), look in order to ask, or leave it missing.
type lookOut uint8

const (
	lookNot lookOut = iota
	lookAsk
	lookGranted
)

func (j *judge) lookOut(p string) lookOut {
	if p == "/proc" || within(p, "/proc") || within(p, "/sys") || within(p, "/dev") {
		return lookNot
	}
	for _, q := range j.quiet {
		if p == q || !j.broad(q) && within(p, q) {
			return lookNot
		}
	}
	g := j.cover(p)
	switch {
	case g == nil, g.DotOnly:
		return lookAsk
	case g.Private:
		return lookNot
	case g.Access&canRead == 0:
		return lookAsk
	}
	return lookGranted
}

// broad folders are looked for themselves without a question; what is below
// them is a matter of its own.
func (j *judge) broad(q string) bool {
	return q == path.Join(j.home, ".config") || q == path.Join(j.home, ".local")
}

// hidden says whether a path is one of the files that programs look for in the
// home folder and do well without.
func (j *judge) hidden(p string) bool {
	return j.home != "" && within(p, j.home) && strings.HasPrefix(strings.TrimPrefix(p, j.home), "/.")
}

// namesAtAnyDepth says whether reading must be judged name by name: a mount
// can close only what is known beforehand.
func namesAtAnyDepth(ps []Pattern) bool {
	for _, p := range ps {
		if !strings.HasPrefix(p.Glob, "/") || strings.ContainsAny(p.Glob, `*?[\`) {
			return true
		}
	}
	return false
}
