// Package model is a language model that plays a script. It speaks the four
// protocols that the coding agents speak (Anthropic Messages, OpenAI Responses
// and Chat Completions, Gemini), on loopback, and keeps what the agent sent
// back for each scripted call.
package model

import (
	"encoding/json"
	"strings"
)

// Marker stands in the prompt of a scripted run. Agents send other requests
// too (a title, a summary); those have no marker or offer no tools, and are
// answered with a word.
const Marker = "PLAY-THE-SCRIPT"

// Call is one tool call that the model makes, in the agent's own words.
type Call struct {
	Tool string
	Args map[string]any
	// Text is the input of a tool that takes free text instead of arguments
	// (OpenAI's custom tools).
	Text string
	// Before, if set, is run before the model makes the call: the world changes
	// under the agent's feet.
	Before func()
}

func (c Call) args() string {
	out, err := json.Marshal(c.Args)
	if err != nil {
		panic("a scripted call is plain JSON: " + err.Error())
	}
	return string(out)
}

// asked is what one request says, whatever protocol it came in.
type asked struct {
	stream  bool
	tools   []string
	marked  bool
	results []string // what the tools answered so far, in order
}

// flatten reads the text out of a content value: a string, or blocks with a
// text field, however deep.
func flatten(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, e := range v {
			if s := flatten(e); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		for _, key := range []string{"text", "content", "output", "error"} {
			if s := flatten(v[key]); s != "" {
				return s
			}
		}
	}
	return ""
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
