package sandbox

import (
	"path"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// Options are what a Spec is made from besides the call.
type Options struct {
	// Dir is the canonical working directory.
	Dir string
	// Policy gives the workspace's roots, the home folder, the network policy
	// and the deny rules for paths.
	Policy permissions.Policy
	// ReadPaths and WritePaths are the settings' standing grants.
	ReadPaths, WritePaths []string
	// Protected are the settings' further protected paths, as globs.
	Protected []string
	// Own are mayi's own settings and state: closed, whatever is granted.
	Own []string
	// KeepEnv are environment variables that are passed on although their
	// names look like secrets.
	KeepEnv  []string
	Limits   Limits
	Required bool
	// Held: the decision rests on the Spec alone for what it does not know, so
	// that it closes all that the decision would have asked about.
	Held bool
}

// FromCall works out what an allowed call may touch: what its effects name,
// the workspace as far as it is needed, and the standing grants. It is pure.
// The call must have been allowed; for any other there is nothing to run.
func FromCall(c permissions.Call, o Options) Spec {
	s := Spec{
		Dir: o.Dir, Home: o.Policy.Home, Limits: o.Limits, Required: o.Required,
		Env: Environment{Mask: SecretVariables(), Keep: append([]string(nil), o.KeepEnv...)},
	}
	s.Read = append(s.Read, o.ReadPaths...)
	s.Write = append(s.Write, o.WritePaths...)
	writes, net := false, false
	if len(c.Unread) > 0 || len(c.Effects) == 0 && !idle(c) {
		writes, net = true, true
	}
	for i := range c.Effects {
		e := &c.Effects[i]
		writes = writes || changes(e, o.Held)
		net = net || connects(e)
		s.grant(e)
	}
	if writes {
		s.Write = append(s.Write, o.Policy.Workspace...)
	} else {
		s.Read = append(s.Read, o.Policy.Workspace...)
	}
	if o.Policy.AllowOutside {
		s.Read = append(s.Read, "/")
	}
	s.Network = networkOf(o.Policy, net, permissions.SkipsQuestions(o.Policy, c.Remote))
	s.Denied, s.Protected = closedNames(o)
	if !permissions.SkipsQuestions(o.Policy, c.Remote) {
		s.AskRead, s.AskWrite = askedNames(o.Policy)
	}
	s.Answer(c.Effects)
	s.Read, s.Write = outermost(s.Read), outermost(s.Write)
	return s
}

// Workspace is the Spec of a command of which nothing is known but that it may
// work below one folder.
func Workspace(dir, home string) Spec {
	return FromCall(permissions.Call{}, Options{Dir: dir, Policy: permissions.Policy{Workspace: []string{dir}, Home: home, Network: permissions.NetworkDeny}})
}

// idle says whether a command line was read and has no effect at all, as true
// and echo; without parts nothing was read.
func idle(c permissions.Call) bool {
	for _, p := range c.Parts {
		if p.Class != permissions.Free || p.Opaque != permissions.Clear || len(p.Unread) > 0 {
			return false
		}
	}
	return len(c.Parts) > 0
}

// changes says whether an effect needs a workspace that can be written to.
func changes(e *permissions.Effect, held bool) bool {
	switch e.Kind {
	case permissions.Read, permissions.NetRead:
		return !held && e.Certainty == permissions.Unknown && e.Kind == permissions.Read && e.Path == "" && e.Why != ""
	case permissions.StateWrite, permissions.NetWrite:
		return false
	}
	return true
}

// connects says whether an effect needs a network. A redirection to a name that
// is not known may be one to /dev/tcp, which no proxy could carry.
func connects(e *permissions.Effect) bool {
	if e.Origin == permissions.FromRedirect && e.Kind == permissions.NetWrite && e.Host == "" && e.URL == "" {
		return false
	}
	return e.Kind != permissions.Read && e.Kind != permissions.FSWrite && e.Kind != permissions.StateWrite
}

// grant opens the place of one effect. A place that could not be resolved, and
// mayi's own, are not opened by anything.
func (s *Spec) grant(e *permissions.Effect) {
	real := e.Place.Real
	if real == "" || !strings.HasPrefix(real, "/") || path.Clean(real) != real || e.Place.Own || e.Place.Zone == permissions.Device {
		return
	}
	if e.Certainty == permissions.Unknown || e.Glob {
		return
	}
	switch e.Kind {
	case permissions.Read:
		if e.Place.Zone != permissions.Inside {
			s.Read = append(s.Read, real)
		}
	case permissions.FSWrite:
		if e.Place.Zone != permissions.Inside {
			s.Write = append(s.Write, real)
		}
		if e.Place.Protected != "" {
			s.Unprotected = append(s.Unprotected, real)
		}
	case permissions.Exec:
		if e.Place.Zone != permissions.Inside {
			s.Programs = append(s.Programs, real)
		}
	}
}

func networkOf(p permissions.Policy, net, skip bool) Network {
	n := Network{}
	switch {
	case !net:
		return n
	case p.Network == permissions.NetworkAllow || p.Network == "":
		n = Network{Proxy: true, Hosts: []string{"*"}}
	case p.Network == permissions.NetworkAllowlist && len(p.NetworkHosts) > 0:
		n = Network{Proxy: true, Hosts: append([]string(nil), p.NetworkHosts...)}
	default:
		return n
	}
	for _, r := range p.Rules {
		switch {
		case r.Kind != permissions.FetchRule || r.Action == permissions.ActionAllow:
		case r.Action != permissions.ActionAsk:
			n.Denied = append(n.Denied, r.Glob)
		case !skip:
			n.Ask = append(n.Ask, r.Glob)
		}
	}
	return n
}

// closedNames are the names that stay closed inside what is granted.
func closedNames(o Options) (denied, protected []Pattern) {
	roots, home := o.Policy.Workspace, o.Policy.Home
	for _, r := range o.Policy.Rules {
		if r.Action == permissions.ActionAllow || r.Action == permissions.ActionAsk || !forPaths(r) {
			continue // any other action is a deny
		}
		for _, g := range permissions.PathPatterns(r.Glob, roots, home) {
			switch r.Kind {
			case permissions.ReadRule:
				denied = append(denied, Pattern{Glob: g, Firm: true, Why: r.Text})
			case permissions.WriteRule:
				protected = append(protected, Pattern{Glob: g, Firm: true, Why: r.Text})
			}
		}
	}
	for _, p := range o.Own {
		protected = append(protected, Pattern{Glob: p, Firm: true, Why: "mayi's own"})
	}
	protected = append(protected, Pattern{Glob: "**/.mayi", Firm: true, Why: "mayi's own settings"})
	if home != "" {
		for _, f := range HomeSecrets() {
			denied = append(denied, Pattern{Glob: path.Join(home, f), Why: "a secret of the home folder"})
		}
	}
	for _, e := range workspace.Protected() {
		for _, g := range entryGlobs(e, roots, home, o.Held) {
			protected = append(protected, Pattern{Glob: g, Exact: e.Exact, Why: e.Why})
		}
	}
	for _, p := range o.Protected {
		for _, g := range permissions.PathPatterns(p, roots, home) {
			protected = append(protected, Pattern{Glob: g, Why: "protectedPaths"})
		}
	}
	return denied, protected
}

// forPaths reports whether a rule names paths; one that names none, built by hand,
// means nothing.
func forPaths(r permissions.Rule) bool {
	return (r.Kind == permissions.ReadRule || r.Kind == permissions.WriteRule) && r.Glob != ""
}

// askedNames are the names that ask rules mean.
func askedNames(p permissions.Policy) (read, write []Pattern) {
	for _, r := range p.Rules {
		if r.Action != permissions.ActionAsk || !forPaths(r) {
			continue
		}
		for _, g := range permissions.PathPatterns(r.Glob, p.Workspace, p.Home) {
			x := Pattern{Glob: g, Why: r.String()}
			if r.Kind == permissions.ReadRule {
				read = append(read, x)
			} else {
				write = append(write, x)
			}
		}
	}
	return read, write
}

func entryGlobs(e workspace.Entry, roots []string, home string, all bool) []string {
	switch {
	case strings.HasSuffix(e.Pattern, "attributes") && !all:
		// They select among programs that a git config names, and that is
		// closed; every clone and many packages bring one.
		return nil
	case e.Where == workspace.Anywhere, steersAnywhere(e.Pattern):
		return []string{"**/" + e.Pattern}
	}
	var out []string
	if e.Where == workspace.AtRoot {
		for _, r := range roots {
			out = append(out, path.Join(r, e.Pattern))
		}
	}
	if home != "" {
		out = append(out, path.Join(home, e.Pattern))
	}
	return out
}

// steersAnywhere says whether a name is followed wherever an editor, a shell
// or an agent is started, not only at the top of a workspace.
func steersAnywhere(pattern string) bool {
	top, _, _ := strings.Cut(pattern, "/")
	switch top {
	case ".mcp.json", ".envrc", ".vscode", ".idea", ".claude", ".codex", ".gemini", ".qwen", ".cursor", ".copilot", ".opencode", ".husky":
		return true
	}
	return false
}
