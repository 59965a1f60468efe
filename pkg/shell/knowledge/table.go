package knowledge

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// table is a compiled spec.
type table struct {
	spec *spec
	// options by spelling ("-o", "--output"); long are the long spellings in
	// order, for abbreviations.
	options map[string]*option
	long    []string

	operands []slot
	none     []effect
	always   []effect
	when     []when
	keys     map[string]role

	prints []prints

	commands map[string]*lazy
	other    *lazy
	parent   *table

	// risky: some option can write, run or hide something, so that a word
	// which may be an option is no mere operand.
	risky []string

	// adds: the table only adds to what another one says.
	adds bool
}

// option is one spelling of an option. Data that gives several spellings one
// meaning makes one of these for each, so that what was given stays known.
type option struct {
	name     string
	value    role
	takes    bool
	optional bool
	last     bool
	harmless bool
	byName   bool // a rule has to name it, see [Use.ByName]
	does     []effect
}

func (o *option) is(name string) bool { return o.name == name }

// slot is a place for operands.
type slot struct {
	role     role
	many     bool // any number
	required bool
	// standard is the word that counts where there is no operand for the
	// place; "" for none.
	standard string
}

// when is a compiled rawWhen.
type when struct {
	any, not  []string
	operand   bool
	operands  []slot
	replaces  bool
	none      []effect
	does      []effect
	recursive bool
}

// compile turns an entry into its table. Sub-commands are compiled when they
// are first needed; adds makes a table that only adds to another one.
func compile(e *entry, adds bool) (*table, error) {
	c := &compiler{groups: e.Groups, adds: adds}
	return c.table(&e.spec, nil)
}

type compiler struct {
	groups map[string]json.RawMessage
	adds   bool
}

func (c *compiler) table(s *spec, parent *table) (*table, error) {
	switch s.Style {
	case "", "gnu", "go", "joined", "none":
	default:
		return nil, fmt.Errorf("unknown style %q", s.Style)
	}
	switch s.Unknown {
	case "", "unread", "text", "data":
	default:
		return nil, fmt.Errorf("unknown: %q is none of unread, text and data", s.Unknown)
	}
	if c.adds {
		// What it adds is not its business to say as unknown.
		own := *s
		own.Unknown, own.Transparent = "text", false
		s = &own
	}
	t := &table{spec: s, parent: parent, options: map[string]*option{}, adds: c.adds}
	if err := c.addOptions(t, s, 0); err != nil {
		return nil, err
	}
	for name := range t.options {
		if strings.HasPrefix(name, "--") || s.Style == "go" {
			t.long = append(t.long, name)
		}
	}
	sort.Strings(t.long)
	var err error
	if t.operands, err = parseSlots(s.Operands); err != nil {
		return nil, err
	}
	if t.none, err = parseEffects(s.None); err != nil {
		return nil, err
	}
	if t.always, err = parseEffects(s.Always); err != nil {
		return nil, err
	}
	for _, w := range s.When {
		cw, err := compileWhen(w)
		if err != nil {
			return nil, err
		}
		t.when = append(t.when, cw)
	}
	if t.prints, err = compilePrints(s.Prints); err != nil {
		return nil, err
	}
	t.keys = make(map[string]role, len(s.Keys))
	for k, v := range s.Keys {
		if t.keys[k], err = parseRole(v); err != nil {
			return nil, fmt.Errorf("key %s: %w", k, err)
		}
	}
	if err := c.addCommands(t, s); err != nil {
		return nil, err
	}
	if s.Reader != "" && readerFor(s.Reader) == nil {
		return nil, fmt.Errorf("unknown reader %q", s.Reader)
	}
	t.risky = riskySpellings(t)
	return t, nil
}

func compileWhen(w rawWhen) (when, error) {
	out := when{any: strings.Fields(w.Any), not: strings.Fields(w.Not), operand: w.Operand, recursive: w.Recursive}
	var err error
	if w.Operands != nil {
		out.replaces = true
		if out.operands, err = parseSlots(*w.Operands); err != nil {
			return out, err
		}
	}
	if out.none, err = parseEffects(w.None); err != nil {
		return out, err
	}
	out.does, err = parseEffects(w.Does)
	return out, err
}

// addOptions adds the options of a spec and of the groups that it names.
// What the spec itself says about a spelling goes before its groups.
func (c *compiler) addOptions(t *table, s *spec, depth int) error {
	if depth > 4 {
		return fmt.Errorf("groups are nested too deeply")
	}
	add := func(n string, o option) error {
		if !strings.HasPrefix(n, "-") && !strings.HasPrefix(n, "+") {
			return fmt.Errorf("option %q does not begin with a dash", n)
		}
		if t.options[n] == nil {
			o.name = n
			t.options[n] = &o
		} else if depth == 0 {
			return fmt.Errorf("option %s stands twice", n)
		}
		return nil
	}
	for names, raw := range s.Options {
		o, err := parseOption(raw)
		if err != nil {
			return fmt.Errorf("option %s: %w", names, err)
		}
		for _, n := range strings.Fields(names) {
			if err := add(n, o); err != nil {
				return err
			}
		}
	}
	for _, list := range []struct {
		names           string
		takes, optional bool
	}{{s.Flags, false, false}, {s.Text, true, false}, {s.Optional, true, true}} {
		for _, n := range strings.Fields(list.names) {
			if err := add(n, option{takes: list.takes, optional: list.optional, value: role{kind: roleText}}); err != nil {
				return err
			}
		}
	}
	for _, n := range strings.Fields(s.Harmless) {
		if o := t.options[n]; o == nil {
			return fmt.Errorf("harmless option %s is in no list", n)
		} else {
			o.harmless = true
		}
	}
	for _, g := range strings.Fields(s.With) {
		raw := c.groups[g]
		if raw == nil {
			return fmt.Errorf("unknown group %q", g)
		}
		gs := &spec{}
		if err := strict(raw, gs); err != nil {
			return fmt.Errorf("group %s: %w", g, err)
		}
		if err := c.addOptions(t, gs, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// parseOption reads "role", "role?" or an object.
func parseOption(raw json.RawMessage) (option, error) {
	var o option
	var r rawOption
	if len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &r.Value); err != nil {
			return o, err
		}
		r.Value, r.Optional = strings.CutSuffix(r.Value, "?")
	} else if err := strict(raw, &r); err != nil {
		return o, err
	}
	o.optional, o.last, o.takes = r.Optional, r.Last, r.Value != ""
	var err error
	if o.takes {
		if o.value, err = parseRole(r.Value); err != nil {
			return o, err
		}
	}
	o.does, err = parseEffects(r.Does)
	for _, e := range o.does {
		o.byName = o.byName || e.mark == "by-name"
	}
	return o, err
}
