package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mayi/internal/acp/ask"
	"mayi/internal/acp/facts"
	"mayi/internal/acp/modes"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// permission is a request for permission that a person has to answer.
type permission struct {
	id     json.RawMessage
	conv   *conv
	call   string
	facts  facts.Call
	ruling ruling
	// force is why a person is asked where the policy allows, "" where it does
	// not; modal says that it is about the session's mode.
	force string
	modal bool
	// offered are the options that the editor was shown.
	offered []ask.Option
	// asked are the verdicts that the person was asked about.
	asked []gate.Verdict
	// before are the files that the shown changes are of, as they were then.
	before map[string]fileState
	// stale: since the editor was asked, the agent has said more of the call, or
	// the call or the turn has ended. The session's mu guards it.
	stale bool
}

// permission decides a request for permission.
func (s *session) permission(m frame.Message) {
	p, err := s.readPermission(m)
	if err != nil {
		s.finishAsked(m.Key())
		s.o.Say("a request for permission was refused: " + err.Error())
		s.toAgent.put(frame.Failure(m.ID, frame.CodeInvalidParams, "mayi: "+err.Error(), nil))
		return
	}
	ctx := context.WithoutCancel(s.asking)
	s.mu.Lock()
	cwd, gone := p.conv.cwd, s.gone
	s.mu.Unlock()
	who := s.o.Agent
	who.Cwd = cwd
	p.ruling = s.decide(ctx, p.conv, p.facts.Readings(who))
	once := optionOf(p.offered, ask.AllowOnce)
	switch {
	case p.ruling.verdict() == permissions.Deny:
	case p.modal:
		p.force = "it changes how far the agent goes without asking"
		p.offered = s.within(p)
	case p.ruling.verdict() == permissions.Allow && once == "":
		p.force = "the agent offers no way to allow this one time only"
	}
	allows := slices.ContainsFunc(p.offered, func(o ask.Option) bool { return o.Kind == ask.AllowOnce || o.Kind == ask.AllowAlways })
	switch {
	case p.ruling.verdict() == permissions.Deny || !allows:
		s.finishAsked(m.Key())
		p.ruling.refused(ctx)
		s.refusePermission(p, p.ruling.reason())
	case p.ruling.verdict() == permissions.Allow && p.force == "":
		s.finishAsked(m.Key())
		s.allow(ctx, p, frame.Success(p.id, selected(once)))
	case gone:
		s.finishAsked(m.Key())
		p.ruling.refused(ctx)
		s.refusePermission(p, "the editor is gone, so that nobody can be asked")
	default:
		p.before = filesOf(p.facts.Diffs)
		s.mu.Lock()
		s.asked[m.Key()].permission = p
		s.mu.Unlock()
		s.toEditor.pass(s.shown(m, p))
	}
}

// finishAsked ends a request of the agent's that the editor does not get.
func (s *session) finishAsked(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, key)
}

// readPermission reads a request for permission, with what was said of its tool
// call before. What was said is used once: the id may come again for another
// call.
func (s *session) readPermission(m frame.Message) (*permission, error) {
	params, err := frame.Object(m.Params)
	if err != nil {
		return nil, fmt.Errorf("the request for permission cannot be read: %w", err)
	}
	p := &permission{id: m.ID, conv: s.conversation(text(params, "sessionId"))}
	if p.conv == nil {
		return nil, errors.New("the request for permission names no session that is open")
	}
	call, ok := params["toolCall"].(map[string]any)
	if !ok {
		return nil, errors.New("the request for permission names no tool call")
	}
	if p.call = text(call, "toolCallId"); p.call == "" {
		return nil, errors.New("the request for permission names no tool call")
	}
	if p.offered, err = options(params["options"]); err != nil {
		return nil, err
	}
	s.mu.Lock()
	about := p.conv.call(p.call)
	about.Add(call)
	p.facts = *about
	p.conv.forget(p.call)
	p.conv.dropPasses(p.call) // what counts is the answer to the latest question
	s.mu.Unlock()
	p.modal = p.facts.Kind == "switch_mode" || modeTool(p.facts.Name) || slices.ContainsFunc(p.offered, func(o ask.Option) bool { return modes.Known(o.ID) })
	return p, nil
}

// allow lets the call begin and says so to the agent. An error is a refusal.
func (s *session) allow(ctx context.Context, p *permission, said []byte) {
	end, err := p.ruling.begin(ctx)
	if err != nil {
		s.refusePermission(p, err.Error())
		return
	}
	s.mu.Lock()
	before := p.conv.running[p.call]
	p.conv.running[p.call] = end
	s.mu.Unlock()
	if before != nil {
		before("its id was used for another call")
	}
	s.toAgent.put(said)
}

// refusePermission answers that the call may not run, by the option that the
// agent offers for that.
func (s *session) refusePermission(p *permission, why string) {
	s.o.Say("refused: " + why)
	if id := optionOf(p.offered, ask.RejectOnce); id != "" {
		s.toAgent.put(frame.Success(p.id, selected(id)))
		return
	}
	s.toAgent.put(frame.Success(p.id, map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}))
}

func selected(option string) map[string]any {
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option}}
}

// decidedBy takes the editor's answer to a request for permission.
func (s *session) decidedBy(p *permission, m frame.Message) {
	ctx := context.WithoutCancel(s.asking)
	if m.Error != nil {
		p.ruling.settle(ctx, answer(approval.Denied("the editor answered with an error")), p.force).refused(ctx)
		s.toAgent.pass(m.Raw)
		return
	}
	chosen, err := s.chosen(p, m)
	if err != nil {
		s.o.Say("an answer of the editor was not passed on: " + err.Error())
		p.ruling.settle(ctx, answer(approval.Denied("the editor's answer was none")), p.force).refused(ctx)
		s.refusePermission(p, err.Error())
		return
	}
	a := approval.Answer{Choice: approval.No, By: s.person()}
	switch chosen.Kind {
	case ask.AllowOnce:
		a.Choice = approval.Once
	case ask.AllowAlways:
		a.Choice = approval.Session
	case "":
		a = approval.Denied("the question was cancelled in the editor")
	}
	// The gate is asked anew: what counts is the policy as it is now.
	if place, err := s.place(p.conv); err == nil {
		p.ruling.gate = place.Gate
	}
	p.asked = p.ruling.verdicts
	p.ruling = p.ruling.settle(ctx, answer(a), p.force)
	if !a.Granted() {
		p.ruling.refused(ctx)
		s.toAgent.pass(m.Raw)
		return
	}
	s.mu.Lock()
	over := p.conv.over
	s.mu.Unlock()
	if over {
		p.ruling = ruling{at: -1, why: "the agent is in a mode above the ceiling"}
	}
	if p.ruling.verdict() != permissions.Allow {
		p.ruling.refused(ctx)
		s.refusePermission(p, p.ruling.reason())
		return
	}
	s.mu.Lock()
	if !p.stale {
		p.conv.grantPasses(p)
	}
	s.mu.Unlock()
	if p.modal && modes.Known(chosen.ID) {
		s.entered(p.conv, chosen.ID, true)
	}
	// What holds for longer is kept here: an agent that keeps it itself would not
	// ask any more, also about what the policy denies.
	said := m.Raw
	if once := optionOf(p.offered, ask.AllowOnce); chosen.Kind == ask.AllowAlways && once != "" && !p.modal {
		said = frame.Success(p.id, selected(once))
	}
	s.allow(ctx, p, said)
}

// person is who answers in the editor.
func (s *session) person() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.editorName != "" {
		return "the person at " + approval.Line(s.editorName)
	}
	return "the person at the editor"
}
