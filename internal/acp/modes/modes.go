// Package modes says what an agent's session modes come to: how far the agent
// goes in them without asking.
package modes

import (
	"strings"

	"mayi/pkg/permissions"
)

// Rank is the execution mode that the session mode with this id comes to; false
// for an id that is not known. A mode in which the agent asks before whatever
// changes something ranks as plan: asking is what the ceiling is about.
func Rank(id string) (permissions.Mode, bool) {
	switch plain(id) {
	case "plan", "planning", "planmode", "ask", "architect", "readonly", "default", "manual", "normal":
		return permissions.Plan, true
	case "acceptedits", "autoedit", "autoedits", "code", "edit", "write":
		return permissions.AcceptEdits, true
	case "auto", "bypasspermissions", "bypass", "yolo", "dontask", "fullaccess", "fullauto", "autopilot", "dangerfullaccess":
		return permissions.Auto, true
	}
	return "", false
}

// Known reports whether the id is one of a session mode that is known here.
func Known(id string) bool {
	_, ok := Rank(id)
	return ok
}

// Within reports whether the session mode may be used below the ceiling. One
// that is not known may only be where everything may.
func Within(id string, ceiling permissions.Mode) bool {
	m, ok := Rank(id)
	if !ok {
		m = permissions.Auto
	}
	return permissions.RankOf(m) <= permissions.RankOf(ceiling)
}

// Requested is the execution mode that a person asks for with the session mode,
// "" for none: in some the agent just asks about everything, and then it is for
// the policy to say.
func Requested(id string) permissions.Mode {
	switch plain(id) {
	case "default", "manual", "normal":
		return ""
	}
	m, _ := Rank(id)
	return m
}

// plain brings an id to the form of the known ones. An id may be an address, of
// which the fragment names the mode. Only ASCII letters are folded: a look-alike
// stays a different word.
func plain(id string) string {
	if i := strings.LastIndexByte(id, '#'); i >= 0 {
		id = id[i+1:]
	}
	var b strings.Builder
	for i := range len(id) {
		switch c := id[i]; {
		case c == '-' || c == '_' || c == ' ':
		case 'A' <= c && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
