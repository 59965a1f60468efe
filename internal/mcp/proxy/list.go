package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/pins"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// listEntry is one tool of a list with the bytes that it came in.
type listEntry struct {
	raw  json.RawMessage
	tool pins.Tool
}

// readList reads the result of a tools/list. What two readers could take in two
// ways is an error.
func readList(m frame.Message) (list []listEntry, next string, err error) {
	if m.Error != nil {
		return nil, "", errors.New("the server answered with an error")
	}
	all, err := frame.Object(m.Result)
	if err != nil {
		return nil, "", err
	}
	for key := range all {
		if key != "tools" && strings.EqualFold(key, "tools") {
			return nil, "", fmt.Errorf("the key %q is written in another letter case", key)
		}
	}
	next, _ = all["nextCursor"].(string)
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(m.Result, &raw); err != nil {
		return nil, "", err
	}
	var entries []json.RawMessage
	if len(raw["tools"]) > 0 {
		if err := json.Unmarshal(raw["tools"], &entries); err != nil {
			return nil, "", err
		}
	}
	for _, e := range entries {
		tool, err := pins.ParseTool(e)
		if err != nil {
			return nil, "", err
		}
		list = append(list, listEntry{e, tool})
	}
	return list, next, nil
}

// listed is the answer to the client's tools/list: without the tools that no
// call of could run, and with those that have changed as they were approved. One
// that needs neither passes as it came.
func (s *session) listed(m frame.Message) []byte {
	if m.Error != nil {
		return m.Raw
	}
	list, _, err := readList(m)
	if err != nil {
		s.o.Say("the server's list of tools cannot be read: " + err.Error())
		return frame.Failure(m.ID, frame.CodeInternal, "mayi: the server's list of tools cannot be read: "+err.Error(), nil)
	}
	seen := make([]pins.Tool, len(list))
	shown := make([]json.RawMessage, 0, len(list))
	touched := false
	for i, e := range list {
		seen[i] = e.tool
		switch was, changed := s.changedTool(e.tool, true); {
		case s.hidden(e.tool):
			touched = true
			continue
		case changed:
			touched = true
			s.o.Say(fmt.Sprintf("the tool %s has changed since it was approved; the list shows it as it was until somebody agrees", approval.Line(e.tool.Name)))
			if e.raw, err = json.Marshal(was.Tool); err != nil {
				continue
			}
		}
		shown = append(shown, e.raw)
	}
	s.tools.see(seen)
	if !touched {
		return m.Raw
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(m.Result, &result); err != nil {
		return frame.Failure(m.ID, frame.CodeInternal, "mayi: the server's list of tools cannot be read", nil)
	}
	if result["tools"], err = json.Marshal(shown); err != nil {
		return frame.Failure(m.ID, frame.CodeInternal, "mayi: the list of tools cannot be written", nil)
	}
	return frame.Success(m.ID, result)
}

// hidden reports whether the policy denies every call of the tool, whatever its
// arguments.
func (s *session) hidden(tool pins.Tool) bool {
	v := s.o.Gate.Decide(context.Background(), s.request(toolCall{name: tool.Name, arguments: map[string]any{}}, tool))
	if v.Verdict != permissions.Deny {
		return false
	}
	closed := permissions.NetworkPolicy(s.o.Gate.Settings().Policy()) == permissions.NetworkDeny
	for _, r := range v.Reasons {
		if r.Verdict != permissions.Deny {
			continue
		}
		switch r.Code {
		case "settings", "mode":
			return true
		case "network":
			if closed {
				return true
			}
		}
		if r.Rule != nil && (r.Rule.Kind == permissions.MCPRule || r.Rule.Kind == permissions.ToolRule) {
			return true
		}
	}
	return false
}
