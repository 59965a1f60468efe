package model

import (
	"errors"
	"fmt"
	"strings"
)

// maxReply bounds what one reply may hold, in bytes: a server that never stops
// must not fill the memory.
const maxReply = 16 << 20

// errTooLarge is the cause of a reply beyond maxReply.
var errTooLarge = errors.New("larger than 16 MiB")

// Collector puts a reply together from its pieces. It forgives what servers are
// known to do differently: calls without an index or an id, an id or a name
// that is said again with every piece. Not safe for concurrent use.
type Collector struct {
	emit  func(Event)
	text  strings.Builder
	calls []*partial
	size  int
}

// partial is a tool call under way.
type partial struct {
	key      int64
	id, name string
	args     strings.Builder
}

// NewCollector returns a collector that passes on to emit what arrives. A nil
// emit is fine.
func NewCollector(emit func(Event)) *Collector {
	if emit == nil {
		emit = func(Event) {}
	}
	return &Collector{emit: emit}
}

// Text takes a piece of text.
func (c *Collector) Text(s string) {
	if s == "" {
		return
	}
	c.size += len(s)
	c.text.WriteString(s)
	c.emit(Event{Text: s})
}

// Call takes a piece of the tool call at key, the server's index of it.
func (c *Collector) Call(key int64, id, name, args string) {
	c.size += len(id) + len(name) + len(args)
	p := c.find(key, id)
	if p == nil {
		p = &partial{key: key}
		c.calls = append(c.calls, p)
	}
	if id != "" {
		p.id = id
	}
	// A name comes in one piece, in several, or again and again.
	if name != "" && name != p.name {
		announced := p.name != ""
		p.name += name
		if !announced {
			c.emit(Event{Calling: p.name})
		}
	}
	p.args.WriteString(args)
}

// find returns the call that a piece belongs to, or nil for a new one: the
// last at that key, unless the piece names another call.
func (c *Collector) find(key int64, id string) *partial {
	for i := len(c.calls) - 1; i >= 0; i-- {
		if p := c.calls[i]; p.key == key {
			if id != "" && p.id != "" && id != p.id {
				return nil
			}
			return p
		}
	}
	return nil
}

// Err says whether the reply has outgrown its bound.
func (c *Collector) Err() error {
	if c.size > maxReply {
		return errTooLarge
	}
	return nil
}

// Partial is what may be kept of a reply that failed: its text, no call.
func (c *Collector) Partial() Reply {
	return Reply{Text: c.text.String(), Stop: StopOther}
}

// Reply is the whole reply, to be called once the server has said that it is
// complete. A reply that was cut at the length limit in the middle of its tool
// calls is an error: nobody knows what is missing.
func (c *Collector) Reply(where string, stop Stop, usage Usage) (Reply, error) {
	r := Reply{Text: c.text.String(), Stop: stop, Usage: usage}
	if len(c.calls) == 0 {
		return r, nil
	}
	if stop == StopLength {
		return c.Partial(), &Failure{
			Where: where,
			What:  "the reply reached the limit of its length in the middle of a tool call; nothing of it was executed",
			Hint:  "ask for smaller steps or raise the limit",
		}
	}
	for i, p := range c.calls {
		if p.name == "" {
			return c.Partial(), Malformed(where, "a tool call without a name", nil)
		}
		if p.id == "" {
			p.id = fmt.Sprintf("call_%d", i+1)
		}
		r.Calls = append(r.Calls, Call{ID: p.id, Name: p.name, Args: p.args.String()})
	}
	// Some servers say "stop" for a reply that calls tools.
	if stop == StopEnd || stop == StopOther {
		r.Stop = StopTools
	}
	return r, nil
}
