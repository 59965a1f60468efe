package proxy

import (
	"encoding/json"

	"mayi/internal/acp/modes"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
)

// steered reports whether requests of the editor's with this method are looked
// at.
func steered(method string) bool {
	switch method {
	case initMethod, newMethod, loadMethod, resumeMethod, forkMethod, setModeMethod, setConfigMethod:
		return true
	}
	return false
}

// sent takes one message of the editor's.
func (s *session) sent(raw []byte) {
	m, err := frame.Parse(raw)
	switch {
	case err != nil:
		s.o.Say("a message of the editor was not passed on: " + err.Error())
		if m.HasMethod || m.Result == nil && m.Error == nil {
			s.toEditor.put(frame.Failure(m.ID, frame.CodeInvalid, "mayi: "+err.Error(), nil))
			return
		}
		// An answer that cannot be read is none.
		if a := s.answered(m.Key()); a != nil {
			s.spoiled(a, m.ID, err.Error())
		}
	case !m.HasMethod:
		s.editorAnswered(m)
	case oddly(m.Method, steered) != "":
		s.refuse(m, frame.CodeNoMethod, "the method is written in another way than "+oddly(m.Method, steered))
	case !m.Request():
		if steered(m.Method) {
			s.o.Say("a " + m.Method + " without an id was not passed on")
			return
		}
		if why := s.checkedOwn(m); why != "" {
			s.o.Say("a " + m.Method + " was not passed on: " + why)
			return
		}
		if turning(m.Method) {
			s.turnEnds(sessionOf(m))
		}
		s.toAgent.pass(m.Raw)
	default:
		s.steer(m)
	}
}

// turning reports whether a message of the editor's with this method ends what
// was under way in a session.
func turning(method string) bool {
	switch method {
	case promptMethod, stopMethod, closeMethod, loadMethod, resumeMethod:
		return true
	}
	return false
}

// sessionOf is the session that a message names, "" for none that can be read.
func sessionOf(m frame.Message) string {
	params, err := frame.Object(m.Params)
	if err != nil {
		return ""
	}
	return text(params, "sessionId")
}

// refuse answers a message of the editor's that is not passed on.
func (s *session) refuse(m frame.Message, code int, why string) {
	if m.Request() {
		s.toEditor.put(frame.Failure(m.ID, code, "mayi: "+why, nil))
	}
}

// steer passes a request of the editor's on, unless it would put the agent into
// a mode above the ceiling.
func (s *session) steer(m frame.Message) {
	w := &waiting{method: m.Method}
	if steered(m.Method) {
		params, err := frame.Object(m.Params)
		if err != nil {
			s.refuse(m, frame.CodeInvalidParams, err.Error())
			return
		}
		w.session, w.cwd = text(params, "sessionId"), text(params, "cwd")
		if why := s.checked(m.Method, w, params); why != "" {
			s.refuse(m, CodeRefused, why)
			return
		}
	} else if why := s.checkedOwn(m); why != "" {
		s.refuse(m, CodeRefused, why)
		return
	}
	if turning(m.Method) {
		w.session = sessionOf(m)
		s.turnEnds(w.session)
	}
	s.mu.Lock()
	taken := s.waiting[m.Key()] != nil || s.ownAgent[m.Key()] != nil
	if !taken {
		s.waiting[m.Key()] = w
	}
	s.mu.Unlock()
	if taken {
		s.refuse(m, frame.CodeInvalid, "a request with this id is under way already")
		return
	}
	if m.Method == loadMethod || m.Method == resumeMethod {
		s.begin(w.session, w.cwd) // what it was is told before the answer
	}
	s.toAgent.pass(m.Raw)
}

// checked says why a request may not reach the agent, "" where it may.
func (s *session) checked(method string, w *waiting, params map[string]any) string {
	c := s.conversation(w.session)
	switch method {
	case initMethod:
		info, _ := params["clientInfo"].(map[string]any)
		s.mu.Lock()
		s.editorName = text(info, "name")
		s.mu.Unlock()
	case newMethod, loadMethod, resumeMethod, forkMethod:
		ceiling := s.ceilingAt(w.cwd)
		if what := raised(params["_meta"], ceiling); what != "" {
			return "a remote caller may not set " + approval.Line(what) + " above the ceiling, which is " + string(ceiling)
		}
	case setModeMethod:
		w.value = text(params, "modeId")
		if ceiling := s.ceiling(c); !modes.Within(w.value, ceiling) {
			return above(w.value, ceiling)
		}
	case setConfigMethod:
		return s.checkedConfig(c, w, params)
	}
	return ""
}

// checkedOwn says why a message by a method of the agent's own may not reach it,
// "" where it may: some have another door to their modes.
func (s *session) checkedOwn(m frame.Message) string {
	if standard(m.Method) {
		return ""
	}
	var params any
	if json.Unmarshal(m.Params, &params) != nil {
		return "" // without parameters that could set anything
	}
	named, _ := params.(map[string]any)
	ceiling := s.ceiling(s.conversation(text(named, "sessionId")))
	if what := raised(params, ceiling); what != "" {
		return "a remote caller may not set " + approval.Line(what) + " above the ceiling, which is " + string(ceiling)
	}
	return ""
}

// standard reports whether the protocol itself has the method: then what steers
// the mode in it is known.
func standard(method string) bool {
	switch method {
	case "authenticate", "logout", "session/prompt", "session/cancel", "session/list", "session/close", "session/delete", "session/set_model", cancelMethod:
		return true
	}
	return false
}

// answered ends the agent's request with this key, nil where there is none that
// the editor was handed.
func (s *session) answered(key string) *asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asked[key]
	if a == nil || a.cancel != nil {
		return nil // a question of mayi's is open about it; it is not the editor's to answer
	}
	delete(s.asked, key)
	return a
}

// editorAnswered takes an answer of the editor's.
func (s *session) editorAnswered(m frame.Message) {
	key := m.Key()
	s.mu.Lock()
	own, ours := s.ownEditor[key]
	delete(s.ownEditor, key)
	s.mu.Unlock()
	if ours {
		if own != nil {
			own <- m
		}
		return
	}
	a := s.answered(key)
	switch {
	case a == nil:
		s.o.Say("an answer of the editor that nobody waits for was not passed on")
	case a.permission != nil:
		s.decidedBy(a.permission, m)
	default:
		if a.end != nil {
			a.end(outcome(m))
		}
		s.toAgent.pass(m.Raw)
	}
}

// spoiled answers the agent in the place of an answer that cannot be read.
func (s *session) spoiled(a *asked, id json.RawMessage, why string) {
	if a.permission != nil {
		s.refusePermission(a.permission, "the editor's answer cannot be read")
		return
	}
	if a.end != nil {
		a.end("failed: the answer could not be read")
	}
	s.toAgent.put(frame.Failure(id, frame.CodeInternal, "mayi: the editor's answer cannot be read: "+why, nil))
}

func outcome(m frame.Message) string {
	if m.Error != nil {
		return "failed: the editor answered with an error"
	}
	return "answered by the editor"
}
