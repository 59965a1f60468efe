package permissions

import (
	"fmt"
	"maps"
)

// The keys of an agent's configuration that hold modes.
const (
	keyMode    = "executionMode"
	keyMaxMode = "maxExecutionMode"
)

// ClampMode returns agent with its executionMode lowered to its
// maxExecutionMode. Without a ceiling, or with a mode at or below it, agent is
// returned as it is; otherwise a copy is. A ceiling that is no mode is plan; a
// missing mode stands for the default, accept-edits.
func ClampMode(agent map[string]any) map[string]any {
	ceiling, ok := agent[keyMaxMode]
	if !ok || ceiling == nil || ceiling == "" {
		return agent
	}
	highest := asMode(ceiling)
	if !highest.Valid() {
		highest = Plan
	}
	mode := AcceptEdits
	if value, ok := agent[keyMode]; ok && value != nil {
		mode = asMode(value)
	}
	if RankOf(mode) <= RankOf(highest) {
		return agent
	}
	out := maps.Clone(agent)
	out[keyMode] = string(LowerMode(mode, highest))
	return out
}

// RemoteMode returns the mode that a remote caller gets for a request: what it
// asked for, but at most the ceiling; the policy's default where it asked for
// nothing or for a word that is no mode. In the latter case unknown is that
// word, for the caller to be told.
func RemoteMode(p Policy, requested any) (mode Mode, unknown string) {
	mode = asMode(requested)
	if !mode.Valid() {
		if requested != nil && requested != "" {
			unknown = modeText(requested)
		}
		mode = p.RemoteDefault
	}
	if !mode.Valid() {
		mode = Plan
	}
	return LowerMode(mode, remoteCeiling(p)), unknown
}

// remoteCeiling is the highest mode that a remote caller can get: the remote
// ceiling, which is the remote default where nothing is said, never above the
// ceiling for everybody.
func remoteCeiling(p Policy) Mode {
	ceiling := p.RemoteMax
	if ceiling == "" {
		ceiling = p.RemoteDefault
	}
	if !ceiling.Valid() {
		ceiling = Plan
	}
	return LowerMode(ceiling, p.MaxMode)
}

// ApplyRemoteMode returns a copy of agent with the executionMode that a remote
// caller gets. With nothing requested, agent's own default is limited to the
// ceiling; a default that is no permission mode ("interactive") stays as it
// is, and a missing one becomes the remote default. unknown is a requested
// word that is no mode.
func ApplyRemoteMode(p Policy, agent map[string]any, requested any) (out map[string]any, unknown string) {
	out = maps.Clone(agent)
	if out == nil {
		out = map[string]any{}
	}
	if requested == nil {
		own, has := out[keyMode]
		if has && own != nil {
			if mode := asMode(own); mode.Valid() {
				out[keyMode] = string(LowerMode(mode, remoteCeiling(p)))
			}
			return out, ""
		}
	}
	mode, unknown := RemoteMode(p, requested)
	out[keyMode] = string(mode)
	return out, unknown
}

// asMode reads a mode from a configuration value; what is no text is no mode.
func asMode(value any) Mode {
	switch v := value.(type) {
	case string:
		return Mode(v)
	case Mode:
		return v
	}
	return ""
}

// modeText shows what was asked for: the text, or the type of what is none.
func modeText(requested any) string {
	switch v := requested.(type) {
	case string:
		return shorten(v)
	case Mode:
		return shorten(string(v))
	}
	return fmt.Sprintf("a value of type %T", requested)
}

// shorten keeps what a caller sent short enough to be reported back.
func shorten(s string) string {
	const most = 64
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
