package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mayi/pkg/permissions"
)

// Request is one line of `mayi check --jsonl`.
type Request struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Input     map[string]any  `json:"input"`
	Workspace string          `json:"workspace"`
	Cwd       string          `json:"cwd"`
	Session   string          `json:"session"`
	Settings  json.RawMessage `json:"settings"`
}

// MaxRequest bounds the size of one request, in bytes.
const MaxRequest = 16 << 20

// ParseRequest reads one request. Everything that could be read twice, or not
// at all, is an error: unknown keys, duplicate keys, invalid UTF-8, text after
// the object. On an error the returned request still has the id, where there
// was one, so that the answer can be told apart.
func ParseRequest(line []byte) (Request, error) {
	var r Request
	if len(line) > MaxRequest {
		return r, fmt.Errorf("the request is larger than %d bytes", MaxRequest)
	}
	if !utf8.Valid(line) {
		return r, fmt.Errorf("the request is not valid UTF-8")
	}
	var id struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(line, &id) == nil {
		if s, ok := id.ID.(string); ok {
			r.ID = s
		} else if id.ID != nil {
			r.ID = fmt.Sprint(id.ID)
		}
	}
	keep := r.ID
	if err := noDuplicates(line); err != nil {
		return Request{ID: keep}, err
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	var in struct {
		Request
		ID any `json:"id"`
	}
	if err := dec.Decode(&in); err != nil {
		return Request{ID: keep}, fmt.Errorf("the request is not readable: %w (see mayi check --help)", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Request{ID: keep}, fmt.Errorf("there is text after the request")
	}
	r = in.Request
	r.ID = keep
	switch {
	case r.Tool == "":
		return r, fmt.Errorf(`the request names no "tool"`)
	case r.Workspace != "" && !filepath.IsAbs(r.Workspace):
		return r, fmt.Errorf("the workspace %q is not an absolute path", r.Workspace)
	case r.Cwd != "" && !filepath.IsAbs(r.Cwd):
		return r, fmt.Errorf("the cwd %q is not an absolute path", r.Cwd)
	}
	return r, nil
}

// ToolOf turns a request's tool name into the tool: "mcp:SERVER" with the tool
// in the input's "name", else a built-in one.
func ToolOf(name string, input map[string]any) (permissions.Tool, error) {
	server, mcp := strings.CutPrefix(name, "mcp:")
	if !mcp {
		return permissions.Tool{Name: name, Builtin: true}, nil
	}
	tool, _ := input["name"].(string)
	if server == "" || tool == "" {
		return permissions.Tool{}, fmt.Errorf(`an MCP call needs a server in "tool" and the tool in the input's "name"`)
	}
	return permissions.Tool{Name: tool, Server: server}, nil
}

// noDuplicates reports a key that stands twice in one object: two readers
// could take two different values for it.
func noDuplicates(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	type frame struct {
		keys map[string]bool // nil in an array
		key  bool            // the next token is a key
	}
	var stack []frame
	for {
		tok, err := dec.Token()
		if err != nil {
			return nil // syntax is the decoder's business
		}
		top := len(stack) - 1
		switch t := tok.(type) {
		case json.Delim:
			switch t {
			case '{':
				stack = append(stack, frame{keys: map[string]bool{}, key: true})
			case '[':
				stack = append(stack, frame{})
			default:
				stack = stack[:top]
				if n := len(stack); n > 0 && stack[n-1].keys != nil {
					stack[n-1].key = true
				}
			}
			continue
		case string:
			if top >= 0 && stack[top].keys != nil && stack[top].key {
				if top == 0 {
					// The decoder takes any letter case, and ſ and K for s and k.
					t = strings.ToLower(strings.ToUpper(t))
				}
				if stack[top].keys[t] {
					return fmt.Errorf("the key %q stands twice in one object", t)
				}
				stack[top].keys[t] = true
				stack[top].key = false
				continue
			}
		}
		if top >= 0 && stack[top].keys != nil {
			stack[top].key = true
		}
	}
}
