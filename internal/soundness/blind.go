package soundness

import (
	"slices"

	"mayi/pkg/permissions"
)

// blind says why the prediction admits not to know about this access, "" where
// it does not. A part that is opaque or unread answers for the processes of its
// own program and for what they start; unread text that belongs to no program
// (eval, a command whose name is not known) answers for anything.
func (p *prediction) blind(a *access) string {
	if len(p.unread) > 0 {
		return "the line: " + p.unread[0].Why
	}
	for i := range p.parts {
		part := &p.parts[i]
		why := admits(part)
		if why == "" {
			continue
		}
		if p.anything(part) || p.ran(part, a) {
			return why
		}
	}
	for i := range p.effects {
		e := &p.effects[i]
		if e.Certainty != permissions.Unknown || !p.fitsUnknown(e, a.kind) {
			continue
		}
		if e.Part < 0 || e.Part >= len(p.parts) || p.ran(&p.parts[e.Part], a) || a.byShell() && (e.Origin == permissions.FromRedirect || a.kind == lists) {
			// Redirections and globs are the shell's work, whatever the command.
			return "an effect that is not known: " + e.Why
		}
	}
	return ""
}

func (p *prediction) fitsUnknown(e *permissions.Effect, k kind) bool {
	if e.Kind == permissions.Undeclared {
		return true
	}
	if k == connects || k == executes {
		return e.Kind == permissions.Exec && k == executes
	}
	return e.Path == "" && p.fits(e, k)
}

// admits says why a part is not read in full, "" where it is.
func admits(part *permissions.Part) string {
	switch {
	case len(part.Unread) > 0:
		return "unread: " + part.Unread[0].Why
	case part.Opaque == permissions.OpaqueInline:
		return "program text that is not read"
	case part.Opaque == permissions.OpaqueProgram:
		return "an opaque program"
	}
	return ""
}

// anything: what the part hides may be any command of the shell itself.
func (p *prediction) anything(part *permissions.Part) bool {
	names := programsOf(part)
	return len(names) == 0 || part.Class == permissions.Free || part.Class == permissions.Function
}

// ran reports whether the access was made by the part's program, by what it
// started, or, for a part that starts none, by the shell.
func (p *prediction) ran(part *permissions.Part, a *access) bool {
	if part.Class == permissions.Free || part.Class == permissions.Function {
		return len(a.programs) == 0
	}
	for _, name := range programsOf(part) {
		if slices.ContainsFunc(a.programs, func(i image) bool { return sameProgram(name, i.path) }) {
			return true
		}
	}
	return false
}
