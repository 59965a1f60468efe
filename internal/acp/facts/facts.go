// Package facts gathers what an agent says about one of its tool calls, over the
// messages that speak of it, and reads it as calls that the gate can decide.
//
// What cannot be made out of it is undeclared; where it can be read in several
// ways, each of them has to be allowed.
package facts

import (
	"fmt"
	"slices"
)

// Call is what has been said about one tool call.
type Call struct {
	// Kind and Title are the agent's, Name is the tool's own name where it is
	// told.
	Kind, Title, Name string
	// Inputs are the inputs of the tool that were told, the latest first.
	Inputs []map[string]any
	// Paths are the files that the call is said to be about, Diffs the changes
	// that it would make.
	Paths []string
	Diffs []Diff
	// Wrong says what about it cannot be read; "" is nothing.
	Wrong string
	// Content is the content that the editor shows of it, as it came.
	Content []any
}

// Diff is a change of one file as the editor shows it. Old is the text that New
// takes the place of: the whole file by the protocol, and a part of it with some
// agents; nil where none is told, as for a new file.
type Diff struct {
	Path, New string
	Old       *string
}

// Add adds what a tool_call, a tool_call_update or the toolCall of a permission
// request says. A field that is there replaces what was said before, but for an
// input that is empty.
func (c *Call) Add(update map[string]any) {
	c.text(update, "kind", &c.Kind)
	c.text(update, "title", &c.Title)
	if name := toolName(update); name != "" {
		c.Name = name
	}
	switch in := update["rawInput"].(type) {
	case nil:
	case map[string]any:
		if len(in) > 0 {
			c.Inputs = append([]map[string]any{in}, c.Inputs...)
			c.Inputs = c.Inputs[:min(len(c.Inputs), 4)]
		}
	default:
		c.Wrong = "its input is no object"
	}
	c.locations(update)
	c.content(update)
}

func (c *Call) text(update map[string]any, key string, to *string) {
	switch v := update[key].(type) {
	case nil:
	case string:
		*to = v
	default:
		c.Wrong = "its " + key + " is no text"
	}
}

func (c *Call) locations(update map[string]any) {
	list, ok := update["locations"].([]any)
	if !ok {
		if update["locations"] != nil {
			c.Wrong = "its locations are no list"
		}
		return
	}
	c.Paths = nil
	for _, l := range list {
		at, _ := l.(map[string]any)
		path, ok := at["path"].(string)
		if !ok {
			c.Wrong = "one of its locations names no path"
			continue
		}
		if !slices.Contains(c.Paths, path) {
			c.Paths = append(c.Paths, path)
		}
	}
}

func (c *Call) content(update map[string]any) {
	list, ok := update["content"].([]any)
	if !ok {
		if update["content"] != nil {
			c.Wrong = "its content is no list"
		}
		return
	}
	c.Content, c.Diffs = list, nil
	for _, x := range list {
		block, _ := x.(map[string]any)
		if block["type"] != "diff" {
			continue
		}
		path, ok := block["path"].(string)
		if !ok {
			c.Wrong = "one of its changes names no path"
			continue
		}
		d, ok := diff(path, block)
		if !ok {
			c.Wrong = "one of its changes is no text"
			continue
		}
		c.Diffs = append(c.Diffs, d)
	}
}

func diff(path string, block map[string]any) (Diff, bool) {
	d := Diff{Path: path}
	var ok bool
	if d.New, ok = block["newText"].(string); !ok {
		return d, false
	}
	switch old := block["oldText"].(type) {
	case nil:
	case string:
		d.Old = &old
	default:
		return d, false
	}
	return d, true
}

// toolName is the tool's name where the agent tells it beside the protocol.
func toolName(update map[string]any) string {
	meta, _ := update["_meta"].(map[string]any)
	for _, k := range []string{"toolName", "tool_name"} {
		if s, ok := meta[k].(string); ok {
			return s
		}
	}
	for _, v := range meta {
		of, _ := v.(map[string]any)
		if s, ok := of["toolName"].(string); ok {
			return s
		}
	}
	return ""
}

// text is the text under the first of the keys that has one.
func text(in map[string]any, keys ...string) string {
	for _, k := range keys {
		if s, ok := in[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// argv is a list of words; false where v is none.
func argv(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	var out []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

// About is the call on one line, for the record of what was said of it.
func (c *Call) About() string {
	return fmt.Sprintf("%s %s", c.Kind, c.Title)
}
