package agent

import (
	"sync"

	"mayi/pkg/approval"
	"mayi/pkg/tools"
)

// Caches keeps what was answered in each session of this process, one
// permission cache for each. It serves a gate whose grants live in memory: hand
// [Caches.Grants] to the gate and the Caches to each [Instance]. Safe for
// concurrent use.
type Caches struct {
	mu sync.Mutex
	by map[string]*tools.PermissionCache
}

// NewCaches returns an empty set.
func NewCaches() *Caches { return &Caches{by: map[string]*tools.PermissionCache{}} }

// Cache is the session's cache, made when it is first asked for.
func (c *Caches) Cache(session string) *tools.PermissionCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.by[session]
	if p == nil {
		p = tools.NewPermissionCache()
		c.by[session] = p
	}
	return p
}

// Grants is the session's cache as the gate uses it; nil, which remembers
// nothing, for a session that no instance has opened.
func (c *Caches) Grants(session string) approval.Grants {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.by[session]; p != nil {
		return p.Grants()
	}
	return nil
}

// Forget drops what was answered in the session.
func (c *Caches) Forget(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.by, session)
}
