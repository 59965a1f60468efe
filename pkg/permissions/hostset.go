package permissions

import (
	"net/netip"
	"strings"
)

// hostSet finds the entry that covers a host: the host itself, one of its
// parent domains, or *. An IP address is covered by itself alone. V is what an
// entry leads to. Looking up costs by the number of labels.
type hostSet[V any] struct {
	exact map[string]V // covers the host and what is below
	below map[string]V // *.host: what is below alone
	every *V
	any   *V // some entry, named when the host is not known
}

// add keeps the first entry for a host.
func (s *hostSet[V]) add(host string, v V) {
	if s.any == nil {
		s.any = &v
	}
	if host == "*" {
		if s.every == nil {
			s.every = &v
		}
		return
	}
	into := &s.exact
	if name, sub := strings.CutPrefix(host, "*."); sub {
		into, host = &s.below, name
	}
	if *into == nil {
		*into = map[string]V{}
	}
	if _, known := (*into)[host]; !known {
		(*into)[host] = v
	}
}

// find returns the entry that covers a normalized host.
func (s *hostSet[V]) find(host string) (V, bool) {
	if s.every != nil {
		return *s.every, true
	}
	if v, ok := s.exact[host]; ok {
		return v, true
	}
	var none V
	if len(s.exact)+len(s.below) == 0 {
		return none, false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return none, false
	}
	for {
		_, parent, ok := strings.Cut(host, ".")
		if !ok || numberLike(parent) {
			return none, false // an address is no domain
		}
		if v, ok := s.exact[parent]; ok {
			return v, true
		}
		if v, ok := s.below[parent]; ok {
			return v, true
		}
		host = parent
	}
}
