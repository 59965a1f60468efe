package proxy

import (
	"encoding/json"
	"strings"

	"mayi/internal/acp/modes"
	"mayi/internal/mcp/frame"
	"mayi/pkg/permissions"
)

// steersMode reports whether a configuration option says how far the agent goes
// without asking.
func steersMode(id, category string) bool {
	if category == "mode" {
		return true
	}
	k := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(id))
	for _, word := range []string{"permission", "approval", "sandbox", "bypass", "yolo", "autoaccept", "dangerously"} {
		if strings.Contains(k, word) {
			return true
		}
	}
	return strings.HasSuffix(k, "mode") || strings.HasSuffix(k, "modes")
}

// checkedConfig says why a configuration option may not be set so, "" where it
// may.
func (s *session) checkedConfig(c *conv, w *waiting, params map[string]any) string {
	id := text(params, "configId")
	if !steersMode(id, s.category(c, id)) {
		return ""
	}
	ceiling := s.ceiling(c)
	switch v := params["value"].(type) {
	case string:
		if w.value = v; !modes.Within(v, ceiling) {
			return above(v, ceiling)
		}
	case bool:
		if v && ceiling != permissions.Auto {
			return above(id, ceiling)
		}
	default:
		if ceiling != permissions.Auto {
			return above(id, ceiling)
		}
	}
	return ""
}

// category is what the agent has said an option is about.
func (s *session) category(c *conv, id string) string {
	if c == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.categories[id]
}

// limitConfig takes the values above the ceiling out of a session's options.
func (s *session) limitConfig(c *conv, o object, ceiling permissions.Mode) (changed bool, fixes []fix) {
	var list []object
	if json.Unmarshal(o["configOptions"], &list) != nil || len(list) == 0 {
		return false, nil
	}
	for _, option := range list {
		var id, category, current string
		_ = json.Unmarshal(option["id"], &id)
		_ = json.Unmarshal(option["category"], &category)
		_ = json.Unmarshal(option["currentValue"], &current)
		s.mu.Lock()
		if c.categories == nil {
			c.categories = map[string]string{}
		}
		c.categories[id] = category
		s.mu.Unlock()
		if !steersMode(id, category) {
			continue
		}
		kept, values, cut := keptValues(option["options"], ceiling)
		if cut {
			changed = true
			option.set("options", kept)
		}
		if current != "" && !modes.Within(current, ceiling) {
			changed = true
			one := fix{}
			if better := highest(values); better != "" {
				one = fix{setConfigMethod, map[string]any{"sessionId": c.id, "configId": id, "value": better}}
				option.set("currentValue", better)
			}
			fixes = append(fixes, one)
		}
	}
	if changed {
		o.set("configOptions", list)
	}
	return changed, fixes
}

// keptValues are the values within the ceiling, in their groups where they have
// some.
func keptValues(raw json.RawMessage, ceiling permissions.Mode) (kept []object, values []string, cut bool) {
	var list []object
	_ = json.Unmarshal(raw, &list)
	kept = []object{}
	for _, x := range list {
		if x["options"] != nil {
			inner, more, cutInside := keptValues(x["options"], ceiling)
			if cutInside {
				cut = true
				x.set("options", inner)
			}
			values = append(values, more...)
			if len(inner) > 0 {
				kept = append(kept, x)
			}
			continue
		}
		var value string
		if json.Unmarshal(x["value"], &value) != nil || !modes.Within(value, ceiling) {
			cut = true
			continue
		}
		kept, values = append(kept, x), append(values, value)
	}
	return kept, values, cut
}

// configEntered takes the agent's word about its options.
func (s *session) configEntered(c *conv, session string, m frame.Message) {
	params := objectOf(m.Params)
	update := objectOf(params["update"])
	ceiling := s.ceiling(c)
	if c == nil {
		c = &conv{id: session}
	}
	changed, fixes := s.limitConfig(c, update, ceiling)
	if len(fixes) > 0 {
		s.o.Say("the agent went into a mode above the ceiling by itself")
		s.fix(c, fixes, func(ok bool) {
			if !ok {
				s.o.Say("the agent stays in a mode above the ceiling; nothing is allowed in its session")
			}
		})
	}
	if !changed {
		s.toEditor.pass(m.Raw)
		return
	}
	params.set("update", update)
	s.toEditor.pass(with(m.Raw, "params", params))
}
