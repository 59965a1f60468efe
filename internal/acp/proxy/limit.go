package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mayi/internal/acp/modes"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// fixWithin bounds how long an agent has to leave a mode above the ceiling.
const fixWithin = 10 * time.Second

// above says that a mode is above the ceiling, and how to mend it.
func above(mode string, ceiling permissions.Mode) string {
	return fmt.Sprintf("the session mode %q is above the ceiling, which is %s; remote_max_mode in mayi's settings raises it", approval.Line(mode), ceiling)
}

func (s *session) ceilingAt(cwd string) permissions.Mode {
	return s.ceiling(&conv{cwd: s.folder(cwd)})
}

// raised names what in the parameters that an editor may send beside the protocol
// would put the agent above the ceiling, "" for nothing.
func raised(v any, ceiling permissions.Mode) string {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if what := raised(x, ceiling); what != "" {
				return what
			}
		}
	case map[string]any:
		for k, x := range v {
			plain := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(k))
			word, isText := x.(string)
			switch {
			case (strings.HasSuffix(plain, "mode") || strings.HasSuffix(plain, "modeid")) && isText && modes.Known(word) && !modes.Within(word, ceiling):
				return k
			case (strings.Contains(plain, "dangerously") || strings.Contains(plain, "yolo") || strings.Contains(plain, "bypass")) && x != nil && x != false && ceiling != permissions.Auto:
				return k
			}
			if what := raised(x, ceiling); what != "" {
				return what
			}
		}
	}
	return ""
}

// opened takes the answer that opens a session: modes above the ceiling are not
// in it, and where the agent starts in one it has to leave it first.
func (s *session) opened(w *waiting, m frame.Message) {
	result, err := frame.Object(m.Result)
	if err != nil {
		s.toEditor.put(frame.Failure(m.ID, frame.CodeInternal, "mayi: the agent's answer cannot be read: "+err.Error(), nil))
		return
	}
	id := text(result, "sessionId")
	if id == "" {
		id = w.session
	}
	c := s.begin(id, w.cwd)
	o := objectOf(m.Result)
	if o == nil {
		s.toEditor.pass(m.Raw)
		return
	}
	ceiling := s.ceiling(c)
	changed, fixes := s.limitModes(c, o, ceiling)
	more, fix := s.limitConfig(c, o, ceiling)
	fixes = append(fixes, fix...)
	if !changed && !more {
		s.toEditor.pass(m.Raw)
		return
	}
	raw := []byte(with(m.Raw, "result", o))
	if len(fixes) == 0 {
		s.toEditor.pass(raw)
		return
	}
	turn := s.toEditor.reserve()
	refused := frame.Failure(m.ID, CodeRefused, "mayi: the agent starts in a mode above the ceiling, which is "+string(ceiling)+", and does not leave it; change the agent's own settings, or raise remote_max_mode in mayi's", nil)
	s.fix(c, fixes, func(ok bool) {
		if ok {
			s.toEditor.fill(turn, raw)
			return
		}
		s.toEditor.fill(turn, refused)
	})
}

// fix is a request of mayi's own that takes the agent out of a mode.
type fix struct {
	method string
	params map[string]any
}

// fix sends the requests; done is told once whether all were done. Until they are,
// nothing is allowed in the session.
func (s *session) fix(c *conv, fixes []fix, done func(ok bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.over = true
	left, told := len(fixes), false
	tell := func(ok bool) { // mu is held
		if told {
			return
		}
		told = true
		c.over = !ok
		go done(ok)
	}
	for _, f := range fixes {
		if f.method == "" {
			tell(false) // there is no mode below the ceiling
			return
		}
		id := "mayi-" + approval.NewID()
		s.ownAgent["s"+id] = func(m frame.Message) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if m.Error != nil {
				tell(false)
			} else if left--; left == 0 {
				tell(true)
			}
		}
		s.toAgent.put(frame.Call(id, f.method, f.params))
	}
	time.AfterFunc(fixWithin, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		tell(false)
	})
}

// limitModes takes the modes above the ceiling out of a session's state.
func (s *session) limitModes(c *conv, result object, ceiling permissions.Mode) (changed bool, fixes []fix) {
	state := objectOf(result["modes"])
	var list []json.RawMessage
	var current string
	if state == nil {
		return false, nil
	}
	_ = json.Unmarshal(state["availableModes"], &list)
	_ = json.Unmarshal(state["currentModeId"], &current)
	kept, ids := []json.RawMessage{}, []string{}
	for _, raw := range list {
		var mode struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &mode) != nil || !modes.Within(mode.ID, ceiling) {
			changed = true
			continue
		}
		kept, ids = append(kept, raw), append(ids, mode.ID)
	}
	if current != "" && !modes.Within(current, ceiling) {
		changed = true
		current = highest(ids)
		one := fix{}
		if current != "" {
			one = fix{setModeMethod, map[string]any{"sessionId": c.id, "modeId": current}}
		}
		fixes = append(fixes, one)
	}
	s.mu.Lock()
	c.available, c.current = ids, current
	s.mu.Unlock()
	if changed {
		state.set("availableModes", kept)
		state.set("currentModeId", current)
		result.set("modes", state)
	}
	return changed, fixes
}

// highest is the mode in which the agent does most by itself, the first of
// several; "" for none.
func highest(ids []string) string {
	best := ""
	for _, id := range ids {
		if best == "" || rank(id) > rank(best) {
			best = id
		}
	}
	return best
}

func rank(id string) int {
	m, ok := modes.Rank(id)
	if !ok {
		m = permissions.Auto
	}
	return permissions.RankOf(m)
}

// modeSet takes the agent's answer to a change of mode that the person asked for.
func (s *session) modeSet(w *waiting, m frame.Message) {
	c := s.conversation(w.session)
	if c != nil && w.value != "" {
		s.entered(c, w.value, true)
	}
	if w.method == setConfigMethod && c != nil {
		if o := objectOf(m.Result); o != nil {
			if changed, _ := s.limitConfig(c, o, s.ceiling(c)); changed {
				s.toEditor.pass(with(m.Raw, "result", o))
				return
			}
		}
	}
	s.toEditor.pass(m.Raw)
}

// modeEntered takes the agent's word that its session is in another mode now. One
// above the ceiling it has to leave at once, and the editor does not hear of it.
func (s *session) modeEntered(c *conv, session, mode string) (pass bool) {
	ceiling := s.ceiling(c)
	if modes.Within(mode, ceiling) {
		if c != nil {
			s.entered(c, mode, false)
		}
		return true
	}
	s.o.Say("the agent went into another mode by itself: " + above(mode, ceiling))
	if c == nil {
		return false
	}
	s.mu.Lock()
	back := c.current
	if !slices.Contains(c.available, back) || !modes.Within(back, ceiling) {
		back = highest(c.available)
	}
	s.mu.Unlock()
	one := fix{}
	if back != "" {
		one = fix{setModeMethod, map[string]any{"sessionId": session, "modeId": back}}
	}
	s.fix(c, []fix{one}, func(ok bool) {
		if !ok {
			s.o.Say("the agent stays in a mode above the ceiling; nothing is allowed in its session")
		}
	})
	return false
}
