package knowledge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func loadSchema(t *testing.T, file string) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSchema: every data file is what its schema says.
func TestSchema(t *testing.T) {
	programs := loadSchema(t, "schema/program.schema.json")
	list, err := filepath.Glob("data/programs/*.json")
	if err != nil || len(list) == 0 {
		t.Fatalf("no data: %v", err)
	}
	check := func(r *jsonschema.Resolved, file string) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		if err := r.Validate(v); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, f := range list {
		check(programs, f)
	}
	check(loadSchema(t, "schema/env.schema.json"), "data/env.json")
}

// TestSchemaRefuses: the schema and the decoder refuse what is misspelled.
func TestSchemaRefuses(t *testing.T) {
	r := loadSchema(t, "schema/program.schema.json")
	for _, text := range []string{
		`{"operand": "read*"}`,
		`{"operands": "read* ??"}`,
		`{"options": {"-o": "wirte"}}`,
		`{"options": {"o": "write"}}`,
		`{"options": {"-o": {"value": "write", "optionnal": true}}}`,
		`{"flags": "a b"}`,
		`{"none": ["stdout"]}`,
		`{"when": [{"if": "-r"}]}`,
		`{"style": "gnuish"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		bySchema := r.Validate(v)
		_, byDecoder := Load().Extend(map[string]json.RawMessage{"x": json.RawMessage(text)})
		if bySchema == nil {
			t.Errorf("the schema takes %s", text)
		}
		if byDecoder == nil {
			t.Errorf("the decoder takes %s", text)
		} else if !strings.Contains(byDecoder.Error(), "commands: x: ") {
			t.Errorf("the error does not name the entry: %v", byDecoder)
		}
	}
}
