package install

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"mayi/internal/jsonedit"
)

// entry is one thing that is wanted in a JSON settings file: an element of the
// list at path, or the value at path.
type entry struct {
	path  []string
	value any
	// list: value is an element of the list.
	list bool
	// keep: a value that is there already is left as it is.
	keep bool
}

// entries are what mayi adds to a JSON settings file.
type entries struct {
	agent string
	want  []entry
}

// hookCall finds a call of mayi's hook in a command line.
func hookCall(agent string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[/\\'" ])mayi[^/\\'" ]*['"]? hook ` + regexp.QuoteMeta(agent) + `(?:[ '"]|$)`)
}

// element is what of a list's element says whose it is: Claude Code and its
// kin have a list of hooks in each, others the command itself.
type element struct {
	Command any       `json:"command"`
	Bash    string    `json:"bash"`
	Hooks   []element `json:"hooks"`
}

// ours is the command line in el, "" where it is not mayi's.
func (e entries) ours(el element) string {
	for _, c := range []string{asText(el.Command), el.Bash} {
		if c != "" && hookCall(e.agent).MatchString(c) {
			return c
		}
	}
	return ""
}

func asText(command any) string {
	switch c := command.(type) {
	case string:
		return c
	case []any:
		out := ""
		for i, w := range c {
			s, ok := w.(string)
			if !ok {
				return ""
			}
			if i > 0 {
				out += " "
			}
			out += s
		}
		return out
	}
	return ""
}

// mine tells the elements at path that are wholly mayi's, the inner hooks that
// are mayi's beside others', and all of mayi's commands.
func (e entries) mine(d *jsonedit.Doc, path []string) (whole []int, inner [][]string, commands []string, err error) {
	list, err := d.Elements(path...)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, raw := range list {
		var el element
		if json.Unmarshal(raw, &el) != nil {
			continue // not of a shape that mayi writes
		}
		if c := e.ours(el); c != "" {
			whole, commands = append(whole, i), append(commands, c)
			continue
		}
		var at [][]string
		for k, h := range el.Hooks {
			if c := e.ours(h); c != "" {
				commands = append(commands, c)
				at = append(at, join2(path, strconv.Itoa(i), "hooks", strconv.Itoa(k)))
			}
		}
		if len(at) > 0 && len(at) == len(el.Hooks) {
			whole = append(whole, i)
			continue
		}
		inner = append(inner, at...)
	}
	return whole, inner, commands, nil
}

func join2(path []string, more ...string) []string {
	return append(slices.Clone(path), more...)
}

func (e entries) put(file string, text []byte, u *undo) ([]byte, error) {
	d, err := jsonedit.Parse(file, text)
	if err != nil {
		return nil, err
	}
	changed := false
	for _, w := range e.want {
		did, err := e.putOne(d, w, u)
		if err != nil {
			return nil, err
		}
		changed = changed || did
	}
	if !changed {
		return text, nil
	}
	return d.Bytes(), nil
}

func (e entries) putOne(d *jsonedit.Doc, w entry, u *undo) (changed bool, err error) {
	if !w.list {
		return setOne(d, w, u)
	}
	whole, inner, _, err := e.mine(d, w.path)
	if err != nil {
		return false, err
	}
	for i := len(inner) - 1; i >= 0; i-- {
		last := len(inner[i]) - 1
		k, _ := strconv.Atoi(inner[i][last])
		if err := d.RemoveElement(inner[i][:last], k); err != nil {
			return false, err
		}
	}
	for len(whole) > 1 {
		last := whole[len(whole)-1]
		if err := d.RemoveElement(w.path, last); err != nil {
			return false, err
		}
		whole, changed = whole[:len(whole)-1], true
	}
	if len(whole) == 1 {
		list, err := d.Elements(w.path...)
		if err != nil {
			return false, err
		}
		if equal(list[whole[0]], w.value) {
			return changed || len(inner) > 0, nil
		}
		// In its place: an agent may know the entries by their numbers.
		return true, d.Replace(w.path, whole[0], w.value)
	}
	remember(d, w.path, u)
	return true, d.Append(w.path, w.value)
}

func setOne(d *jsonedit.Doc, w entry, u *undo) (bool, error) {
	var old json.RawMessage
	if err := d.Get(&old, w.path...); err != nil {
		return false, err
	}
	if old != nil && (w.keep || equal(old, w.value)) {
		return false, nil
	}
	remember(d, w.path[:len(w.path)-1], u)
	now, err := json.Marshal(w.value)
	if err != nil {
		return false, err
	}
	u.Set = append(u.Set, wasSet{Path: w.path, Old: old, New: now})
	return true, d.Set(w.path, w.value)
}

// remember notes which of the objects on the way to path, and path itself, are
// missing.
func remember(d *jsonedit.Doc, path []string, u *undo) {
	for n := 1; n <= len(path); n++ {
		if !d.Has(path[:n]...) {
			u.Made = append(u.Made, slices.Clone(path[:n]))
		}
	}
}

func (e entries) commands(file string, text []byte) ([]string, error) {
	d, err := jsonedit.Parse(file, text)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, w := range e.want {
		if w.list {
			_, _, c, err := e.mine(d, w.path)
			if err != nil {
				return nil, err
			}
			out = append(out, c...)
			continue
		}
		if c := e.single(d, w); c != "" {
			out = append(out, c)
		}
	}
	return out, nil
}

// single is mayi's command line in the object that w sets, "" for none.
func (e entries) single(d *jsonedit.Doc, w entry) string {
	var el element
	if w.list || d.Get(&el, w.path...) != nil {
		return ""
	}
	return e.ours(el)
}

// equal compares a value of a file with one that is wanted.
func equal(have json.RawMessage, want any) bool {
	text, err := json.Marshal(want)
	if err != nil {
		return false
	}
	var a, b any
	return json.Unmarshal(have, &a) == nil && json.Unmarshal(text, &b) == nil && reflect.DeepEqual(a, b)
}
