package tools

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// The words of [PermissionCache.Check] and [PermissionCache.Grant].
const (
	PermissionOnce    = "once"
	PermissionSession = "session"
	PermissionDenied  = "denied"
)

// PermissionCache remembers what a person answered about paths in one
// session. An answer covers the path and what is below it, component by
// component; the most specific answer wins, and a denial is inherited like a
// grant. Looking up costs by the depth of the path, not by the number of
// answers. Safe for concurrent use.
type PermissionCache struct {
	mu    sync.RWMutex
	tree  grantNode
	calls map[string]*held
	seq   uint64
}

// NewPermissionCache returns an empty cache, for one session.
func NewPermissionCache() *PermissionCache {
	return &PermissionCache{calls: map[string]*held{}}
}

// Check returns what was answered about reading path: "once", "session",
// "denied", or "" where nothing was. It consumes nothing.
//
// Paths are compared as text once cleaned. A path that climbs with ".."
// cannot be cleaned safely without following links, so it is never granted;
// a denial still counts for it.
func (c *PermissionCache) Check(p string) string { return c.check(p, false) }

// CheckWrite is [PermissionCache.Check] for writing.
func (c *PermissionCache) CheckWrite(p string) string { return c.check(p, true) }

func (c *PermissionCache) check(p string, write bool) string {
	clean, climbs, ok := cleanPath(p)
	if !ok {
		return ""
	}
	c.mu.RLock()
	g, _, _ := c.tree.lookup(clean, write, "", true)
	c.mu.RUnlock()
	switch {
	case g == permissions.GrantDenied:
		return PermissionDenied
	case climbs:
		return ""
	case g == permissions.GrantedSession:
		return PermissionSession
	case g == permissions.GrantedOnce:
		return PermissionOnce
	}
	return ""
}

// Grant remembers an answer about path and what is below it: "once" and
// "session" allow reading, "denied" refuses reading and writing. Any other
// word, and a path that is not absolute or climbs with "..", changes nothing.
func (c *PermissionCache) Grant(p, duration string) { c.grant(p, false, duration) }

// GrantWrite is [PermissionCache.Grant] for writing, which includes reading;
// "denied" refuses writing alone.
func (c *PermissionCache) GrantWrite(p, duration string) { c.grant(p, true, duration) }

func (c *PermissionCache) grant(p string, write bool, duration string) {
	g := approval.Grant{Path: p, Write: write, At: time.Now()}
	switch duration {
	case PermissionOnce:
		g.Answer = permissions.GrantedOnce
	case PermissionSession:
		g.Answer = permissions.GrantedSession
	case PermissionDenied:
		g.Answer = permissions.GrantDenied
	default:
		return
	}
	// The only errors are those of a path that grants nothing.
	_ = c.put(g)
}

// Revoke forgets every answer about path itself. What was answered about a
// folder above it counts again.
func (c *PermissionCache) Revoke(p string) {
	clean, climbs, ok := cleanPath(p)
	if !ok || climbs {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tree.remove(clean)
}

// Grants is the cache as the gate uses it; both share one state. Whoever
// hands it out sees to it that each session has a cache of its own.
func (c *PermissionCache) Grants() approval.Grants { return cacheGrants{c: c} }

// GrantsFor is [PermissionCache.Grants] that refuses answers which name
// another session.
func (c *PermissionCache) GrantsFor(session string) approval.Grants {
	return cacheGrants{c: c, session: session, bound: true}
}

func (c *PermissionCache) put(g approval.Grant) error {
	switch g.Answer {
	case permissions.GrantedOnce, permissions.GrantedSession, permissions.GrantDenied:
	default:
		return fmt.Errorf("remember an answer: %d is no answer", g.Answer)
	}
	clean, climbs, ok := cleanPath(g.Path)
	if g.Path != "" && (!ok || climbs) {
		return fmt.Errorf("remember an answer: %q is no canonical absolute path", g.Path)
	}
	if g.Path == "" && g.Call == "" {
		return fmt.Errorf("remember an answer: it names neither a path nor a call")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	h := &held{Grant: g, seq: c.seq}
	if g.Path == "" {
		c.calls[g.Call] = h
		return nil
	}
	h.Path = clean
	c.tree.node(clean).put(h)
	return nil
}

// cacheGrants is a PermissionCache as approval.Grants. It takes canonical
// paths only: the gate has no others.
type cacheGrants struct {
	c       *PermissionCache
	session string
	bound   bool
}

func (g cacheGrants) Lookup(p string, write bool, call string) permissions.Grant {
	if !canonical(p) {
		return permissions.NoGrant
	}
	g.c.mu.RLock()
	defer g.c.mu.RUnlock()
	answer, _, _ := g.c.tree.lookup(p, write, call, false)
	return answer
}

func (g cacheGrants) LookupCall(call string) permissions.Grant {
	g.c.mu.RLock()
	defer g.c.mu.RUnlock()
	if h := g.c.calls[call]; h != nil {
		return h.Answer
	}
	return permissions.NoGrant
}

func (g cacheGrants) Put(_ context.Context, gr approval.Grant) error {
	if g.bound && gr.Session != "" && gr.Session != g.session {
		return fmt.Errorf("remember an answer: it is about another session")
	}
	if gr.Path != "" && !canonical(gr.Path) {
		return fmt.Errorf("remember an answer: %q is no canonical absolute path", gr.Path)
	}
	return g.c.put(gr)
}

// Claim takes all that the call needs or nothing. A path that a session grant
// covers by now needs nothing taken.
func (g cacheGrants) Claim(_ context.Context, call string, paths []approval.Access, self bool) (bool, error) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	type taken struct {
		n *grantNode
		h *held
	}
	var take []taken
	for _, a := range paths {
		if !canonical(a.Path) {
			return false, nil
		}
		switch answer, h, n := g.c.tree.lookup(a.Path, a.Write, call, false); answer {
		case permissions.GrantedOnce:
			take = append(take, taken{n, h})
		case permissions.GrantedSession:
		default:
			return false, nil
		}
	}
	if self {
		h := g.c.calls[call]
		if h == nil || h.Answer == permissions.GrantDenied {
			return false, nil
		}
		if h.Answer == permissions.GrantedOnce {
			delete(g.c.calls, call)
		}
	}
	for _, t := range take {
		t.n.drop(t.h)
	}
	return true, nil
}

func (g cacheGrants) Revoke(_ context.Context, p string) error {
	g.c.Revoke(p)
	return nil
}

func (g cacheGrants) List(context.Context) ([]approval.Grant, error) {
	g.c.mu.RLock()
	var all []*held
	g.c.tree.each(func(h *held) { all = append(all, h) })
	for _, h := range g.c.calls {
		all = append(all, h)
	}
	g.c.mu.RUnlock()
	slices.SortFunc(all, func(a, b *held) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]approval.Grant, len(all))
	for i, h := range all {
		out[i] = h.Grant
	}
	return out, nil
}

// cleanPath returns p without empty and "." components; climbs says that it
// held "..", ok that it is an absolute path at all. A clean path costs no
// memory.
func cleanPath(p string) (clean string, climbs, ok bool) {
	if p == "" || p[0] != '/' || strings.IndexByte(p, 0) >= 0 {
		return "", false, false
	}
	return path.Clean(p), strings.HasSuffix(p, "/..") || strings.Contains(p, "/../"), true
}

// canonical reports whether p is an absolute path in its only spelling.
func canonical(p string) bool {
	clean, _, ok := cleanPath(p)
	return ok && clean == p
}
