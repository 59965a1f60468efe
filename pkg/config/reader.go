package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"mayi/internal/nearest"
)

// table finds keys by their dotted name. It is made when the first layer is
// read: a process that finds no settings needs none.
type table struct {
	keys   map[string]*key
	groups map[string]bool
	names  []string
}

func newTable() *table { return &table{} }

// fill makes the table, once.
func (t *table) fill() {
	if t.keys != nil {
		return
	}
	t.keys = make(map[string]*key, 64)
	t.groups = map[string]bool{"tools": true, "commands": true}
	t.names = make([]string, 0, 64)
	for _, list := range keyLists() {
		for i := range list {
			t.add(&list[i])
		}
	}
	t.names = append(t.names, "commands")
}

// add adds a key and the groups that it is in.
func (t *table) add(k *key) {
	t.keys[k.path] = k
	t.names = append(t.names, k.path)
	for p := k.path; ; {
		dot := strings.LastIndexByte(p, '.')
		if dot < 0 {
			return
		}
		p = p[:dot]
		t.groups[p] = true
	}
}

// reader merges one layer's tree into the settings.
type reader struct {
	s *Settings
	t *table
	d *document
	l *layer
}

// object reads the members of an object whose dotted name is prefix.
func (r *reader) object(o *hujson.Object, prefix string) {
	for _, m := range r.members(o, prefix) {
		path := m.name
		if prefix != "" {
			path = prefix + "." + m.name
		}
		switch k := r.t.keys[path]; {
		case k != nil && !strings.Contains(m.name, "."):
			r.key(k, m)
		case path == "$schema":
		case path == "commands":
			r.commands(m)
		case r.t.groups[path] && !strings.Contains(m.name, "."):
			if sub, ok := m.value.Value.(*hujson.Object); ok {
				r.object(sub, path)
			} else {
				r.wrong(m.value, path, "an object")
			}
		case prefix == "tools":
			r.tool(m)
		default:
			r.problem(m.at, "the key "+quote(path)+" is not known", r.hint(path, m.name))
		}
	}
}

// hint looks for the key that was meant: the whole name first, then its last
// word, which may stand in the wrong place.
func (r *reader) hint(path, name string) string {
	if n := nearest.Word(path, r.t.names); n != "" {
		return "did you mean " + quote(n) + "?"
	}
	for _, full := range r.t.names {
		if last := full[strings.LastIndexByte(full, '.')+1:]; nearest.Word(name, []string{last}) != "" {
			return "did you mean " + quote(full) + "?"
		}
	}
	return "mayi policy schema lists the keys"
}

// member is one entry of an object.
type member struct {
	name  string
	at    int
	value hujson.Value
}

// members reads the names of an object; a name that is written twice counts
// with its first value, and is a problem.
func (r *reader) members(o *hujson.Object, prefix string) []member {
	seen := make(map[string]int, len(o.Members))
	out := make([]member, 0, len(o.Members))
	for _, m := range o.Members {
		name, err := text(m.Name.Value)
		if err != nil {
			r.problem(m.Name.StartOffset, "the key cannot be read: "+err.Error(), "")
			continue
		}
		if at, twice := seen[name]; twice {
			line, _ := r.d.position(at)
			r.problem(m.Name.StartOffset, "the key "+quote(name)+" is written twice", fmt.Sprintf("it is in line %d already; remove one", line))
			continue
		}
		seen[name] = m.Name.StartOffset
		out = append(out, member{name, m.Name.StartOffset, m.Value})
	}
	return out
}

// key reads the value of a documented key and merges it.
func (r *reader) key(k *key, m member) {
	v, ok := r.value(k, m.value)
	if !ok {
		return
	}
	if k.kind != listKind {
		v.items = []item{{src: r.d.source(m.at)}}
	}
	if !k.put(r.s, v, r.l) {
		r.ignored(m.at, k.path)
		return
	}
	r.s.Sources[k.path] = r.d.source(m.at)
}

// value reads a value of the key's type. A list is read without its broken
// elements; a word that is not known is a problem and counts as the strictest.
func (r *reader) value(k *key, hv hujson.Value) (v value, ok bool) {
	switch k.kind {
	case boolKind:
		lit, isLit := hv.Value.(hujson.Literal)
		if !isLit || (lit.Kind() != 't' && lit.Kind() != 'f') {
			r.wrong(hv, k.path, "true or false")
			return v, false
		}
		v.bool = lit.Bool()
	case intKind:
		lit, _ := hv.Value.(hujson.Literal)
		if err := json.Unmarshal(lit, &v.int); err != nil || lit.Kind() != '0' || v.int < k.low || v.int > k.high {
			r.wrong(hv, k.path, fmt.Sprintf("a whole number from %d to %d", k.low, k.high))
			return v, false
		}
	case wordKind:
		if hv.Value.Kind() != '"' {
			r.wrong(hv, k.path, "one of "+strings.Join(quoted(k.words), ", "))
			v.word = k.words[0]
			return v, true
		}
		word, err := text(hv.Value)
		if err != nil || index(k.words, word) < 0 {
			hint := didYouMean(word, k.words)
			if hint == "" {
				hint = "write one of " + strings.Join(quoted(k.words), ", ")
			}
			r.problem(hv.StartOffset, quote(word)+" is no value for "+k.path, hint)
			word = k.words[0]
		}
		v.word = word
	case listKind:
		v.items, ok = r.list(k, hv)
		return v, ok
	}
	return v, true
}

func (r *reader) list(k *key, hv hujson.Value) ([]item, bool) {
	arr, isArr := hv.Value.(*hujson.Array)
	if !isArr {
		r.wrong(hv, k.path, "a list of strings")
		return nil, false
	}
	out := make([]item, 0, len(arr.Elements))
	for _, e := range arr.Elements {
		if e.Value.Kind() != '"' {
			r.wrong(e, "an entry of "+k.path, "a string")
			continue
		}
		s, err := text(e.Value)
		if err != nil {
			r.problem(e.StartOffset, "the string cannot be read: "+err.Error(), "")
			continue
		}
		if k.check != nil {
			if what, hint := k.check(r.s, s); what != "" {
				r.problem(e.StartOffset, what, hint)
				continue
			}
		}
		out = append(out, item{s, r.d.source(e.StartOffset)})
	}
	return out, true
}

func (r *reader) wrong(v hujson.Value, path, want string) {
	r.problem(v.StartOffset, path+" must be "+want, "")
}

func (r *reader) problem(at int, text, hint string) { r.s.problem(*r.d.problem(at, text, hint)) }

func (r *reader) ignored(at int, path string) {
	src := r.d.source(at)
	r.s.Notices = append(r.s.Notices, Notice{src.File, src.Line, src.Col,
		path + " is ignored: it could loosen the settings, and this project is not trusted (mayi trust)"})
}

func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return out
}
