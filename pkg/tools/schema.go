package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"mayi/internal/nearest"
)

// resolveSchema makes a tool's parameters ready to check arguments.
func resolveSchema(params map[string]any) (*jsonschema.Resolved, error) {
	if params == nil {
		params = object(nil)
	}
	b, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// checkArguments says in plain words what does not fit: an unknown argument
// with the nearest known one, a missing one, a wrong type.
func checkArguments(s *jsonschema.Resolved, args map[string]any) error {
	known := s.Schema().Properties
	if s.Schema().AdditionalProperties != nil {
		names := make([]string, 0, len(known))
		for n := range known {
			names = append(names, n)
		}
		slices.Sort(names)
		for n := range args {
			if _, ok := known[n]; ok {
				continue
			}
			if near := nearest.Word(n, names); near != "" {
				return fmt.Errorf("there is no %q; did you mean %q?", n, near)
			}
			return fmt.Errorf("there is no %q; there are %s", n, strings.Join(names, ", "))
		}
	}
	for _, n := range s.Schema().Required {
		if _, ok := args[n]; !ok {
			return fmt.Errorf("%q is missing", n)
		}
	}
	// Through JSON, so that Go callers may pass int or []string.
	b, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("they are no JSON: %w", err)
	}
	var plain map[string]any
	if err := json.Unmarshal(b, &plain); err != nil {
		return fmt.Errorf("they are no JSON: %w", err)
	}
	return s.Validate(plain)
}

// object is the schema of a tool's arguments: these and no others.
func object(props map[string]any, required ...string) map[string]any {
	if props == nil {
		props = map[string]any{}
	}
	m := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if len(required) > 0 {
		m["required"] = required
	}
	return m
}

func property(kind, description string) map[string]any {
	return map[string]any{"type": kind, "description": description}
}

// number reads an integer argument however it was decoded.
func number(args map[string]any, key string) (int, bool) {
	switch v := args[key].(type) {
	case int:
		return v, true
	case int64:
		return int(v), true
	case float64:
		return int(v), true
	case json.Number:
		n, err := v.Int64()
		return int(n), err == nil
	}
	return 0, false
}

func text(args map[string]any, key string) string {
	s, _ := args[key].(string)
	return s
}

func flag(args map[string]any, key string) bool {
	b, _ := args[key].(bool)
	return b
}
