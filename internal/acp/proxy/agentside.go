package proxy

import (
	"encoding/json"
	"strings"

	"mayi/internal/acp/modes"
	"mayi/internal/mcp/frame"
)

// The methods that the proxy knows.
const (
	initMethod       = "initialize"
	newMethod        = "session/new"
	loadMethod       = "session/load"
	resumeMethod     = "session/resume"
	forkMethod       = "session/fork"
	setModeMethod    = "session/set_mode"
	setConfigMethod  = "session/set_config_option"
	promptMethod     = "session/prompt"
	stopMethod       = "session/cancel"
	closeMethod      = "session/close"
	updateMethod     = "session/update"
	permissionMethod = "session/request_permission"
	readMethod       = "fs/read_text_file"
	writeMethod      = "fs/write_text_file"
	terminalMethod   = "terminal/create"
	cancelMethod     = "$/cancel_request"
)

// looked reports whether requests of the agent's with this method are decided.
func looked(method string) bool {
	switch method {
	case permissionMethod, readMethod, writeMethod, terminalMethod:
		return true
	}
	return false
}

// strange reports whether the method is one on the editor's files or terminals
// that is not known here: what it would do cannot be decided.
func strange(method string) bool {
	switch method {
	case "terminal/output", "terminal/release", "terminal/wait_for_exit", "terminal/kill":
		return false
	}
	folded := strings.ToLower(strings.ToUpper(method))
	return !looked(method) && (strings.HasPrefix(folded, "fs/") || strings.HasPrefix(folded, "terminal/"))
}

// got takes one message of the agent's.
func (s *session) got(raw []byte) {
	m, err := frame.Parse(raw)
	switch {
	case err != nil:
		s.o.Say("a message of the agent was not passed on: " + err.Error())
		if m.HasMethod {
			s.toAgent.put(frame.Failure(m.ID, frame.CodeInvalid, "mayi: "+err.Error(), nil))
		} else if s.take(m.Key()) != nil {
			s.toEditor.put(frame.Failure(m.ID, frame.CodeInternal, "mayi: the agent's answer cannot be read: "+err.Error(), nil))
		}
	case !m.HasMethod:
		s.agentAnswered(m)
	case !m.Request():
		s.notified(m)
	default:
		s.requested(m)
	}
}

// requested takes a request of the agent's.
func (s *session) requested(m frame.Message) {
	if odd := oddly(m.Method, looked); odd != "" {
		s.toAgent.put(frame.Failure(m.ID, frame.CodeNoMethod, "mayi: the method is written in another way than "+odd, nil))
		return
	}
	if strange(m.Method) {
		s.toAgent.put(frame.Failure(m.ID, frame.CodeNoMethod, "mayi: the method is not known here, so that nobody can decide about it", nil))
		return
	}
	s.mu.Lock()
	_, ours := s.ownEditor[m.Key()]
	taken := ours || s.asked[m.Key()] != nil
	if !taken {
		s.asked[m.Key()] = &asked{}
	}
	s.mu.Unlock()
	if taken {
		s.toAgent.put(frame.Failure(m.ID, frame.CodeInvalid, "mayi: a request with this id is under way already", nil))
		return
	}
	switch m.Method {
	case permissionMethod:
		s.permission(m)
	case readMethod, writeMethod, terminalMethod:
		s.access(m)
	default:
		s.toEditor.pass(m.Raw)
	}
}

// notified takes a notification of the agent's.
func (s *session) notified(m frame.Message) {
	switch {
	case strange(m.Method):
		s.o.Say("a notification whose method is not known here was not passed on")
	case looked(m.Method):
		s.o.Say("a " + m.Method + " without an id was not passed on")
	case oddly(m.Method, looked) != "" || oddly(m.Method, func(x string) bool { return x == updateMethod }) != "":
		s.o.Say("a notification whose method is written in another way than it should be was not passed on")
	case m.Method == updateMethod:
		s.updated(m)
	case m.Method == cancelMethod:
		if !s.withdrawn(m) {
			s.toEditor.pass(m.Raw)
		}
	case strings.Contains(strings.ToLower(m.Method), "mode"):
		// Some agents tell of their modes by a method of their own as well.
		if s.ownMode(m) {
			s.toEditor.pass(m.Raw)
		}
	default:
		s.toEditor.pass(m.Raw)
	}
}

