package shell

import (
	"maps"
	"slices"
	"strings"

	"mayi/pkg/shell/value"
)

// flowKind is what a descriptor leads to.
type flowKind uint8

const (
	// flowInherit: whatever the shell itself was started with.
	flowInherit flowKind = iota
	// flowFile: a file; val is its name.
	flowFile
	// flowText: text that flows in, from a here-document or a pipe; val is the
	// text as far as it is known.
	flowText
	// flowCapture: what is written here becomes text of this script again.
	flowCapture
	// flowOuter: a capture further out, whose text is then not followed.
	flowOuter
	// flowNet: a network connection.
	flowNet
	flowClosed
	flowUnknown
)

// flow is what one descriptor leads to.
type flow struct {
	kind flowKind
	val  value.Value
	// partial, for text, is set once a program may have taken a part of it
	// that does not end at a line's end.
	partial *bool
}

// textFlow is text that flows in.
func textFlow(v value.Value) flow { return flow{kind: flowText, val: v, partial: new(bool)} }

// consume notes that something reads standard input as it likes.
func consume(st *state) {
	if f := st.fds.get(0); f.partial != nil {
		*f.partial = true
	}
}

// fdTable maps descriptors to flows; one that is missing is inherited. Tables
// are never changed in place.
type fdTable struct{ m map[int]flow }

func (t fdTable) get(n int) flow { return t.m[n] }

func (t fdTable) with(n int, f flow) fdTable { return fdTable{with(t.m, n, f)} }

// with is m with one more entry, as a new map.
func with[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	n := make(map[K]V, len(m)+1)
	maps.Copy(n, m)
	n[k] = v
	return n
}

// nested is the table inside a new capture: captures further out are not
// followed.
func (t fdTable) nested() fdTable {
	out := t
	for n, f := range t.m {
		if f.kind == flowCapture {
			out = out.with(n, flow{kind: flowOuter})
		}
	}
	return out
}

// leaks reports whether a descriptor leads to a capture further out.
func (t fdTable) leaks() bool {
	for _, f := range t.m {
		if f.kind == flowOuter {
			return true
		}
	}
	return false
}

func (t fdTable) same(u fdTable) bool {
	if len(t.m) != len(u.m) {
		return false
	}
	for n, f := range t.m {
		g, ok := u.m[n]
		if !ok || f.kind != g.kind || !value.Equal(f.val, g.val) {
			return false
		}
	}
	return true
}

func (t fdTable) join(u fdTable) fdTable {
	if t.same(u) {
		return t
	}
	out := t
	for _, n := range slices.Sorted(maps.Keys(u.m)) {
		out = out.with(n, joinFlow(t.get(n), u.m[n]))
	}
	for _, n := range slices.Sorted(maps.Keys(t.m)) {
		if _, ok := u.m[n]; !ok {
			out = out.with(n, joinFlow(t.m[n], flow{}))
		}
	}
	return out
}

func joinFlow(a, b flow) flow {
	if a.kind == b.kind && a.partial == b.partial {
		a.val = value.Union(a.val, b.val)
		return a
	}
	return flow{kind: flowUnknown, val: value.Unknown("a descriptor that may lead to one of several places")}
}

// write records what a command writes to a descriptor.
func (w *walker) write(st *state, fd int, v value.Value) {
	if st.fds.get(fd).kind == flowCapture {
		st.out = value.Concat(st.out, v).Unmarked()
	}
}

// input is the text that a reader of standard input would get.
func input(st *state) value.Value {
	f := st.fds.get(0)
	switch f.kind {
	case flowText:
		return f.val
	case flowFile:
		return value.Unknown("the contents of " + f.val.String())
	case flowNet:
		return value.Unknown("what comes over the network")
	case flowClosed:
		return value.Value{}
	case flowInherit:
		return value.Unknown("standard input")
	}
	return value.Unknown("a descriptor that is not known")
}

// lines are the lines of a known text.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
