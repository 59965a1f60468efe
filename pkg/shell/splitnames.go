package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

// splitNames adds the words that an unquoted list of names splits into: any
// number of them. ok is false where v is no such list.
func (b *builder) splitNames(v value.Value) (ok bool) {
	l, ok := v.Listing()
	if !ok || l.Sep != '\n' || b.active || b.ifsOpen || !strings.Contains(b.ifs, "\n") {
		return false
	}
	b.add(b.w.item(b.w.parent, b.w.spanOf(b.word), l, b.splitNeeds(), "the shell, which splits at blanks,").WithMany())
	return true
}

// splitNeeds is what must not be in a name for it to stay one word.
func (b *builder) splitNeeds() permissions.Awkward {
	need := permissions.Newline | permissions.Blank
	if !b.noglob {
		need |= permissions.DotGlob | permissions.Backslash
	}
	return need
}

// splitGlob notes what must be true for the names that a pattern in v stands
// for to stay one word each: v is the value of a variable that was given the
// names that a glob, or a listing, found.
func (b *builder) splitGlob(v value.Value) {
	if b.ifs == "" && b.noglob || !manyFolders(v) {
		return
	}
	for _, p := range absolute(b.st.cwd, nil, v) {
		tree := ""
		switch {
		case p.text == "" || p.foreign:
			continue // nobody knows where it is in any case
		case p.deep:
			tree = p.text
		case p.glob:
			tree = p.text
			if k := strings.IndexAny(tree, "*?["); k >= 0 {
				tree = tree[:strings.LastIndexByte(tree[:k], '/')+1]
			}
		default:
			continue
		}
		b.w.note(b.w.parent, permissions.Unread{Why: "a file name may hold what the shell, which splits at blanks, takes for something else",
			Span: b.w.spanOf(b.word), Tame: permissions.Tame{Tree: tree, Without: b.splitNeeds()}})
	}
}

// lineOf is what read assigns for one line of a list of names.
func (w *walker) lineOf(c *command, from flow, whole, raw, nul bool, ifs string, single bool) (value.Value, bool) {
	l, ok := from.val.Listing()
	if from.kind != flowText || !ok || (l.Sep == 0) != nul || !single || !whole {
		return value.Value{}, false
	}
	need := permissions.Newline
	if nul {
		need = 0
	}
	if ifs != "" {
		need |= permissions.Blank
	}
	if !raw {
		need |= permissions.Backslash
	}
	if strings.Trim(ifs, " \t\n") != "" {
		return value.Value{}, false
	}
	return w.item(c.part, c.span, l, need, "read"), true
}

// manyFolders reports whether a name that v stands for may lie in a folder that
// a pattern found: a blank in that folder's name would make what is behind it a
// path of its own.
func manyFolders(v value.Value) bool {
	for _, alt := range v.Alternatives() {
		glob := false
		for _, p := range alt {
			switch {
			case p.Kind == value.Glob && strings.HasPrefix(p.Text, noDash):
				// a name of git's, which holds no blanks
			case crosses(p), glob && p.Kind == value.Lit && strings.Contains(p.Text, "/"):
				return true
			default:
				glob = glob || p.Kind == value.Glob
			}
		}
	}
	return false
}
