package knowledge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mayi/internal/jsonscan"
)

// table is a compiled spec.
type table struct {
	spec *spec
	// options by spelling ("-o", "--output").
	options map[string]*option
	// slab is room for the next options.
	slab []option

	operands []slot
	none     []effect
	always   []effect
	when     []when
	keys     map[string]role

	prints []prints

	commands *commands
	other    *lazy
	parent   *table

	// spellings are worked out where a word needs them.
	spellingsOnce sync.Once
	spellings     spellings

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
	c := &compiler{groups: e.groups, adds: adds}
	return c.table(&e.spec, nil)
}

type compiler struct {
	groups json.RawMessage
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
	t := &table{spec: s, parent: parent, options: make(map[string]*option, 32), adds: c.adds}
	if err := c.addOptions(t, s, 0); err != nil {
		return nil, err
	}
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
	c.addCommands(t, s)
	if s.Reader != "" && readerFor(s.Reader) == nil {
		return nil, fmt.Errorf("unknown reader %q", s.Reader)
	}
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
	var err error
	in := jsonscan.New(s.Options)
	if len(s.Options) > 0 {
		in.Members(func(key []byte) {
			var o option
			names, raw := string(key), in.Skip()
			if err != nil || in.Err() != nil {
				return
			}
			if o, err = parseOption(raw); err != nil {
				err = fmt.Errorf("option %s: %w", names, err)
				return
			}
			err = t.add(names, o, depth)
		})
	}
	if err = errors.Join(err, in.Err()); err != nil {
		return err
	}
	for _, list := range []struct {
		names           string
		takes, optional bool
	}{{s.Flags, false, false}, {s.Text, true, false}, {s.Optional, true, true}} {
		if err := t.add(list.names, option{takes: list.takes, optional: list.optional, value: role{kind: roleText}}, depth); err != nil {
			return err
		}
	}
	for n := range strings.FieldsSeq(s.Harmless) {
		o := t.options[n]
		if o == nil {
			return fmt.Errorf("harmless option %s is in no list", n)
		}
		o.harmless = true
	}
	for g := range strings.FieldsSeq(s.With) {
		_, raw := jsonscan.Find(c.groups, g)
		if raw == nil {
			return fmt.Errorf("unknown group %q", g)
		}
		gs, err := decodeSpec(raw)
		if err != nil {
			return fmt.Errorf("group %s: %w", g, err)
		}
		if err := c.addOptions(t, gs, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// add adds an option under its spellings.
func (t *table) add(names string, o option, depth int) error {
	for n := range strings.FieldsSeq(names) {
		if n[0] != '-' && n[0] != '+' {
			return fmt.Errorf("option %q does not begin with a dash", n)
		}
		if t.options[n] != nil {
			if depth == 0 {
				return fmt.Errorf("option %s stands twice", n)
			}
			continue
		}
		if len(t.slab) == cap(t.slab) {
			t.slab = make([]option, 0, 16)
		}
		o.name = n
		t.slab = append(t.slab, o)
		t.options[n] = &t.slab[len(t.slab)-1]
	}
	return nil
}

// parseOption reads "role", "role?" or an object.
func parseOption(raw json.RawMessage) (option, error) {
	var o option
	var r rawOption
	s := jsonscan.New(raw)
	if raw[0] == '"' {
		r.Value, r.Optional = strings.CutSuffix(s.Str(), "?")
	} else {
		s.Object(r.read)
	}
	if s.Err() != nil {
		return o, s.Err()
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
