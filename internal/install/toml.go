package install

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlKey is a key that is wanted in a table of a TOML file.
type tomlKey struct {
	table []string
	key   string
	// value is a text or a truth value.
	value any
}

// tomlText is a TOML file that is edited as text: a line is put under the
// table's header, or a table behind the end. Whatever was read from the file
// before has to be read from it afterwards, or nothing is changed.
type tomlText struct {
	file string
	text []byte
	tree map[string]any
}

func parseTOML(file string, text []byte) (*tomlText, error) {
	t := &tomlText{file: file, text: text}
	if err := toml.Unmarshal(text, &t.tree); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, col := at.Position()
			return nil, fmt.Errorf("%s:%d:%d: the file cannot be read: %s", file, line, col, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: the file cannot be read: %w", file, err)
	}
	if t.tree == nil {
		t.tree = map[string]any{}
	}
	return t, nil
}

// get is the value of a key, nil for none.
func (t *tomlText) get(table []string, key string) any {
	at := t.tree
	for _, name := range table {
		next, ok := at[name].(map[string]any)
		if !ok {
			return nil
		}
		at = next
	}
	return at[key]
}

// change replaces the text, and the tree is to be as want makes it.
func (t *tomlText) change(text []byte, want func(tree map[string]any)) error {
	now, err := parseTOML(t.file, text)
	if err != nil {
		return fmt.Errorf("%s is written in a way that mayi cannot add to: %w", t.file, err)
	}
	then, err := parseTOML(t.file, t.text)
	if err != nil {
		return err
	}
	want(then.tree)
	if !reflect.DeepEqual(pruned(now.tree), pruned(then.tree)) {
		return fmt.Errorf("%s is written in a way that mayi cannot add to", t.file)
	}
	t.text, t.tree = text, now.tree
	return nil
}

// set puts a key into its table.
func (t *tomlText) set(k tomlKey) error {
	if reflect.DeepEqual(t.get(k.table, k.key), k.value) {
		return nil
	}
	want := func(tree map[string]any) { makeTable(tree, k.table)[k.key] = k.value }
	line := tomlName(k.key) + " = " + tomlValue(k.value)
	header, body, found := t.table(k.table)
	if !found {
		text := append(t.ended(), (t.gap() + "[" + tomlPath(k.table) + "]" + t.nl() + line + t.nl())...)
		return t.change(text, want)
	}
	if at, ok := body[k.key]; ok {
		return t.change(splice(t.text, at[0], at[1], line), want)
	}
	if header < len(t.text) || bytes.HasSuffix(t.text, []byte("\n")) {
		return t.change(splice(t.text, header, header, line+t.nl()), want)
	}
	return t.change(append(t.ended(), line+t.nl()...), want)
}

// add puts a block of tables behind the end.
func (t *tomlText) add(block string) error {
	var more map[string]any
	if err := toml.Unmarshal([]byte(block), &more); err != nil {
		return fmt.Errorf("the tables for %s cannot be read: %w", t.file, err)
	}
	text := append(t.ended(), (t.gap() + strings.ReplaceAll(block, "\n", t.nl()))...)
	return t.change(text, func(tree map[string]any) { merge(tree, more) })
}

// unset takes a key out of its table, and the table with it where nothing else
// is in it.
func (t *tomlText) unset(k tomlKey) error {
	_, body, found := t.table(k.table)
	at, ok := body[k.key]
	if !found || !ok {
		return nil
	}
	from, to := t.line(at[0], at[1])
	alone := len(body) == 1
	if alone {
		from = bytes.LastIndexByte(t.text[:max(t.headerAt(k.table), 0)], '\n') + 1
		if bytes.HasSuffix(t.text[:from], []byte("\n\n")) {
			from--
		}
	}
	return t.change(splice(t.text, from, to, ""), func(tree map[string]any) {
		delete(makeTable(tree, k.table), k.key)
	})
}

// table finds a table by its header: where its body begins, and where the keys
// in it stand.
func (t *tomlText) table(path []string) (body int, keys map[string][2]int, found bool) {
	keys = map[string][2]int{}
	inside := false
	t.walk(func(e *unstable.Node, names []string, at [2]int) {
		if e.Kind != unstable.KeyValue {
			inside = e.Kind == unstable.Table && slices.Equal(names, path)
			if inside {
				found = true
				_, body = t.line(at[0], at[1])
			}
			return
		}
		if inside {
			name := strings.Join(names, ".")
			keys[name] = at
		}
	})
	return body, keys, found
}

func (t *tomlText) headerAt(path []string) int {
	start := -1
	t.walk(func(e *unstable.Node, names []string, at [2]int) {
		if e.Kind == unstable.Table && slices.Equal(names, path) {
			start = at[0]
		}
	})
	return start
}

// walk calls f for each expression with its key and the range of its text (of a
// header, its names).
func (t *tomlText) walk(f func(e *unstable.Node, names []string, at [2]int)) {
	var p unstable.Parser
	p.Reset(t.text)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.KeyValue, unstable.Table, unstable.ArrayTable:
		default:
			continue
		}
		var names []string
		at := [2]int{-1, -1}
		for it := e.Key(); it.Next(); {
			n := it.Node()
			names = append(names, string(n.Data))
			if at[0] < 0 {
				at[0] = int(n.Raw.Offset)
			}
			at[1] = int(n.Raw.Offset + n.Raw.Length)
		}
		if e.Kind == unstable.KeyValue {
			at = [2]int{int(e.Raw.Offset), int(e.Raw.Offset + e.Raw.Length)}
		}
		f(e, names, at)
	}
}

// line widens a range to whole lines.
func (t *tomlText) line(from, to int) (int, int) {
	from = bytes.LastIndexByte(t.text[:from], '\n') + 1
	if n := bytes.IndexByte(t.text[to:], '\n'); n >= 0 {
		return from, to + n + 1
	}
	return from, len(t.text)
}

func (t *tomlText) nl() string {
	if bytes.Contains(t.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// ended is a copy of the text that ends with the end of a line.
func (t *tomlText) ended() []byte {
	out := slices.Clone(t.text)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, t.nl()...)
	}
	return out
}

// gap is the blank line in front of a table.
func (t *tomlText) gap() string {
	if len(bytes.TrimSpace(t.text)) == 0 {
		return ""
	}
	return t.nl()
}
