package shell

import (
	"slices"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"
)

// listed is the text that a program prints, where it is a list of names that
// was found below the working directory or other known places.
func (w *walker) listed(st *state, c *command, name string, p knowledge.Prints) (value.Value, bool) {
	why := "the output of " + name
	switch p.Kind {
	case knowledge.PrintsInput:
		f := st.fds.get(0)
		if l, ok := f.val.Listing(); ok && c.whole && f.kind == flowText && l.Sep == p.Sep {
			return f.val, true
		}
		return value.Value{}, false
	case knowledge.PrintsNames:
		l := value.Listing{Names: p.Names, Sep: p.Sep, Quoted: p.Quoted, Index: p.Index}
		if !w.treeOf(st, &l) {
			return value.Value{}, false
		}
		v := value.Listed(l, why)
		_, ok := v.Listing()
		return v, ok
	}
	return value.Value{}, false
}

// treeOf finds the one directory that all names of a listing are in, as far as
// they are not exact.
func (w *walker) treeOf(st *state, l *value.Listing) bool {
	exact := true
	for _, alt := range l.Names.Alternatives() {
		for _, p := range alt {
			exact = exact && p.Kind == value.Lit
		}
		if !plainNames(alt) {
			return false
		}
	}
	dirs := map[string]bool{}
	for _, p := range absolute(st.cwd, nil, l.Names) {
		if p.text == "" || p.foreign {
			return false
		}
		dir := p.text
		if i := strings.IndexAny(dir, "*?["); p.glob && i >= 0 {
			dir = dir[:i]
			dir = dir[:strings.LastIndexByte(dir, '/')+1]
		}
		dirs[dir] = true
	}
	if exact {
		return true // nothing has to be looked at
	}
	// Several places are looked at as the place that holds them all.
	common, first := "", true
	for d := range dirs {
		d = clean(d)
		if first {
			common, first = d, false
			continue
		}
		for common != "/" && d != common && !strings.HasPrefix(d, strings.TrimSuffix(common, "/")+"/") {
			common = clean(common[:strings.LastIndexByte(common, '/')+1])
		}
	}
	l.Tree = common
	return true
}

// plainNames reports whether the literal text in a name holds nothing that
// makes it turn into something else when it is split.
func plainNames(alt []value.Piece) bool {
	for i, p := range alt {
		switch {
		case p.Kind == value.Home:
			return false
		case p.Kind != value.Lit:
			continue
		case i == 0 && strings.HasPrefix(p.Text, "-"):
			return false
		}
		for k := range len(p.Text) {
			if c := p.Text[k]; c <= ' ' || c == 0x7f || strings.IndexByte(`'"\*?[(`, c) >= 0 {
				return false
			}
		}
	}
	return true
}

// item is one name out of a listing, as a word. What would have to be true of
// the names in the tree for it to be one is noted at part.
func (w *walker) item(part int, span permissions.Span, l value.Listing, need permissions.Awkward, how string) value.Value {
	if l.Quoted {
		need &^= permissions.Newline
	}
	for _, alt := range l.Names.Alternatives() {
		if len(alt) == 0 || alt[0].Kind != value.Lit {
			need |= permissions.Dash
		}
	}
	if l.Tree != "" && need != 0 {
		w.note(part, permissions.Unread{Why: "a file name may hold what " + how + " takes for something else", Span: span,
			Tame: permissions.Tame{Tree: l.Tree, Without: need, Index: l.Index}})
	}
	return spread(l.Names)
}

// spread marks names without a pattern so that, like a pattern, they may become
// several words.
func spread(v value.Value) value.Value {
	var out value.Value
	for i, alt := range v.Alternatives() {
		var one value.Value
		glob := false
		for _, p := range alt {
			glob = glob || p.Kind == value.Glob
			one = value.Concat(one, value.Of(p))
		}
		if !glob {
			one = value.Concat(one, value.Pattern(""))
		}
		if i == 0 {
			out = one
		} else {
			out = value.Union(out, one)
		}
	}
	return out
}

// fromInput replaces the words of a command that come from standard input by
// the names that are listed there. ok is false where they are not known.
func (w *walker) fromInput(st *state, c *command, r knowledge.Run, split knowledge.Split) (knowledge.Run, bool) {
	f := st.fds.get(0)
	l, ok := f.val.Listing()
	if f.kind != flowText || !ok || r.Kind != knowledge.RunWords || !c.whole {
		return r, false
	}
	if len(r.Words) > 0 {
		switch name, _ := r.Words[0].Text(); name {
		case "echo", "printf", "true", "false":
			return r, false // whatever the names are, they are only text
		}
	}
	var need permissions.Awkward
	switch split {
	case knowledge.SplitNULs:
		if ok = l.Sep == 0; !ok {
			return r, false
		}
	case knowledge.SplitNewlines:
		need = permissions.Newline
	case knowledge.SplitLines, knowledge.SplitBlanks:
		need = permissions.Newline | permissions.Blank | permissions.Quote | permissions.Backslash
	default:
		return r, false
	}
	if split != knowledge.SplitNULs && l.Sep != '\n' {
		return r, false
	}
	if prints(r.Words) {
		need = 0 // whatever the words are, they are only printed
		l.Tree = ""
	}
	names := w.item(c.part, c.span, l, need, "xargs")
	words := make([]value.Value, len(r.Words))
	for i, v := range r.Words {
		words[i] = fill(v, names)
		if r.MoreArgs && i == len(r.Words)-1 {
			words[i] = names.WithMany()
		}
	}
	r.Words, r.MoreArgs = words, false
	return r, true
}

// fill puts names where the input word stands in v.
func fill(v, names value.Value) value.Value {
	var out value.Value
	for i, alt := range v.Alternatives() {
		var one value.Value
		for _, p := range alt {
			if p.Kind == value.Any && p.Text == knowledge.InputWord {
				one = value.Concat(one, names)
				continue
			}
			one = value.Concat(one, value.Of(p))
		}
		if i == 0 {
			out = one
		} else {
			out = value.Union(out, one)
		}
	}
	if v.Many() {
		return out.WithMany()
	}
	return out
}

// anyCrosses reports whether some name that v stands for may hold slashes that
// nobody knows.
func anyCrosses(v value.Value) bool {
	for _, alt := range v.Alternatives() {
		if slices.ContainsFunc(alt, crosses) {
			return true
		}
	}
	return false
}

// listedName reports whether a path is that of a file that was found, with
// nothing added that is awkward in a name.
func listedName(pieces []value.Piece) bool {
	return slices.ContainsFunc(pieces, crosses) && plainNames(pieces)
}

// climbs reports whether some component behind what may hold slashes may be "..".
func climbs(pieces []value.Piece) bool {
	i := slices.IndexFunc(pieces, crosses)
	if i < 0 {
		return false
	}
	dot := false
	for _, p := range pieces[i+1:] {
		if p.Kind == value.Lit && strings.Contains(p.Text, "..") || dot && p.Kind == value.Glob {
			return true
		}
		dot = p.Kind == value.Lit && (strings.HasSuffix(p.Text, ".") || strings.Contains(p.Text, "/."))
	}
	return false
}

// prints reports whether a command does nothing but print its words.
func prints(words []value.Value) bool {
	if len(words) == 0 {
		return false
	}
	name, ok := words[0].Text()
	return ok && (name == "echo" || name == "printf")
}