// ownMode takes a notification that may tell of the session's mode, and reports
// whether the editor may hear of it.
func (s *session) ownMode(m frame.Message) bool {
	params, err := frame.Object(m.Params)
	if err != nil {
		return true
	}
	id := text(params, "sessionId")
	for k, v := range params {
		word, ok := v.(string)
		if plain := strings.ToLower(strings.ReplaceAll(k, "_", "")); ok && modes.Known(word) && (strings.HasSuffix(plain, "mode") || strings.HasSuffix(plain, "modeid")) {
			return s.modeEntered(s.conversation(id), id, word)
		}
	}
	return true
}

// oddly is the known method that the method could be taken for without being
// it, "" for none.
func oddly(method string, known func(string) bool) string {
	if known(method) {
		return ""
	}
	plain := strings.ToLower(strings.ToUpper(strings.TrimSpace(method)))
	if known(plain) {
		return plain
	}
	return ""
}

// withdrawn ends a question about a request that the agent does not need any
// more, and reports whether the editor has never heard of it.
func (s *session) withdrawn(m frame.Message) bool {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return false
	}
	s.mu.Lock()
	a := s.asked[frame.IDKey(p.RequestID)]
	s.mu.Unlock()
	if a == nil || a.cancel == nil {
		return false
	}
	a.cancel()
	return true
}

// agentAnswered passes an answer on to the editor. One that nobody waits for is
// not: it could pass for another one's.
func (s *session) agentAnswered(m frame.Message) {
	key := m.Key()
	s.mu.Lock()
	own := s.ownAgent[key]
	delete(s.ownAgent, key)
	s.mu.Unlock()
	if own != nil {
		own(m)
		return
	}
	w := s.take(key)
	if w == nil {
		s.o.Say("an answer of the agent that nobody waits for was not passed on")
		return
	}
	if m.Error != nil {
		if w.method == promptMethod {
			s.turnEnds(w.session)
		}
		s.toEditor.pass(m.Raw)
		return
	}
	switch w.method {
	case newMethod, loadMethod, resumeMethod, forkMethod:
		s.opened(w, m)
	case setModeMethod, setConfigMethod:
		s.modeSet(w, m)
	default:
		if w.method == promptMethod {
			s.turnEnds(w.session)
		}
		s.toEditor.pass(m.Raw)
	}
}

// take ends the editor's wait for the answer with this key; nil where it does not
// wait.
func (s *session) take(key string) *waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.waiting[key]
	delete(s.waiting, key)
	select {
	case s.settled <- struct{}{}:
	default:
	}
	return w
}

// updated takes a session/update: what it says of a tool call or a mode is noted.
func (s *session) updated(m frame.Message) {
	params, err := frame.Object(m.Params)
	if err != nil {
		s.o.Say("a session/update was not passed on: " + err.Error())
		return
	}
	update, _ := params["update"].(map[string]any)
	c := s.conversation(text(params, "sessionId"))
	switch text(update, "sessionUpdate") {
	case "tool_call", "tool_call_update":
		if c != nil {
			s.told(c, update)
		}
	case "current_mode_update":
		if !s.modeEntered(c, text(params, "sessionId"), text(update, "currentModeId")) {
			return
		}
	case "config_option_update":
		s.configEntered(c, text(params, "sessionId"), m)
		return
	}
	s.toEditor.pass(m.Raw)
}

// told notes what is said of a tool call, and its end.
func (s *session) told(c *conv, update map[string]any) {
	id := text(update, "toolCallId")
	if id == "" {
		return
	}
	s.mu.Lock()
	if update["sessionUpdate"] == "tool_call" {
		c.forget(id) // the id is used for a new one
		c.dropPasses(id)
	}
	c.call(id).Add(update)
	var end func(string)
	status := text(update, "status")
	for key := range update {
		// An editor shows what was said last, also under a question.
		if key != "sessionUpdate" && key != "toolCallId" && (key != "status" || status == "completed" || status == "failed") {
			s.outdate(c, id)
			break
		}
	}
	if status == "completed" || status == "failed" {
		end = c.running[id]
		delete(c.running, id)
		c.forget(id)
		c.dropPasses(id)
	}
	s.mu.Unlock()
	if end != nil {
		end("the agent says: " + status)
	}
}
