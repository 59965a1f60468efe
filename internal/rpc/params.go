package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"

	"mayi/internal/mcp/frame"
	"mayi/internal/wire"
	"mayi/pkg/gate"
)

// decode reads params into out. A key that is not known, or stands twice, is an
// error: it could be meant to limit something.
func decode(params json.RawMessage, out any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if _, err := frame.Object(params); err != nil {
		return badParams("the params cannot be read: %v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(params))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return badParams("the params cannot be read: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badParams("there is something behind the params")
	}
	return nil
}

// callParams describe one call.
type callParams struct {
	Session string          `json:"session"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	// Cwd is the call's working directory, "" for the session's.
	Cwd string `json:"cwd"`
}

// request is the call as the gate takes it.
func (p callParams) request(s *session) (gate.Request, error) {
	if p.Tool == "" {
		return gate.Request{}, badParams(`the params name no "tool"`)
	}
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		return gate.Request{}, badParams("the cwd %q is not an absolute path", p.Cwd)
	}
	input, err := frame.Object(p.Input)
	if err != nil {
		return gate.Request{}, badParams("the input cannot be read: %v", err)
	}
	tool, err := wire.ToolOf(p.Tool, input)
	if err != nil {
		return gate.Request{}, badParams("%v", err)
	}
	cwd := p.Cwd
	if cwd == "" {
		cwd = s.app.Config.Cwd
	}
	return gate.Request{Session: s.name, Caller: "rpc", Remote: true, Tool: tool, Input: input, Cwd: cwd}, nil
}

// requestID names the request that a cancellation or an output is about.
type requestID struct {
	ID json.RawMessage `json:"id"`
}
