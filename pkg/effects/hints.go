package effects

import "mayi/pkg/permissions"

// Foreign is what a third-party server says about a tool of its own, and how
// far it is believed.
type Foreign struct {
	// ReadOnly, Destructive and OpenWorld are the tool's annotations, nil where
	// it says nothing.
	ReadOnly, Destructive, OpenWorld *bool
	// Trusted: the operator trusts the server (trustedServers), so that what it
	// says may also loosen.
	Trusted bool
	// Schema is the JSON Schema of the tool's arguments, nil where there is none.
	Schema map[string]any
}

func (f *Foreign) schema() map[string]any {
	if f == nil {
		return nil
	}
	return f.Schema
}

// loosened is the declaration that a trusted server's own word makes for a tool
// that its operator said nothing about: one that only reads reads, and reaches
// the network unless it says that its world is closed. Anything else declares
// nothing.
func (f *Foreign) loosened() []permissions.Kind {
	if f == nil || !f.Trusted || !says(f.ReadOnly, true) || says(f.Destructive, true) {
		return nil
	}
	if says(f.OpenWorld, false) {
		return []permissions.Kind{permissions.Read}
	}
	return []permissions.Kind{permissions.Read, permissions.NetRead}
}

// tightened are the effects that a tool has by its server's own word and that
// declared does not hold. What a server leaves out says nothing.
func (f *Foreign) tightened(declared []permissions.Kind, name string) []permissions.Effect {
	if f == nil {
		return nil
	}
	has := func(kinds ...permissions.Kind) bool {
		for _, d := range declared {
			for _, k := range kinds {
				if d == k {
					return true
				}
			}
		}
		return false
	}
	add := func(k permissions.Kind, why string) permissions.Effect {
		return permissions.Effect{
			Kind: k, Certainty: permissions.Bounded, Origin: permissions.FromTool, Part: -1, Program: name,
			Place: permissions.Place{Zone: permissions.Device}, Why: why,
		}
	}
	var out []permissions.Effect
	strong := has(permissions.FSWrite, permissions.Exec, permissions.NetWrite)
	switch {
	case says(f.Destructive, true) && !says(f.ReadOnly, true) && !strong:
		out = append(out, add(permissions.Exec, "its server says that "+name+" is destructive, which its declaration does not hold"))
	case says(f.ReadOnly, false) && !strong && !has(permissions.StateWrite):
		out = append(out, add(permissions.Exec, "its server says that "+name+" changes things, which its declaration does not hold"))
	}
	if says(f.OpenWorld, true) && !has(permissions.NetRead, permissions.NetWrite, permissions.Exec) {
		e := add(permissions.NetRead, "its server says that "+name+" reaches the outside world, which its declaration does not hold")
		e.Certainty = permissions.Unknown
		out = append(out, e)
	}
	return out
}

func says(hint *bool, what bool) bool { return hint != nil && *hint == what }
