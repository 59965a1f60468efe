// Package frame reads and writes MCP messages as they stand on the wire. A
// message is looked at only as far as its envelope; its bytes are kept, so that
// what is passed on is what came in.
//
// Whatever two readers could take for two different messages is an error: a key
// of the envelope that stands twice, or in another letter case.
package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Message is one JSON-RPC message.
type Message struct {
	// Raw is the whole message, without a line break in it.
	Raw []byte
	// ID is the id as it stands in the message, nil where there is none or null.
	ID json.RawMessage
	// Method is the method of a request or notification; HasMethod tells an empty
	// one from none.
	Method    string
	HasMethod bool
	// Params, Result and Error are nil where the message has none; an error of
	// null is none.
	Params, Result, Error json.RawMessage
}

// Request reports whether the message wants an answer.
func (m *Message) Request() bool { return m.HasMethod && m.ID != nil }

// Response reports whether the message answers a request.
func (m *Message) Response() bool { return !m.HasMethod && m.ID != nil }

// Key is the id in one spelling: two ids that mean the same have the same key.
func (m *Message) Key() string { return IDKey(m.ID) }

// IDKey is the one spelling of an id; "" for none.
func IDKey(id json.RawMessage) string {
	if len(id) == 0 {
		return ""
	}
	if id[0] == '"' {
		var s string
		if json.Unmarshal(id, &s) != nil {
			return ""
		}
		return "s" + s
	}
	var whole int64
	if json.Unmarshal(id, &whole) == nil {
		return fmt.Sprintf("n%d", whole)
	}
	var f float64
	if json.Unmarshal(id, &f) != nil {
		return ""
	}
	if f == float64(int64(f)) {
		return fmt.Sprintf("n%d", int64(f))
	}
	return fmt.Sprintf("f%g", f)
}

// ErrUnreadable is wrapped by every error of [Parse].
var ErrUnreadable = errors.New("the message is not readable")

// Parse reads the envelope of one message. On an error the returned message has
// the id, where one could be made out, so that it can be answered.
func Parse(raw []byte) (Message, error) {
	m := Message{Raw: oneLine(raw)}
	if !utf8.Valid(m.Raw) {
		return m, fmt.Errorf("%w: it is not valid UTF-8", ErrUnreadable)
	}
	if !json.Valid(m.Raw) {
		return m, fmt.Errorf("%w: it is not JSON", ErrUnreadable)
	}
	seen := map[string]bool{}
	var version string
	var problem error
	err := members(m.Raw, func(key string, value json.RawMessage) {
		known := envelopeKey(key)
		switch {
		case known == "":
			return
		case known != key:
			problem = errors.Join(problem, fmt.Errorf("%w: the key %q is written in another letter case", ErrUnreadable, key))
			return
		case seen[key]:
			problem = errors.Join(problem, fmt.Errorf("%w: the key %q stands twice in it", ErrUnreadable, key))
			return
		}
		seen[key] = true
		switch key {
		case "jsonrpc":
			_ = json.Unmarshal(value, &version)
		case "id":
			problem = errors.Join(problem, m.setID(value))
		case "method":
			m.HasMethod = true
			if json.Unmarshal(value, &m.Method) != nil || value[0] != '"' {
				problem = errors.Join(problem, fmt.Errorf("%w: its method is no text", ErrUnreadable))
			}
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			if !isNull(value) {
				m.Error = value
			}
		}
	})
	switch {
	case err != nil:
		return m, err
	case problem != nil:
		return m, problem
	case version != "2.0":
		return m, fmt.Errorf("%w: its jsonrpc is not \"2.0\"", ErrUnreadable)
	case m.HasMethod && (m.Result != nil || m.Error != nil):
		return m, fmt.Errorf("%w: it is a request and an answer at once", ErrUnreadable)
	case !m.HasMethod && m.Result == nil && m.Error == nil:
		return m, fmt.Errorf("%w: it has neither a method nor a result", ErrUnreadable)
	}
	return m, nil
}

func (m *Message) setID(value json.RawMessage) error {
	if isNull(value) {
		return nil
	}
	if c := value[0]; c != '"' && c != '-' && (c < '0' || c > '9') || IDKey(value) == "" {
		return fmt.Errorf("%w: its id is neither a text nor a number", ErrUnreadable)
	}
	m.ID = value
	return nil
}

// envelopeKey is the key of the envelope that key is, or could be taken for.
func envelopeKey(key string) string {
	for _, known := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if strings.EqualFold(key, known) {
			return known
		}
	}
	return ""
}

func isNull(v json.RawMessage) bool { return string(v) == "null" }

// oneLine makes every line break in raw a blank. In valid JSON they stand
// between tokens only.
func oneLine(raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw
	}
	return bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, raw)
}
