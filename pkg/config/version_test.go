package config

import (
	"encoding/json"
	"reflect"
	"testing"

	"mayi/pkg/permissions"
)

// TestVersionCountsEveryField: whatever a decision may depend on changes the
// version; where an entry was written does not.
func TestVersionCountsEveryField(t *testing.T) {
	full := func() versioned {
		v := versioned{
			Policy:   permissions.Policy{Rules: []permissions.Rule{{Words: []string{"a"}}}, ToolEffects: map[string][]permissions.Kind{"a.b": {permissions.Read}}},
			Commands: map[string]json.RawMessage{"a": json.RawMessage(`{}`)},
		}
		return v
	}
	seen := map[string]string{versionOf(full()): "nothing"}
	n := 0
	note := func(what string, v versioned) {
		n++
		got := versionOf(v)
		if other, known := seen[got]; known {
			t.Errorf("changing %s gives the version of changing %s", what, other)
		}
		seen[got] = what
	}
	var walk func(path []int, name string, typ reflect.Type)
	walk = func(path []int, name string, typ reflect.Type) {
		change := func(what string, f func(reflect.Value)) {
			v := full()
			f(reflect.ValueOf(&v).Elem().FieldByIndex(path))
			note(name+what, v)
		}
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				walk(append(path[:len(path):len(path)], i), name+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		case reflect.String:
			change("", func(v reflect.Value) { v.SetString("x") })
		case reflect.Bool:
			change("", func(v reflect.Value) { v.SetBool(true) })
		case reflect.Int:
			change("", func(v reflect.Value) { v.SetInt(7) })
		case reflect.Slice:
			if typ.Elem().Kind() == reflect.String {
				change(" one", func(v reflect.Value) { v.Set(reflect.ValueOf([]string{"x"})) })
				change(" two", func(v reflect.Value) { v.Set(reflect.ValueOf([]string{"x", "y"})) })
				return
			}
			if typ != reflect.TypeFor[[]permissions.Rule]() {
				t.Fatalf("%s is of a type that the test does not know", name)
			}
		case reflect.Map:
			if name != ".Policy.ToolEffects" && name != ".Commands" {
				t.Fatalf("%s is of a type that the test does not know", name)
			}
		default:
			t.Fatalf("%s is of a type that the test does not know", name)
		}
	}
	walk(nil, "", reflect.TypeFor[versioned]())
	rule := reflect.TypeFor[permissions.Rule]()
	for i := range rule.NumField() {
		f := rule.Field(i)
		v := full()
		switch field := reflect.ValueOf(&v.Policy.Rules[0]).Elem().Field(i); {
		case f.Name == "Source":
			field.Set(reflect.ValueOf(permissions.Source{Layer: "user", File: "f", Line: 1, Col: 2}))
			if versionOf(v) != versionOf(full()) {
				t.Error("where a rule was written changes the version")
			}
			continue
		case f.Type.Kind() == reflect.String:
			field.SetString("x")
		case f.Type.Kind() == reflect.Uint8:
			field.SetUint(2)
		default:
			field.Set(reflect.ValueOf([]string{"a", "x"}))
		}
		note("a rule's "+f.Name, v)
	}
	for what, f := range map[string]func(*versioned){
		"the number of rules":  func(v *versioned) { v.Policy.Rules = append(v.Policy.Rules, permissions.Rule{}) },
		"a declaration":        func(v *versioned) { v.Policy.ToolEffects["a.b"] = []permissions.Kind{permissions.Exec} },
		"a declaration's name": func(v *versioned) { v.Policy.ToolEffects = map[string][]permissions.Kind{"a.c": {permissions.Read}} },
		"a command":            func(v *versioned) { v.Commands["a"] = json.RawMessage(`{"flags": "-a"}`) },
		"a command's name":     func(v *versioned) { v.Commands = map[string]json.RawMessage{"b": json.RawMessage(`{}`)} },
		"lists moved":          func(v *versioned) { v.Trusted, v.Read = []string{"x"}, []string{"x"} },
	} {
		v := full()
		f(&v)
		note(what, v)
	}
	if n < 40 {
		t.Errorf("only %d changes", n)
	}
}
