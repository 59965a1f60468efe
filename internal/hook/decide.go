package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mayi/internal/hook/ticket"
	"mayi/internal/wire"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// refusal is an outcome that no gate was asked about.
func refusal(format string, args ...any) outcome {
	why := fmt.Sprintf(format, args...)
	v := gate.Verdict{Decision: permissions.Decision{Reason: why, Risk: permissions.RiskHigh}}
	return outcome{reason: "mayi: " + why, person: "mayi: " + why, decision: wire.FromVerdict("", v)}
}

// decide takes the call to the gate. The only error is [ErrNeedsStore].
func (h *hook) decide(ctx context.Context, c *call) (outcome, error) {
	switch c.kind {
	case other:
		if h.agent.wanders && c.event == "SessionStart" && filepath.IsAbs(c.cwd) {
			h.firstSeen(c.session, c.cwd)
		}
		return outcome{verdict: permissions.Allow, silent: true}, nil
	case change:
		return h.switchOff(c), nil
	}
	if err := usable(c); err != nil {
		return refusal("%v", err), nil
	}
	h.rooted(c)
	session := ""
	if c.session != "" {
		session = h.agent.name + ":" + c.session
	}
	d, err := h.o.Open(Place{Cwd: c.cwd, Root: c.root, Workspace: c.workspace, Session: session, Override: c.override})
	if err != nil {
		return refusal("the gate could not be opened: %v", err), nil
	}
	defer d.close()
	if t, ok := h.ours(d, c, session); ok {
		return h.again(c, t), nil
	}
	r := gate.Request{Session: session, Caller: "hook " + h.agent.name, Tool: c.tool, Input: c.input, Cwd: c.cwd, Confines: h.confines(d, c)}
	v := d.Gate.Decide(ctx, r)
	for _, tool := range c.also {
		other := r
		other.Tool = tool
		if w := d.Gate.Decide(ctx, other); w.Objects() && w.Verdict < v.Verdict {
			v = w
		}
	}
	if d.Absent.Asked() {
		return outcome{}, ErrNeedsStore
	}
	switch v.Verdict {
	case permissions.Allow:
		return h.allowed(ctx, d, c, v), nil
	case permissions.Ask:
		return h.ask(ctx, d, c, v)
	}
	if c.kind != question {
		d.Gate.Refuse(ctx, v) // a question's call was or will be recorded as a call
	}
	return told(c, v), nil
}

// usable says what makes a call one that cannot be decided.
func usable(c *call) error {
	switch {
	case c.wrong != "":
		return errors.New(c.wrong)
	case c.cwd == "":
		return fmt.Errorf("the call does not say in which folder it is made")
	case !filepath.IsAbs(c.cwd):
		return fmt.Errorf("the call's folder %q is not an absolute path", c.cwd)
	}
	if st, err := os.Stat(c.cwd); err != nil || !st.IsDir() {
		return fmt.Errorf("the call's folder %q is not there (any more)", c.cwd)
	}
	return nil
}

// rooted fills in the folder that the agent works in, as far as it is known.
func (h *hook) rooted(c *call) {
	if filepath.IsAbs(c.root) {
		return
	}
	c.root = ""
	if h.agent.wanders {
		c.root = h.firstSeen(c.session, c.cwd)
	}
}

// allowed lets the call run: what was for one time is used up, the record is
// written, and a command is made to run confined where that can be.
func (h *hook) allowed(ctx context.Context, d *Door, c *call, v gate.Verdict) outcome {
	out := told(c, v)
	confined := v.Request.Confines && h.worth(v)
	t := ticket.Ticket{Begun: c.kind == before}
	var err error
	switch {
	case c.kind != before:
		// It begins where it is called or run.
	case confined:
		t.Number, err = d.Gate.BeginApart(ctx, v)
	default:
		_, err = d.Gate.Begin(ctx, v) // the agent runs it, and does not tell us what came of it
	}
	if err != nil {
		return refusal("%v", err)
	}
	if confined {
		if err := h.confine(d, c, v, &out, t); err != nil {
			return refusal("the command cannot be made to run confined: %v", err)
		}
	}
	return out
}

// told is the verdict as an outcome, in words for the model and the person.
func told(c *call, v gate.Verdict) outcome {
	o := outcome{verdict: v.Verdict, decision: wire.FromVerdict(c.id, v)}
	reason := approval.Visible(strings.TrimSpace(v.Reason))
	if reason == "" && v.Verdict != permissions.Allow {
		reason = "it is not allowed"
	}
	if reason != "" {
		o.reason, o.person = "mayi: "+reason, "mayi: "+reason
	}
	return o
}

// ours returns the ticket of a command that an earlier answer has put in place
// of the model's: the agent shows it to us again, in another event.
func (h *hook) ours(d *Door, c *call, session string) (ticket.Ticket, bool) {
	if c.command == "" || !strings.Contains(c.command, verb) || d.tickets() == "" {
		return ticket.Ticket{}, false
	}
	t, err := ticket.Find(d.tickets(), ticketIn(c.command), h.o.Now())
	if err != nil || t.Line != c.command || t.Session != session || t.Policy != d.Gate.Settings().Version() {
		return ticket.Ticket{}, false
	}
	return t, true
}

// again answers for a command that was decided already: it can run only as
// what was decided, and once.
func (h *hook) again(c *call, t ticket.Ticket) outcome {
	switch {
	case t.Asked && c.kind == question:
		return outcome{verdict: permissions.Ask, reason: "mayi: " + t.Verdict.Reason, silent: true}
	case t.Asked:
		return refusal("the command is one that a person is asked about; call it as it was")
	}
	return told(c, t.Verdict)
}
