package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxDepth bounds how deep a value may be nested that is decided on.
const maxDepth = 200

// Strict decodes a value that a decision depends on. A key that stands twice in
// one object is an error, since two readers could take two values for it.
// Numbers stay as they are written.
func Strict(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := strict(d, maxDepth)
	if err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("there is something behind the value")
	}
	return v, nil
}

// Object is [Strict] for what has to be an object; nothing and null are an empty
// one.
func Object(raw []byte) (map[string]any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return map[string]any{}, nil
	}
	v, err := Strict(raw)
	if err != nil {
		return nil, err
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	return o, nil
}

func strict(d *json.Decoder, depth int) (any, error) {
	if depth == 0 {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		out := map[string]any{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			k, _ := key.(string)
			if _, twice := out[k]; twice {
				return nil, fmt.Errorf("the key %q stands twice in one object", k)
			}
			if out[k], err = strict(d, depth-1); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return out, err
	case json.Delim('['):
		out := []any{}
		for d.More() {
			v, err := strict(d, depth-1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err := d.Token()
		return out, err
	}
	return tok, nil
}
