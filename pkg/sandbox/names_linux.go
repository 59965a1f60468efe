//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// What a name may become depends on what else is there: it is judged once more
// as it is used, with [broker.names] held.

// byName is use where that is about names, which others may have changed since
// they were judged: while a person thought, most of all.
func (b *broker) byName(use func() reply, names ...*subject) func() reply {
	return func() reply {
		for _, s := range names {
			if !b.still(s) {
				return reply{e: unix.EACCES}
			}
		}
		return use()
	}
}

// still says whether nothing has come to a name that would have been judged
// otherwise: a folder or a link, or what makes its folder a repository.
func (b *broker) still(s *subject) bool {
	if s.parent < 0 {
		return true
	}
	var now unix.Stat_t
	var was uint32
	if s.obj >= 0 {
		was = s.st.Mode & unix.S_IFMT
	}
	if unix.Fstatat(s.parent, s.name, &now, unix.AT_SYMLINK_NOFOLLOW) == nil {
		if kind := now.Mode & unix.S_IFMT; kind != was && (kind == unix.S_IFDIR || kind == unix.S_IFLNK) {
			return false
		}
	}
	return s.outside || b.asGit(s.find, &s.spot, s.real).Rule == s.find.Rule
}

// asGit completes a finding that nothing else stands against with whether the
// name would make a git folder of its folder.
func (b *broker) asGit(f finding, s *spot, real string) finding {
	if (f.OK || f.onlyAsked()) && s.parent >= 0 && gitFolder(s.parent, s.name) && !coveredBy(real, b.judge.open) {
		return finding{Rule: "a git folder by another name", Asks: f.Asks}
	}
	return f
}

// gitFolder says whether a name would make its folder one that git takes for
// a repository, although it is not called .git: one with a HEAD, a place for
// objects and what names programs is one, whichever of the three comes last.
func gitFolder(parent int, name string) bool {
	const head, store, steer = 1, 2, 4
	parts := func(f string) int {
		switch f {
		case "head":
			return head
		case "objects":
			return store
		case "commondir":
			return store | steer
		case "config", "config.worktree", "hooks":
			return steer
		}
		return 0
	}
	has := func(f string) bool {
		var st unix.Stat_t // a link that leads nowhere counts: for git, or because it may yet lead somewhere
		return unix.Fstatat(parent, f, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
	}
	all := parts(foldName(name))
	if all == 0 || all&steer == 0 && has(name) || gitPlace(parent) {
		return false // what is there and names no program may be replaced
	}
	for _, f := range []string{"HEAD", "objects", "commondir", "config", "config.worktree", "hooks"} {
		if has(f) {
			all |= parts(foldName(f))
		}
	}
	return all == head|store|steer
}

// gitPlace says whether the folder is one in which git keeps these names, and
// they are judged one by one: .git itself, a submodule's or a worktree's. Any
// other folder below a .git can be moved out of it as a whole.
func gitPlace(parent int) bool {
	p, e := pathOf(parent)
	if e != 0 {
		return false
	}
	dirs := splitPath(p)
	for i, c := range dirs {
		if foldName(c) != ".git" {
			continue
		}
		switch rest := dirs[i+1:]; {
		case len(rest) == 0, len(rest) > 1 && foldName(rest[0]) == "modules", len(rest) == 2 && foldName(rest[0]) == "worktrees":
			return true
		}
	}
	return false
}
