package effects

import (
	"mayi/pkg/permissions"
)

// maxArguments bounds how many argument values of a foreign call are looked
// at; a call with more of them is undeclared whatever its operator said.
const maxArguments = 4096

// foreign is a tool that is not mayi's own: what its operator declared, else
// undeclared, and in both cases the paths and URLs among its arguments. A
// server's own word about its tools only makes it stricter, unless the server
// is trusted.
func foreign(r Request) []permissions.Effect {
	name := r.Tool.Name
	if r.Tool.Server != "" {
		name = r.Tool.Server + "." + name
	}
	declared := r.Declared
	if len(declared) == 0 {
		declared = r.Foreign.loosened()
	}
	var out []permissions.Effect
	writes, nets := true, permissions.NetWrite
	if len(declared) == 0 {
		out = undeclared("the tool " + name + " declares no effect")
	} else {
		writes, nets = false, permissions.NetRead
		for _, k := range declared {
			if k == permissions.Undeclared {
				return undeclared("the declaration of " + name + " holds an unknown word")
			}
			out = append(out, permissions.Effect{Kind: k, Certainty: permissions.Bounded, Origin: permissions.FromArgument, Part: -1, Program: name, Place: permissions.Place{Zone: permissions.Device}})
			writes = writes || k == permissions.FSWrite || k == permissions.Exec
			if k == permissions.NetWrite || k == permissions.Exec {
				nets = permissions.NetWrite
			}
		}
		out = append(out, r.Foreign.tightened(declared, name)...)
	}
	w := argumentWalk{r: r, left: maxArguments}
	w.value("", arguments(r.Input), r.Foreign.schema())
	if w.left < 0 {
		return append(out, undeclared("the call has too many arguments to look at")...)
	}
	for _, p := range w.paths {
		out = append(out, permissions.Effect{Kind: permissions.Read, Path: p, Certainty: permissions.Bounded, Origin: permissions.FromArgument, Part: -1})
		if writes {
			out = append(out, permissions.Effect{Kind: permissions.FSWrite, Path: p, Certainty: permissions.Bounded, Origin: permissions.FromArgument, Part: -1})
		}
	}
	for _, u := range w.urls {
		e := permissions.Effect{Kind: nets, URL: u, Certainty: permissions.Exact, Origin: permissions.FromArgument, Part: -1}
		if host, err := permissions.HostOfURL(u); err == nil {
			e.Host = host
		} else {
			e.Certainty, e.Why = permissions.Unknown, err.Error()
		}
		out = append(out, e)
	}
	return out
}

// arguments are the tool's own arguments: MCP calls arrive as
// {"name", "arguments"}.
func arguments(in map[string]any) any {
	if args, ok := in["arguments"]; ok {
		if _, named := in["name"]; named {
			return args
		}
	}
	return in
}
