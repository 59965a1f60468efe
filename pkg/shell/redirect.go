package shell

import (
	"strconv"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// redirects opens what the redirections name and leaves the new descriptors
// in st.
func (w *walker) redirects(st *state, list []*syntax.Redirect) {
	for _, r := range list {
		w.redirect(st, r)
	}
}

func (w *walker) redirect(st *state, r *syntax.Redirect) {
	fd, named := 1, ""
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		fd = 0
	}
	if r.N != nil {
		if n, err := strconv.Atoi(r.N.Value); err == nil {
			fd = n
		} else {
			fd, named = -1, strings.Trim(r.N.Value, "{}")
		}
	}
	var f flow
	both := false
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		f = textFlow(w.hereDoc(st, r))
	case syntax.WordHdoc:
		f = textFlow(value.Concat(w.quotedWord(st, r.Word), value.Exact("\n")))
	case syntax.DplIn, syntax.DplOut:
		f, both = w.duplicate(st, r, fd)
	case syntax.RdrIn:
		f = w.open(w.target(st, r.Word), true, false, r, st)
	case syntax.RdrInOut:
		f = w.open(w.target(st, r.Word), true, true, r, st)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		f = w.open(w.target(st, r.Word), false, true, r, st)
	case syntax.RdrAll, syntax.AppAll:
		f, both = w.open(w.target(st, r.Word), false, true, r, st), true
	default:
		w.unread(r, "a redirection of a kind that is not known: "+r.Op.String())
		f = w.open(w.target(st, r.Word), true, true, r, st)
	}
	if named != "" {
		// {name}>file: the shell picks a number; which, nobody knows.
		if r.Op == syntax.DplOut || r.Op == syntax.DplIn {
			return
		}
		w.assign(st, assignment{name: named, val: value.Number("a descriptor's number")}, r)
		fd = -1
		for n := range st.fds.m {
			fd = min(fd, n-1)
		}
	}
	st.fds = st.fds.with(fd, f)
	if both {
		st.fds = st.fds.with(1, f).with(2, f)
	}
}

// target is the name that a redirection opens: exactly one word.
func (w *walker) target(st *state, word *syntax.Word) value.Value {
	fields := w.fields(st, []*syntax.Word{word}, nil)
	if len(fields) == 1 && !fields[0].Many() {
		return fields[0]
	}
	if len(fields) == 1 {
		return fields[0].Single()
	}
	return value.Unknown("a redirection to several words")
}

// duplicate handles >&word and <&word.
func (w *walker) duplicate(st *state, r *syntax.Redirect, fd int) (f flow, both bool) {
	v := w.target(st, r.Word)
	if v.Integer() {
		if t, ok := v.Text(); ok {
			n, _ := strconv.Atoi(t)
			return st.fds.get(n), false
		}
		return flow{kind: flowUnknown, val: v}, false
	}
	if t, ok := v.Text(); ok {
		if t == "-" {
			return flow{kind: flowClosed}, false
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(t, "-")); err == nil {
			return st.fds.get(n), false
		}
	}
	// Anything else is a file's name, for output both streams.
	in := r.Op == syntax.DplIn
	return w.open(v, in, !in, r, st), !in && (r.N == nil || fd == 1)
}

// open emits the effects of opening a name.
func (w *walker) open(v value.Value, read, write bool, n syntax.Node, st *state) flow {
	if host, ok := devNet(v); ok {
		w.connect(host, read, write, n)
		return flow{kind: flowNet, val: v}
	}
	if f, ok := w.standardStream(st, v); ok {
		return f
	}
	if maybeDevNet(v) {
		w.connect(value.Unknown("the name may be /dev/tcp/…"), read, write, n)
	}
	if read {
		w.access(st, access{kind: permissions.Read, path: v, origin: permissions.FromRedirect, node: n})
	}
	if write {
		w.access(st, access{kind: permissions.FSWrite, path: v, origin: permissions.FromRedirect, node: n})
	}
	return flow{kind: flowFile, val: v}
}

// standardStream resolves the names of the shell's own descriptors.
func (w *walker) standardStream(st *state, v value.Value) (flow, bool) {
	t, ok := v.Text()
	if !ok {
		return flow{}, false
	}
	if f, ok := w.procs[t]; ok {
		return f, true
	}
	if n, ok := streamNumber(t); ok {
		return st.fds.get(n), true
	}
	return flow{}, false
}

// streamNumber is the descriptor behind /dev/stdin and its like.
func streamNumber(path string) (int, bool) {
	switch path {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range [...]string{"/dev/fd/", "/proc/self/fd/"} {
		if t, ok := strings.CutPrefix(path, dir); ok {
			if n, err := strconv.Atoi(t); err == nil && n >= 0 && strconv.Itoa(n) == t {
				return n, true
			}
		}
	}
	return 0, false
}

// devNet recognises bash's /dev/tcp/host/port and returns the host.
func devNet(v value.Value) (value.Value, bool) {
	p := v.Prefix()
	if !strings.HasPrefix(p, "/dev/tcp/") && !strings.HasPrefix(p, "/dev/udp/") {
		return value.Value{}, false
	}
	if host, ok := v.Map(func(t string) string {
		h, _, _ := strings.Cut(t[len("/dev/tcp/"):], "/")
		return h
	}); ok {
		return host, true
	}
	if h, _, ok := strings.Cut(p[len("/dev/tcp/"):], "/"); ok {
		return value.Exact(h), true
	}
	return value.Unknown("the host in a /dev/tcp name is not known"), true
}

// maybeDevNet reports whether a name that is not known could be one.
func maybeDevNet(v value.Value) bool {
	for _, alt := range v.Alternatives() {
		p := ""
		open := false
		for _, piece := range alt {
			if piece.Kind != value.Lit {
				open = piece.Kind == value.Any
				break
			}
			p += piece.Text
		}
		if open && (strings.HasPrefix("/dev/tcp/", p) || strings.HasPrefix("/dev/udp/", p)) {
			return true
		}
	}
	return false
}
