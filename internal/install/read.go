package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The readers say what each agent was seen to make of an answer. Where an agent
// lets a call run because an answer is not exactly what it wants, they say that
// it runs.

// object is the one JSON object that stdout holds. ok is false for anything
// else: text around it, a second one, nothing.
func (a answer) object(into any) (ok bool) {
	dec := json.NewDecoder(bytes.NewReader(a.stdout))
	if !bytes.HasPrefix(bytes.TrimSpace(a.stdout), []byte("{")) || dec.Decode(into) != nil {
		return false
	}
	_, err := dec.Token()
	return err == io.EOF
}

// said is what stands in the standard error, in one line.
func (a answer) said() string {
	return strings.ReplaceAll(strings.TrimSpace(string(a.stderr)), "\n", "; ")
}

// by names what blocked or passed a call.
func (a answer) by() string {
	switch {
	case a.code < 0:
		return "the hook was killed or took too long"
	case a.code != 0:
		return strings.TrimSpace(fmt.Sprintf("exit %d %s", a.code, a.said()))
	case len(bytes.TrimSpace(a.stdout)) == 0:
		return "no objection"
	}
	return strings.TrimSpace(string(a.stdout))
}

// output is the answer in the words of Claude Code and those that took them
// over.
type output struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Hook     *struct {
		Event      string `json:"hookEventName"`
		Permission string `json:"permissionDecision"`
		Reason     string `json:"permissionDecisionReason"`
		Updated    any    `json:"updatedInput"`
		Decision   *struct {
			Behavior string `json:"behavior"`
			Message  string `json:"message"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

// readClaude: closed says that the entry has onFailure "block".
func readClaude(a answer, closed bool) (bool, string) {
	if a.code == 2 {
		return true, a.by()
	}
	var o output
	if !a.object(&o) {
		if len(bytes.TrimSpace(a.stdout)) == 0 && a.code == 0 {
			return false, a.by()
		}
		// Text that only looks like an answer runs in any case.
		return closed && a.code != 0, a.by()
	}
	if o.Hook == nil {
		return o.Decision == "block", first(o.Reason, a.by())
	}
	switch o.Hook.Permission {
	case "deny":
		if o.Hook.Event == "PreToolUse" {
			return true, first(o.Hook.Reason, a.by())
		}
	case "allow", "":
		return false, first(o.Hook.Reason, "allowed")
	case "ask":
		return true, "asked: " + o.Hook.Reason
	}
	return closed, a.by()
}

func readCodex(event string, a answer) (bool, string) {
	if a.code == 2 {
		return a.said() != "", a.by()
	}
	var o output
	if a.code != 0 || !a.object(&o) || o.Hook == nil {
		return false, a.by()
	}
	if event == "PermissionRequest" {
		if d := o.Hook.Decision; d != nil && d.Behavior == "deny" {
			return true, first(d.Message, a.by())
		}
		return false, a.by()
	}
	if o.Hook.Permission == "deny" && o.Hook.Reason != "" && o.Hook.Updated == nil && a.only("hookSpecificOutput", "systemMessage") {
		return true, o.Hook.Reason
	}
	return false, a.by()
}

// only reports whether the answer has no other keys on top.
func (a answer) only(names ...string) bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(a.stdout, &top) != nil {
		return false
	}
	for _, n := range names {
		delete(top, n)
	}
	return len(top) == 0
}

func readGemini(a answer) (bool, string) {
	var o output
	if a.object(&o) && o.Decision != "" {
		return o.Decision == "deny" || o.Decision == "block", first(o.Reason, o.Decision)
	}
	// JSON beats the status, and without any text a failure is no objection.
	return a.code > 1 && (a.said() != "" || len(bytes.TrimSpace(a.stdout)) > 0), a.by()
}

func readQwen(event string, a answer) (bool, string) {
	if a.code == 2 && a.said() != "" {
		return true, a.by()
	}
	var o output
	if !a.object(&o) {
		return false, a.by()
	}
	if event == "PermissionRequest" {
		if o.Hook != nil && o.Hook.Decision != nil && o.Hook.Decision.Behavior == "deny" {
			return true, first(o.Hook.Decision.Message, "denied")
		}
		return false, a.by()
	}
	if o.Hook != nil && o.Hook.Permission != "" {
		return o.Hook.Permission == "deny" || o.Hook.Permission == "ask", first(o.Hook.Reason, o.Hook.Permission)
	}
	return o.Decision == "deny" || o.Decision == "block" || o.Decision == "ask", first(o.Reason, a.by())
}

func readCursor(a answer) (bool, string) {
	if a.code != 0 {
		return a.code == 2, a.by()
	}
	var o struct {
		Permission string `json:"permission"`
		Message    string `json:"user_message"`
	}
	if !a.object(&o) {
		return false, a.by()
	}
	return o.Permission == "deny", first(o.Message, o.Permission)
}

func readCopilot(a answer) (bool, string) {
	var o struct {
		Permission string `json:"permissionDecision"`
		Reason     string `json:"permissionDecisionReason"`
	}
	if a.code != 0 {
		return true, a.by()
	}
	if !a.object(&o) {
		return false, a.by()
	}
	return o.Permission == "deny", first(o.Reason, a.by())
}

func readCrush(a answer) (bool, string) {
	if a.code == 2 || a.code == 49 {
		return true, a.by()
	}
	var o output
	if a.code != 0 || !a.object(&o) {
		return false, a.by()
	}
	if o.Decision == "" && o.Hook != nil {
		return o.Hook.Permission == "deny", first(o.Hook.Reason, a.by())
	}
	return o.Decision == "deny", first(o.Reason, a.by())
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
