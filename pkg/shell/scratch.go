package shell

import (
	"strings"

	"mayi/pkg/shell/value"
)

// scratchMade is the name that mktemp prints, where it is that of a private
// file, or directory, directly in /tmp.
func scratchMade(args []string) (value.Value, bool) {
	dir, template := false, ""
	for _, a := range args {
		switch {
		case a == "-d" || a == "--directory":
			dir = true
		case a == "-q" || a == "-t" && template == "":
		case strings.HasPrefix(a, "-") || template != "":
			return value.Value{}, false
		default:
			template = a
		}
	}
	prefix := "/tmp/tmp."
	if template != "" {
		prefix = strings.TrimRight(template, "X")
		if len(args) > 1 && args[0] == "-t" || len(args) > 2 && args[1] == "-t" {
			prefix = "/tmp/" + prefix
		}
		name, ok := strings.CutPrefix(prefix, "/tmp/")
		if !ok || len(template)-len(strings.TrimRight(template, "X")) < 6 || strings.ContainsAny(name, `/*?[\`) {
			return value.Value{}, false
		}
	}
	return value.ScratchName(prefix, dir), true
}

// scratch reports whether a path is what mktemp made, or lies in a directory
// that it made.
func scratch(pieces []value.Piece) bool {
	if len(pieces) < 2 || pieces[0].Kind != value.Lit || !strings.HasPrefix(pieces[0].Text, "/tmp/") {
		return false
	}
	switch p := pieces[1]; {
	case p.Kind != value.Glob:
		return false
	case len(pieces) == 2:
		return p.List == value.Scratch || p.List == value.ScratchDir
	case p.List != value.ScratchDir || pieces[2].Kind != value.Lit || !strings.HasPrefix(pieces[2].Text, "/"):
		return false
	}
	for _, p := range pieces[2:] {
		if p.Kind == value.Any || p.Kind == value.Home || strings.Contains(p.Text, "..") {
			return false
		}
	}
	return true
}
