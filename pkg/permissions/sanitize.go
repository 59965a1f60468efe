package permissions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Sanitized is what is left of an agent map that a remote caller sent.
type Sanitized struct {
	// Agent is a deep copy that holds nothing but what a client may set.
	Agent map[string]any
	// Dropped names what was left out, as paths ("messages[0].env"), sorted.
	Dropped []string
	// UnknownMode is the executionMode that was asked for where it is no mode;
	// Agent then holds the remote default.
	UnknownMode string
}

// The limits of an agent map. What is deeper or longer is dropped.
const (
	maxAgentDepth = 32
	maxAgentNodes = 100_000
)

// clientKey reports whether a remote caller may set the key. The comparison is
// exact: a case variant, a look-alike or a longer spelling is another key and
// does not pass. Keys that lift or steer the policy (skip switches, ceilings,
// network, permissions, hooks, servers, environment, paths, settings) are not
// among them, nor is anything that nobody thought of.
func clientKey(key string) bool {
	switch key {
	case "id", "name", "title", "description", "role", "content", "text", "type",
		"model", "prompt", "systemPrompt", "instructions", "messages", "message",
		"temperature", "topP", "topK", "maxTokens", "maxTurns", "stop", "seed", "stream",
		"reasoningEffort", "thinking", "language", "locale", "timezone", "labels", "tags", "metadata":
		return true
	}
	return false
}

// SanitizeRemoteAgent returns a copy of a client's agent map that holds
// nothing but what a client may set, at every depth, with executionMode
// limited as [RemoteMode] does. The order for a remote caller is: sanitize,
// [ApplyRemoteMode], [ClampMode].
func SanitizeRemoteAgent(p Policy, agent map[string]any) Sanitized {
	s := sanitizer{}
	out := s.object(agent, "", maxAgentDepth)
	result := Sanitized{Agent: out}
	if requested, ok := agent[keyMode]; ok {
		mode, unknown := RemoteMode(p, requested)
		out[keyMode] = string(mode)
		result.UnknownMode = unknown
	}
	slices.Sort(s.dropped)
	result.Dropped = slices.Compact(s.dropped)
	return result
}

type sanitizer struct {
	nodes   int
	dropped []string
}

func (s *sanitizer) object(in map[string]any, at string, depth int) map[string]any {
	out := make(map[string]any, len(in))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		value := in[key]
		where := shorten(key)
		if at != "" {
			where = at + "." + where
		}
		if at == "" && key == keyMode {
			continue // limited by the caller
		}
		if !clientKey(key) {
			s.drop(where)
			continue
		}
		if copied, ok := s.value(value, where, depth-1); ok {
			out[key] = copied
		}
	}
	return out
}

// value copies what JSON can hold and drops the rest.
func (s *sanitizer) value(in any, at string, depth int) (any, bool) {
	if s.nodes++; depth <= 0 || s.nodes > maxAgentNodes {
		s.drop(at)
		return nil, false
	}
	switch v := in.(type) {
	case nil, bool, string, float64, float32, int, int64, int32, uint, uint64, uint32, json.Number:
		return v, true
	case map[string]any:
		return s.object(v, at, depth), true
	case []any:
		out := make([]any, 0, len(v))
		for i, item := range v {
			if copied, ok := s.value(item, fmt.Sprintf("%s[%d]", at, i), depth-1); ok {
				out = append(out, copied)
			}
		}
		return out, true
	case []string:
		return slices.Clone(v), true
	}
	s.drop(at)
	return nil, false
}

// drop records what was left out, up to a limit that keeps the report short.
func (s *sanitizer) drop(at string) {
	const most = 100
	if len(s.dropped) < most {
		s.dropped = append(s.dropped, at)
	}
}
