package tools

import (
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// grantNode is one path component in the tree of answers. Looking a path up
// walks down its components, so the cost is the path's depth however many
// answers the tree holds.
type grantNode struct {
	below    map[string]*grantNode
	standing [2]*held
	once     [2]map[string]*held
}

// held is an answer with its place in the order of answers.
type held struct {
	approval.Grant
	seq uint64
}

const (
	reading = 0
	writing = 1
)

func kindOf(write bool) int {
	if write {
		return writing
	}
	return reading
}

// answer returns what this node says about the access, and the once-answer
// that it would consume. anyCall counts once-answers of every call.
func (n *grantNode) answer(write bool, call string, anyCall bool) (permissions.Grant, *held) {
	r, w := n.standing[reading], n.standing[writing]
	if is(r, permissions.GrantDenied) || write && is(w, permissions.GrantDenied) {
		return permissions.GrantDenied, nil
	}
	// A write grant covers reading; a read grant never covers writing.
	if is(w, permissions.GrantedSession) || !write && is(r, permissions.GrantedSession) {
		return permissions.GrantedSession, nil
	}
	for k := kindOf(write); k <= writing; k++ {
		if h := pickOnce(n.once[k], call, anyCall); h != nil {
			return permissions.GrantedOnce, h
		}
	}
	return permissions.NoGrant, nil
}

func is(h *held, g permissions.Grant) bool { return h != nil && h.Answer == g }

// pickOnce prefers the answer that was given for this very call.
func pickOnce(m map[string]*held, call string, anyCall bool) *held {
	if h := m[call]; h != nil {
		return h
	}
	if h := m[""]; h != nil || !anyCall {
		return h
	}
	for _, h := range m {
		return h
	}
	return nil
}

// put replaces what was answered before about the same access.
func (n *grantNode) put(h *held) {
	k := kindOf(h.Write)
	switch h.Answer {
	case permissions.GrantDenied:
		// No to reading is no to writing, which would let it be read.
		for ; k <= writing; k++ {
			n.standing[k], n.once[k] = nil, nil
		}
		n.standing[kindOf(h.Write)] = h
	case permissions.GrantedSession:
		n.standing[k], n.once[k] = h, nil
		n.forgetDenial(h.Write)
	case permissions.GrantedOnce:
		if n.once[k] == nil {
			n.once[k] = map[string]*held{}
		}
		n.once[k][h.Call] = h
		n.standing[k] = nil
		n.forgetDenial(h.Write)
	}
}

// forgetDenial drops a denied read when writing, which covers it, is granted.
func (n *grantNode) forgetDenial(write bool) {
	if write && is(n.standing[reading], permissions.GrantDenied) {
		n.standing[reading] = nil
	}
}

func (n *grantNode) drop(h *held) {
	k := kindOf(h.Write)
	if n.once[k][h.Call] == h {
		delete(n.once[k], h.Call)
	}
}

func (n *grantNode) clear() {
	n.standing = [2]*held{}
	n.once = [2]map[string]*held{}
}

func (n *grantNode) empty() bool {
	return len(n.below) == 0 && n.standing[0] == nil && n.standing[1] == nil && len(n.once[0]) == 0 && len(n.once[1]) == 0
}

// each calls f with every answer at and below n.
func (n *grantNode) each(f func(*held)) {
	for k := range n.standing {
		if n.standing[k] != nil {
			f(n.standing[k])
		}
		for _, h := range n.once[k] {
			f(h)
		}
	}
	for _, c := range n.below {
		c.each(f)
	}
}

// lookup returns the answer of the deepest node on the way to path that has
// one for this access. path is absolute and clean.
func (n *grantNode) lookup(path string, write bool, call string, anyCall bool) (permissions.Grant, *held, *grantNode) {
	best, bestHeld := n.answer(write, call, anyCall)
	at := n
	rest := strings.TrimPrefix(path, "/")
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if n = n.below[name]; n == nil {
			break
		}
		if g, h := n.answer(write, call, anyCall); g != permissions.NoGrant {
			best, bestHeld, at = g, h, n
		}
	}
	return best, bestHeld, at
}

// node returns the node of path, making it if need be.
func (n *grantNode) node(path string) *grantNode {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if name == "" {
			continue
		}
		c := n.below[name]
		if c == nil {
			if n.below == nil {
				n.below = map[string]*grantNode{}
			}
			c = &grantNode{}
			n.below[strings.Clone(name)] = c
		}
		n = c
	}
	return n
}

// remove clears the node of path and drops the branches that it leaves empty.
func (n *grantNode) remove(path string) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if name == "" {
		n.clear()
		return
	}
	c := n.below[name]
	if c == nil {
		return
	}
	c.remove(rest)
	if c.empty() {
		delete(n.below, name)
	}
}
