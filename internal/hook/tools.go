package hook

import (
	"fmt"
	"path/filepath"
	"strings"

	"mayi/pkg/permissions"
)

// read makes a call of a built-in tool: of the agent's input, the named keys
// are what the tool goes by. Another key whose name would mean something to the
// gate is one that the agent's tool does not look at, and loses that meaning.
func (c *call) builtin(tool string, raw map[string]any, keys ...string) {
	c.tool = permissions.Tool{Name: tool, Builtin: true}
	c.input = make(map[string]any, len(raw))
	for k, v := range raw {
		switch {
		case !reserved(k):
		case !has(keys, k):
			k = "unused " + k
		case !texts(v):
			c.wrong = k + " is no text"
		}
		c.input[k] = v
	}
	c.alike(raw, keys...)
	if c.wrong == "" && onFile(tool) && text(raw, keys...) == "" && raw["paths"] == nil {
		c.wrong = "the call of " + tool + " names no file"
	}
}

// onFile reports whether the built-in tool has to be given a file.
func onFile(tool string) bool {
	switch tool {
	case "read", "write", "edit", "notebook_edit":
		return true
	}
	return false
}

// texts reports whether v is a text, a list of texts, or nothing. A text that
// ends in its middle for whoever is written in C is none.
func texts(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.IndexByte(v, 0) < 0
	case []any:
		for _, x := range v {
			if s, ok := x.(string); !ok || !texts(s) {
				return false
			}
		}
		return true
	}
	return false
}

// shell makes a call of the shell tool. dirs are the keys that a working
// directory may stand under.
func (c *call) shell(raw map[string]any, key string, dirs ...string) {
	// Only what decides what runs is part of the call: an answer about it holds
	// also when the model describes the same command in other words.
	c.builtin("bash", map[string]any{})
	c.input["command"] = raw[key]
	if on, set := raw["dangerouslyDisableSandbox"]; set && on != false {
		c.input["outside the agent's sandbox"] = on
	}
	s, ok := raw[key].(string)
	if !ok {
		c.wrong = "the call has no command text"
	} else if !texts(s) {
		c.wrong = "the command holds a NUL byte"
	}
	c.command, c.raw, c.key = s, raw, key
	c.alike(raw, append(dirs, key)...)
	for _, k := range dirs {
		if s, ok := raw[k].(string); ok && s != "" {
			if !texts(s) {
				c.wrong = k + " holds a NUL byte"
			}
			if !filepath.IsAbs(s) {
				s = filepath.Join(c.cwd, s)
			}
			c.input["cwd"] = s
			break
		} else if !ok && raw[k] != nil {
			c.wrong = k + " is no text"
		}
	}
}

// own makes a call that concerns the agent alone: tool is "todo" where it
// changes something of the agent's, "tool_search" where it only looks. Nothing
// in its input is gone by.
func (c *call) own(tool string, raw map[string]any) {
	c.builtin(tool, nil)
	for k, v := range raw {
		if reserved(k) {
			k = "unused " + k
		}
		c.input[k] = v
	}
}

// web makes a call that fetches the URL under one key.
func (c *call) web(raw map[string]any, key string) {
	c.builtin("web_fetch", raw, key)
	if key != "url" {
		delete(c.input, key)
		c.input["url"] = raw[key]
	}
}

// server makes a call of an MCP server's tool.
func (c *call) server(server, tool string, raw map[string]any) {
	c.tool = permissions.Tool{Server: server, Name: tool}
	c.input = map[string]any{"name": tool, "arguments": raw}
}

// unknown makes a call of a tool of the agent's that is not known here: it
// goes by the agent's name as its server's.
func (c *call) unknown(agent, tool string, raw map[string]any) { c.server(agent, tool, raw) }

// split makes a call of an MCP tool whose name joins the server's and the
// tool's by sep, which may stand in both. The first place counts; a rule that
// denies any other reading, or says to ask about it, holds for the call.
func (c *call) split(joined, sep string, raw map[string]any) bool {
	first := true
	for at := 0; ; {
		i := strings.Index(joined[at:], sep)
		if i < 0 {
			break
		}
		i += at
		at = i + len(sep)
		server, tool := joined[:i], joined[at:]
		if server == "" || tool == "" {
			continue
		}
		if first {
			c.server(server, tool, raw)
			first = false
			continue
		}
		c.also = append(c.also, permissions.Tool{Server: server, Name: tool})
		if len(c.also) >= 16 {
			break
		}
	}
	return !first
}

// reservedKeys are those that the gate takes for something.
func reservedKeys() []string {
	return []string{"file_path", "path", "paths", "absolute_path", "notebook_path", "filePath", "dir_path", "directory",
		"pattern", "url", "command", "action", "cwd", "workdir", "name", "arguments"}
}

func reserved(k string) bool { return has(reservedKeys(), k) }

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
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

// fields reads the texts of a payload: each key may be missing, but what is
// there has to be a text.
func fields(in map[string]any, at map[string]*string) error {
	for k, p := range at {
		switch v := in[k].(type) {
		case nil:
		case string:
			if strings.ContainsRune(v, 0) {
				return fmt.Errorf("%s holds a NUL byte", k)
			}
			*p = v
		default:
			return fmt.Errorf("%s is no text", k)
		}
	}
	return nil
}

// object is the tool's input under a key: it has to be there and an object.
func object(in map[string]any, key string) (map[string]any, error) {
	switch v := in[key].(type) {
	case map[string]any:
		return v, nil
	case nil:
		return nil, fmt.Errorf("there is no %s", key)
	}
	return nil, fmt.Errorf("%s is no object", key)
}

// replaced is the agent's input with the command changed; everything else in it
// stays as it came.
func (c *call) replaced(command string) map[string]any {
	out := make(map[string]any, len(c.raw))
	for k, v := range c.raw {
		out[k] = v
	}
	out[c.key] = command
	return out
}

// patch makes a call of an edit of all the files that a patch text names. It may
// stand under any of the keys; where several have one, only the agent knows
// which it goes by, and the files of all count.
func (c *call) patch(agent string, raw map[string]any, keys ...string) {
	var files []any
	for _, k := range keys {
		switch body := raw[k].(type) {
		case nil:
			continue
		case string:
			if named := patched(body); len(named) > 0 {
				files = append(files, named...)
				continue
			}
		}
		c.unknown(agent, "apply_patch", raw)
		return
	}
	if len(files) == 0 {
		c.unknown(agent, "apply_patch", raw)
		return
	}
	c.builtin("multi_edit", raw)
	c.alike(raw, keys...)
	c.input["paths"] = files
}
