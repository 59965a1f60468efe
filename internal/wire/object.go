package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Object reads one JSON object of at most limit bytes. What two readers could
// take for two different values is an error: a key that stands twice, invalid
// UTF-8, text after the object. Numbers are kept as they were written
// ([json.Number]), so that what is handed on is what came in.
func Object(data []byte, limit int) (map[string]any, error) {
	switch {
	case len(data) > limit:
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("it is empty")
	case !utf8.Valid(data):
		return nil, errors.New("it is not valid UTF-8")
	}
	if err := noDuplicates(data); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("it breaks off in the middle")
		}
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if out == nil {
		return nil, errors.New("it is null and no JSON object")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is text after the object")
	}
	return out, nil
}
