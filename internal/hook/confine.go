package hook

import (
	"os"
	"runtime"
	"strings"

	"mayi/internal/hook/ticket"
	"mayi/internal/runner"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// verb is the subcommand that runs a command by its ticket.
const verb = "exec-confined"

// longest is how long a rewritten command may be: an argument of a program has
// a limit in the kernel, and agents put the command into one.
const longest = 100_000

// confines reports whether the call's command can be made to run confined.
func (h *hook) confines(d *Door, c *call) bool {
	if c.command == "" || h.agent.rewrites == nil || !h.agent.rewrites(c) {
		return false
	}
	s := d.Gate.Settings()
	return h.o.Self != "" && d.tickets() != "" && runtime.GOOS == "linux" && s.Hooks.Confine && s.Sandbox != "off"
}

// worth reports whether it is to be: it has to, or does something.
func (h *hook) worth(v gate.Verdict) bool { return len(v.Obligations) > 0 || !h.idle(v) }

// idle reports whether the command only says something, or only changes the
// folder of an agent's shell that keeps it: there is nothing to confine. Whatever
// could stay in a shell that goes on (a function, an alias, a variable) is not
// idle: it would be called in place of what a later command names.
func (h *hook) idle(v gate.Verdict) bool {
	c := v.Call
	if len(c.Unread) > 0 || len(c.Parts) == 0 || strings.ContainsAny(v.Text, "(){}=`<>") {
		return false
	}
	for _, p := range c.Parts {
		if p.Class != permissions.Free || p.Opaque != permissions.Clear || len(p.Unread) > 0 || len(p.Words) == 0 || !p.Words[0].Known {
			return false
		}
		switch p.Words[0].Text {
		case "echo", "pwd", "true", "false", ":", "test", "[":
		case "cd":
			if !h.agent.tracks {
				return false
			}
		default:
			return false
		}
	}
	for _, e := range c.Effects {
		if e.Place.Zone != permissions.Device && (e.Kind != permissions.Read || e.Place.Zone != permissions.Inside) {
			return false
		}
	}
	return true
}

// confine issues the ticket t, which says how far the call has come, and puts
// the command that uses it into the outcome.
func (h *hook) confine(d *Door, c *call, v gate.Verdict, out *outcome, t ticket.Ticket) error {
	dir, err := workspace.Canonical(c.cwd)
	if err != nil {
		return err
	}
	if in, ok := c.input["cwd"].(string); ok && in != "" {
		if dir, err = workspace.Canonical(in); err != nil {
			return err
		}
	}
	text, lead := v.Text, ""
	if leaves(text) {
		out.note = "mayi: the command ran confined; what it left running in the background ended with it. To keep something running, start it in the foreground with the tool's own background option."
	}
	if h.agent.tracks {
		if cd, there, rest, ok := split(v); ok {
			lead, dir, text = cd+" && ", there, rest
		} else if moves(v.Call) {
			out.note = "mayi: the command ran confined, in a shell of its own: the folder that it changed to does not hold for the next command. Call cd alone to stay in a folder."
		}
	}
	t.ID, t.Agent, t.Session = ticket.NewID(), h.agent.name, v.Request.Session
	t.Text, t.Dir = text, dir
	t.Cwd, t.Root, t.Workspace, t.Override = c.cwd, c.root, c.workspace, c.override
	t.Policy, t.Verdict, t.Expires = v.Policy, v, h.o.Now().Add(ticket.Life).UnixNano()
	t.Verdict.Verdict = permissions.Allow // whoever can use the ticket has the person's answer
	t.Line = lead + runner.Quote(h.o.Self) + " " + verb + " " + t.ID
	if shown := t.Line + " -- " + runner.Quote(text); len(shown) <= longest {
		t.Line = shown
	}
	t.Search = h.o.Env["PATH"]
	if err := ticket.Put(d.tickets(), t); err != nil {
		return err
	}
	out.command = t.Line
	return nil
}

// split takes a leading "cd DIR &&" (or ";", or a line's end) off the command,
// for an agent whose shell keeps the folder: the cd stays in its shell, and the
// rest runs confined there. It is done only where the decision was about one
// folder, which is there, so that the rest would have run, and all of it there.
func split(v gate.Verdict) (cd, there, rest string, ok bool) {
	text := v.Text
	if len(v.Call.Parts) < 2 || len(v.Call.Unread) > 0 {
		return "", "", "", false
	}
	p := v.Call.Parts[0]
	start := len(text) - len(strings.TrimLeft(text, " \t\n"))
	if p.Parent >= 0 || p.Within || p.Class != permissions.Free || p.Span.Start != start || p.Span.End <= start || p.Span.End > len(text) || p.Pipe != 0 || p.Background {
		return "", "", "", false
	}
	if len(p.Words) != 2 || !p.Words[0].Known || !p.Words[1].Known || p.Words[0].Text != "cd" || strings.HasPrefix(p.Words[1].Text, "-") || p.Words[1].Text == "" {
		return "", "", "", false
	}
	if own := text[start:p.Span.End]; !strings.HasPrefix(own, "cd ") || strings.ContainsAny(own, "<>") {
		return "", "", "", false // an assignment before it, a redirection behind it
	}
	rest = strings.TrimLeft(text[p.Span.End:], " \t")
	switch {
	case strings.HasPrefix(rest, "&&"):
		rest = rest[2:]
	case strings.HasPrefix(rest, ";") && !strings.HasPrefix(rest, ";;"), strings.HasPrefix(rest, "\n"):
		rest = rest[1:]
	default:
		return "", "", "", false
	}
	rest = strings.TrimSpace(rest)
	if there, ok = folder(v.Call); !ok || rest == "" {
		return "", "", "", false
	}
	if st, err := os.Stat(there); err != nil || !st.IsDir() {
		return "", "", "", false
	}
	return "cd " + runner.Quote(there), there, rest, true
}

// folder is where the first part's cd leads, as the decision took it.
func folder(c permissions.Call) (real string, ok bool) {
	for _, e := range c.Effects {
		if e.Part != 0 {
			continue
		}
		if ok || e.Kind != permissions.Read || e.Certainty != permissions.Exact {
			return "", false
		}
		real, ok = e.Place.Real, e.Place.Real != ""
	}
	return real, ok
}

// moves reports whether a command of the call itself changes the shell's folder.
func moves(c permissions.Call) bool {
	for _, p := range c.Parts {
		if p.Parent < 0 && len(p.Words) > 0 && p.Words[0].Known {
			switch p.Words[0].Text {
			case "cd", "pushd", "popd":
				return true
			}
		}
	}
	return false
}

// leaves reports whether the text looks as if it left something running. It is
// for a note alone, so that being wrong costs nothing but the note.
func leaves(text string) bool {
	text = strings.TrimRight(text, " \t\n;")
	return strings.HasSuffix(text, "&") && !strings.HasSuffix(text, "&&") || strings.Contains(text, "nohup ") || strings.HasSuffix(text, "disown")
}

// ticketIn is the ticket that a rewritten command names, "" for none.
func ticketIn(line string) string {
	_, rest, ok := strings.Cut(line, " "+verb+" ")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, " ")
	return id
}
