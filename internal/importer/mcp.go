package importer

import (
	"strings"

	"mayi/pkg/permissions"
)

// mcp takes over a rule for a server's tools, whose name joins both with sep.
// Without it all tools of the server are meant.
func (p *Policy) mcp(a permissions.Action, name, sep, from string) {
	server, tool, ok := strings.Cut(name, sep)
	if !ok || tool == "" {
		tool = "*"
	}
	p.server(a, server, tool, from, "")
}

// server takes over a rule for a tool of a server, "*" for all. The first dot of
// mayi's rule divides the two, so a server's name cannot hold one.
func (p *Policy) server(a permissions.Action, server, tool, from, note string) {
	parts := func(s string) bool { return s != "*" && strings.Contains(s, "*") }
	if a == permissions.ActionAllow {
		switch {
		case strings.Contains(server, "*"):
			p.leave(from, "servers cannot be allowed by a pattern", false)
			return
		case parts(tool):
			p.leave(from, "a part of a tool's name cannot be a pattern", false)
			return
		case !named(server) || tool != "*" && !named(tool):
			p.leave(from, "its name holds characters that could be taken for others", false)
			return
		}
		p.add(a, "mcp("+server+"."+tool+")", from, note)
		return
	}
	if parts(server) {
		server, note = "*", "stricter: of all servers"
	}
	if parts(tool) {
		tool, note = "*", "stricter: all tools of the server"
	}
	if strings.Contains(server, ".") {
		p.leave(from, "the server's name holds a dot, which mayi's rules cannot say", true)
		return
	}
	if as := plainName(server) + "." + plainName(tool); as != server+"."+tool {
		// Agents put a line in the place of each such character.
		p.add(a, "mcp("+as+")", from, "as agents write its name")
		if _, err := permissions.ParseRule(a, "mcp("+server+"."+tool+")", permissions.Source{}); err != nil {
			return
		}
	}
	p.add(a, "mcp("+server+"."+tool+")", from, note)
}

// nameLetters are those that agents let stand in the name of a tool.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// named reports whether every agent lets the name stand as it is. A dot is
// divided by in mayi, and so left to it.
func named(name string) bool { return name != "" && strings.Trim(name, nameLetters) == "" }

// plainName is the name as agents write it.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '*' || strings.ContainsRune(nameLetters, r) {
			return r
		}
		return '_'
	}, name)
}

// joined takes over a rule for SERVER_TOOL. Both may hold the line that joins
// them: a deny then holds for every way to divide, an allow for none.
func (p *Policy) joined(a permissions.Action, name, from string) {
	ways := strings.Count(name, "_")
	switch {
	case ways != 1 && a == permissions.ActionAllow:
		p.leave(from, "where the server's name ends and the tool's begins is not known", false)
	case ways > 1:
		for i, c := range name {
			if c == '_' && i > 0 && i+1 < len(name) {
				p.server(a, name[:i], name[i+1:], from, "one of the ways to divide it")
			}
		}
	default:
		p.mcp(a, name, "_", from)
	}
}
