// Package pins remembers the tools of third-party servers as they were when
// they were approved, so that a tool that has become another one is noticed.
package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"mayi/internal/mcp/frame"
)

// Tool is what a server says about one of its tools, as far as a person's
// approval rests on it.
type Tool struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Input, Output and Annotations are JSON values.
	Input       any `json:"inputSchema,omitempty"`
	Output      any `json:"outputSchema,omitempty"`
	Annotations any `json:"annotations,omitempty"`
}

// ParseTool reads one entry of a tools/list result. What could be read in two
// ways is an error.
func ParseTool(raw []byte) (Tool, error) {
	o, err := frame.Object(raw)
	if err != nil {
		return Tool{}, fmt.Errorf("a tool of the server cannot be read: %w", err)
	}
	t := Tool{Input: o["inputSchema"], Output: o["outputSchema"], Annotations: o["annotations"]}
	for key, to := range map[string]*string{"name": &t.Name, "title": &t.Title, "description": &t.Description} {
		switch v := o[key].(type) {
		case nil:
		case string:
			*to = v
		default:
			return Tool{}, fmt.Errorf("a tool of the server cannot be read: its %s is no text", key)
		}
	}
	if t.Name == "" {
		return Tool{}, fmt.Errorf("a tool of the server cannot be read: it has no name")
	}
	return t, nil
}

// Fingerprint is the hash of everything in t. Spelling (blanks, the order of
// keys) does not count.
func (t Tool) Fingerprint() string {
	raw, err := json.Marshal(t)
	if err != nil {
		return "" // equals no stored one
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Hints are the tool's annotations that say what it does; nil where it says
// nothing, or nothing that is a truth value.
type Hints struct{ ReadOnly, Destructive, OpenWorld *bool }

// Hints returns the tool's own word about what it does.
func (t Tool) Hints() Hints {
	a, _ := t.Annotations.(map[string]any)
	hint := func(key string) *bool {
		if b, ok := a[key].(bool); ok {
			return &b
		}
		return nil
	}
	return Hints{hint("readOnlyHint"), hint("destructiveHint"), hint("openWorldHint")}
}
