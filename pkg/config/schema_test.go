package config_test

import (
	"encoding/json"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"

	"mayi/pkg/config"
)

// leaves lists the keys of a schema by their dotted names.
func leaves(s *jsonschema.Schema, prefix string, out map[string]*jsonschema.Schema) {
	for name, p := range s.Properties {
		path := strings.TrimPrefix(prefix+"."+name, ".")
		if p.Type == "object" && path != "commands" {
			leaves(p, path, out)
			continue
		}
		out[path] = p
	}
}

func readSchema(t *testing.T) (*jsonschema.Schema, *jsonschema.Resolved) {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(config.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return &s, r
}

func TestSchemaAndLoaderKnowTheSameKeys(t *testing.T) {
	s, _ := readSchema(t)
	found := map[string]*jsonschema.Schema{}
	leaves(s, "", found)
	var got []string
	for path, p := range found {
		if p.Description == "" {
			t.Errorf("%s has no description", path)
		}
		if path != "$schema" && path != "commands" {
			got = append(got, path)
		}
	}
	want := config.KeyNames()
	sort.Strings(got)
	sort.Strings(want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("schema: %v\nloader: %v", got, want)
	}
}

func TestSeedKeysAreThere(t *testing.T) {
	names := strings.Join(config.KeyNames(), " ") + " "
	for _, key := range strings.Fields(`executionMode maxExecutionMode dangerouslySkipPermissions allowNonWorkspaceAccess workspacePaths
		trustedWorkspaces network networkAllowHosts network_in_plan_mode permissions.allow permissions.deny permissions.ask remote_default_mode
		remote_max_mode tools.exec.enabled tools.exec.ask_permission tools.exec.enable_deny_patterns tools.exec.custom_deny_patterns
		tools.exec.custom_allow_patterns tools.exec.allow_remote tools.exec.timeout_seconds askNonWorkspaceAccess protectedPaths readPaths
		writePaths readOnlyShell sandbox trustedServers`) {
		if !strings.Contains(names, key+" ") {
			t.Errorf("%s is not a key", key)
		}
	}
}

func TestDocumentedDefaultsHold(t *testing.T) {
	s, _ := readSchema(t)
	found := map[string]*jsonschema.Schema{}
	leaves(s, "", found)
	w := newWorld(t)
	effective := flatten(t, w.load().Effective())
	for path, p := range found {
		got, set := effective[path]
		if path == "workspacePaths" {
			continue // its default is a place, which the description names
		}
		if p.Default == nil {
			if set {
				t.Errorf("%s is %v without settings, but no default is documented", path, got)
			}
			continue
		}
		var want any
		if err := json.Unmarshal(p.Default, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v without settings, documented is %v", path, got, want)
		}
	}
}

// flatten turns nested settings into dotted names with plain JSON values.
func flatten(t *testing.T, m map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for k, v := range m {
			path := strings.TrimPrefix(prefix+"."+k, ".")
			if sub, ok := v.(map[string]any); ok {
				walk(path, sub)
				continue
			}
			out[path] = v
		}
	}
	walk("", plain)
	return out
}

// TestSchemaAgreesWithLoader: what the schema refuses the loader refuses, and
// what the loader takes the schema takes.
func TestSchemaAgreesWithLoader(t *testing.T) {
	_, r := readSchema(t)
	for _, text := range []string{
		`{}`, `{"$schema": "x"}`, `{"executionMode": "auto"}`, `{"executionMode": "bypass"}`, `{"executionMode": 1}`,
		`{"permissions": {"allow": ["command(ls)"]}}`, `{"permissions": {"allow": ["ls"]}}`, `{"permissions": {"alow": []}}`, `{"permissions": []}`,
		`{"tools": {"exec": {"timeout_seconds": 0}}}`, `{"tools": {"exec": {"timeout_seconds": 60}}}`, `{"tools": {"exec": {"timeout": 60}}}`,
		`{"tools": {"a.b": {"effects": ["read"]}}}`, `{"tools": {"a.b": {"effects": []}}}`, `{"tools": {"a.b": {"effect": []}}}`, `{"tools": {"ab": {}}}`,
		`{"commands": {"x": {"anything": 1}}}`, `{"commands": []}`, `{"network": "deny"}`, `{"unknown": 1}`, `{"readPaths": [""]}`, `{"sandbox": null}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		w.write(w.UserFile, text)
		_, loaded := config.Load(w.Options)
		if valid := r.Validate(v); (valid == nil) != (loaded == nil) {
			t.Errorf("%s: the schema says %v, the loader %v", text, valid, loaded)
		}
	}
}

func TestTemplates(t *testing.T) {
	for name, template := range map[string]string{"project": config.Template, "user": config.UserTemplate} {
		_, r := readSchema(t)
		data, err := hujson.Standardize([]byte(template))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		w := newWorld(t)
		w.write(w.UserFile, template)
		s := w.load()
		if s.ExecutionMode != "accept-edits" || !s.ReadOnlyShell || !s.AskNonWorkspaceAccess || s.Sandbox != "auto" || len(s.ProtectedPaths) == 0 {
			t.Errorf("%s: the everyday preset is not what it says: %+v", name, s)
		}
		if len(s.Warnings()) > 0 {
			t.Errorf("%s: %v", name, s.Warnings())
		}
		if (name == "user") != (len(s.Allow) > 0) {
			t.Errorf("%s: the allow rules are %v; a project's would stand in for the person's", name, s.Allow)
		}
	}
}
