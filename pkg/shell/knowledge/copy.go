package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// dest is the last operand of a copy: a file that is written, or a directory
// in which names like those of the sources are written.
func (c *call) dest(v value.Value, arg int, tree bool) {
	text, exact := v.Text()
	if exact && dirByName(text) {
		c.sources(v, arg, tree)
		return
	}
	c.access(WriteFile, v, arg, tree, false)
	c.backup(v, arg)
	c.sources(v, arg, tree)
}

// into is a directory that the operands are copied into. The directory itself
// gets new entries, so it is named, too.
func (c *call) into(v value.Value, arg int, tree bool) {
	c.access(WriteFile, v, arg, false, false)
	c.sources(v, arg, tree)
}

// dirByName: the name can only mean a directory that is already there.
func dirByName(p string) bool {
	return p == "." || p == ".." || strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..")
}

// sources notes the writes inside the directory v, one for each operand other
// than the one at arg.
func (c *call) sources(v value.Value, arg int, tree bool) {
	for _, op := range c.operands {
		if op.arg == arg && !op.val.HasGlob() {
			continue
		}
		name, ok := lastName(op.val)
		if c.has("--parents") {
			name, ok = wholeName(op.val)
		}
		if !ok {
			c.access(WriteFile, v, arg, true, true)
			continue
		}
		c.access(WriteFile, under(v, name), arg, tree, true)
		c.backup(under(v, name), arg)
	}
}

// wholeName is the name that a source keeps, folders and all (cp --parents),
// where none of them leads up again.
func wholeName(v value.Value) (value.Value, bool) {
	t, ok := v.Text()
	t = strings.TrimLeft(t, "/")
	if !ok || t == "" || strings.Contains("/"+t+"/", "/../") {
		return v, false
	}
	return value.Exact(t), true
}

// lastName is the last component of a path, where it is known well enough to
// be a name in another directory.
func lastName(v value.Value) (value.Value, bool) {
	if t, ok := v.Text(); ok {
		t = strings.TrimRight(t, "/")
		t = t[strings.LastIndexByte(t, '/')+1:]
		if t == "" || t == "." || t == ".." {
			return v, false
		}
		return value.Exact(t), true
	}
	if _, any := v.HasUnknown(); any {
		return v, false
	}
	alts := v.Alternatives()
	if len(alts) != 1 {
		return v, false
	}
	for _, p := range alts[0] {
		if p.Kind == value.Glob && strings.Contains(p.Text, "**") {
			return v, false // names of many directories
		}
	}
	// Drop everything up to the last slash of literal text or pattern text.
	out := value.Exact("")
	for _, p := range alts[0] {
		if k := strings.LastIndexByte(p.Text, '/'); k >= 0 {
			out = piece(p.Kind, p.Text[k+1:])
			continue
		}
		out = value.Concat(out, piece(p.Kind, p.Text))
	}
	if t, ok := out.Text(); ok && (t == "" || t == "." || t == "..") {
		return v, false
	}
	return out, true
}
