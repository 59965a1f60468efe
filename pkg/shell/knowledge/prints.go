package knowledge

import (
	"fmt"
	"strings"

	"mayi/pkg/shell/value"
)

// prints is a compiled rawPrints.
type prints struct {
	what           string
	any, with, nul []string
	links          bool
	quoted, index  bool
	max            int // at most so many operands; -1 for any number
}

func compilePrints(list []rawPrints) ([]prints, error) {
	out := make([]prints, 0, len(list))
	for _, r := range list {
		switch r.What {
		case "lines", "found", "entries", "names":
		default:
			return nil, fmt.Errorf("prints: %q is none of lines, found, entries and names", r.What)
		}
		p := prints{what: r.What, any: strings.Fields(r.Any), with: strings.Fields(r.With), nul: strings.Fields(r.NUL),
			links: r.Links, quoted: r.Quoted, index: r.Index, max: -1}
		if r.Max != nil {
			p.max = *r.Max
		}
		out = append(out, p)
	}
	return out, nil
}

// prints notes what the program writes to standard output, by the first entry
// of the table that holds. A reader may have said so before.
func (c *call) prints() {
	if c.use.Prints.Kind != PrintsAnything || len(c.use.Unread) > 0 || len(c.use.Runs) > 0 || len(c.guessed) > 0 || c.steered {
		return
	}
	for _, p := range c.table.prints {
		if len(p.any) > 0 && !c.has(p.any...) || p.max >= 0 && len(c.operands) > p.max || !c.onlyGiven(p) {
			continue
		}
		out := Prints{Sep: '\n', Links: p.links, Quoted: p.quoted, Index: p.index}
		if c.has(p.nul...) {
			out.Sep, out.Quoted = 0, false
		}
		if c.printed(p.what, &out) {
			c.use.Prints = out
		}
		return
	}
}

// onlyGiven reports whether no option was given but those that p lists.
func (c *call) onlyGiven(p prints) bool {
	for _, s := range c.seen {
		if !contains(p.any, s.opt.name) && !contains(p.with, s.opt.name) && !contains(p.nul, s.opt.name) {
			return false
		}
	}
	return true
}

// below reports whether the words name nothing above the working directory, as
// far as git's pathspecs go.
func below(words []operand) bool {
	for _, op := range words {
		t, ok := op.val.Text()
		if !ok || strings.HasPrefix(t, "/") || strings.HasPrefix(t, ":") || contains(strings.Split(t, "/"), "..") {
			return false
		}
	}
	return true
}

// printed fills in what is printed; false where that is not known.
func (c *call) printed(what string, out *Prints) bool {
	if what == "lines" {
		out.Kind = PrintsInput
		if c.use.Stdin != StdinData {
			return false
		}
		for _, a := range c.use.Accesses {
			if a.Kind == ReadFile && a.Arg >= 0 {
				return false // it prints lines of a file, too
			}
		}
		return true
	}
	out.Kind = PrintsNames
	if c.dir != nil {
		return false // names are relative to another directory
	}
	if what == "names" {
		out.Names = value.Deep(out.Links)
		return below(c.operands)
	}
	found := false
	add := func(v value.Value) {
		if found {
			v = value.Union(out.Names, v)
		}
		out.Names, found = v, true
	}
	for _, a := range c.use.Accesses {
		if a.Kind != ReadFile && a.Kind != ListDir {
			continue
		}
		switch {
		case a.Path.Many():
			return false
		case what == "entries":
			// A directory's entries, bare, below a head where there are several.
			add(value.Deep(true))
			if a.Arg >= 0 {
				add(a.Path)
				add(value.Concat(a.Path, value.Exact(":")))
			}
		case a.Arg < 0:
			add(value.Deep(out.Links))
		case a.Recursive:
			add(under(a.Path, value.Deep(out.Links)))
		default:
			add(a.Path)
		}
	}
	return found
}

// merge is what either of two descriptions says is printed.
func (p Prints) merge(q Prints) Prints {
	if p.Kind != q.Kind || p.Sep != q.Sep || p.Links != q.Links || p.Quoted != q.Quoted || p.Index != q.Index {
		return Prints{}
	}
	if p.Kind == PrintsNames {
		p.Names = value.Union(p.Names, q.Names)
	}
	return p
}
