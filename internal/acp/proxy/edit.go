package proxy

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object of which only some members are looked at; the others
// stay as they came.
type object map[string]json.RawMessage

// objectOf reads raw, nil where it is no object.
func objectOf(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// set puts a value into the object.
func (o object) set(key string, v any) { o[key] = encode(v) }

// with is the message with one member of its envelope replaced.
func with(message []byte, member string, v any) []byte {
	o := objectOf(message)
	if o == nil {
		return message
	}
	o.set(member, v)
	return encode(o)
}

// encode writes v without changing more of its texts than JSON demands.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// text is the text under a key of a decoded object, "" for none.
func text(o map[string]any, key string) string {
	s, _ := o[key].(string)
	return s
}
