package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mayi/internal/acp/ask"
	"mayi/internal/acp/modes"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// modeTool reports whether the tool of this name changes the session's mode.
func modeTool(name string) bool {
	switch name {
	case "ExitPlanMode", "EnterPlanMode", "exit_plan_mode", "enter_plan_mode":
		return true
	}
	return false
}

// options reads the options that the agent offers. Those of a kind that is not
// known are left out: nobody could say what they allow.
func options(v any) ([]ask.Option, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("the request for permission offers no options")
	}
	var out []ask.Option
	seen := map[string]bool{}
	for _, x := range list {
		o, _ := x.(map[string]any)
		id, ok := o["optionId"].(string)
		if !ok {
			return nil, errors.New("an option of the request for permission has no id")
		}
		if seen[id] {
			return nil, fmt.Errorf("the option %q stands twice in the request for permission", approval.Line(id))
		}
		seen[id] = true
		switch kind := text(o, "kind"); kind {
		case ask.AllowOnce, ask.AllowAlways, ask.RejectOnce, ask.RejectAlways:
			out = append(out, ask.Option{ID: id, Name: text(o, "name"), Kind: kind})
		}
	}
	return out, nil
}

// within are the options of a change of mode that stay below the ceiling.
func (s *session) within(p *permission) []ask.Option {
	ceiling := s.ceiling(p.conv)
	return slices.DeleteFunc(slices.Clone(p.offered), func(o ask.Option) bool {
		switch {
		case o.Kind == ask.RejectOnce || o.Kind == ask.RejectAlways:
			return false
		case modes.Known(o.ID):
			return !modes.Within(o.ID, ceiling)
		}
		// An always that names no mode may be any.
		return o.Kind == ask.AllowAlways && ceiling != permissions.Auto
	})
}

// optionOf is the first option of that kind, "" for none.
func optionOf(list []ask.Option, kind string) string {
	for _, o := range list {
		if o.Kind == kind {
			return o.ID
		}
	}
	return ""
}

// chosen is the option that the editor chose, the zero one where it cancelled. An
// option that it was not offered is an error.
func (s *session) chosen(p *permission, m frame.Message) (ask.Option, error) {
	result, err := frame.Object(m.Result)
	if err != nil {
		return ask.Option{}, fmt.Errorf("it cannot be read: %w", err)
	}
	out, _ := result["outcome"].(map[string]any)
	switch text(out, "outcome") {
	case "cancelled":
		return ask.Option{}, nil
	case "selected":
	default:
		return ask.Option{}, errors.New("it says neither what was selected nor that it was cancelled")
	}
	id, ok := out["optionId"].(string)
	for _, o := range p.offered {
		if ok && o.ID == id {
			return o, nil
		}
	}
	return ask.Option{}, fmt.Errorf("it selects %q, which was not offered", approval.Line(id))
}

// shown is the request as the editor gets it: as it came, with what mayi found
// out about the call, and with the options that may be chosen.
func (s *session) shown(m frame.Message, p *permission) []byte {
	params := objectOf(m.Params)
	call := objectOf(params["toolCall"])
	if params == nil || call == nil {
		return m.Raw
	}
	content := slices.Clone(p.facts.Content)
	for _, v := range p.ruling.verdicts {
		if v.Verdict == permissions.Ask || p.force != "" {
			q := p.ruling.gate.Question(v)
			if p.force != "" {
				q.Reason = p.force
			}
			content = append(content, textBlock(approval.Describe(q, q.Asked)))
		}
	}
	call.set("content", content)
	params.set("toolCall", call)
	var list []object
	_ = json.Unmarshal(params["options"], &list)
	list = slices.DeleteFunc(list, func(o object) bool {
		var id string
		return json.Unmarshal(o["optionId"], &id) != nil || !slices.ContainsFunc(p.offered, func(kept ask.Option) bool { return kept.ID == id })
	})
	params.set("options", list)
	return with(m.Raw, "params", params)
}

func textBlock(text string) map[string]any {
	return map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": text}}
}
