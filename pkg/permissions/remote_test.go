package permissions

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRankAndLower(t *testing.T) {
	for mode, rank := range map[Mode]int{Plan: 0, AcceptEdits: 1, Auto: 2, "": 0, "AUTO": 0, "interactive": 0} {
		if RankOf(mode) != rank {
			t.Errorf("%q ranks %d", mode, RankOf(mode))
		}
	}
	for _, tc := range [][3]Mode{{Auto, AcceptEdits, AcceptEdits}, {Plan, Auto, Plan}, {Auto, "", Auto}, {Auto, "x", Plan}, {"x", Plan, "x"}} {
		if got := LowerMode(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%q under %q is %q", tc[0], tc[1], got)
		}
	}
}

func TestClampMode(t *testing.T) {
	for _, tc := range []struct{ in, want map[string]any }{
		{map[string]any{"executionMode": "auto"}, nil},
		{map[string]any{"executionMode": "auto", "maxExecutionMode": "accept-edits"}, map[string]any{"executionMode": "accept-edits", "maxExecutionMode": "accept-edits"}},
		{map[string]any{"executionMode": "plan", "maxExecutionMode": "accept-edits"}, nil},
		{map[string]any{"executionMode": "accept-edits", "maxExecutionMode": "accept-edits"}, nil},
		{map[string]any{"executionMode": "auto", "maxExecutionMode": "huge"}, map[string]any{"executionMode": "plan", "maxExecutionMode": "huge"}},
		{map[string]any{"executionMode": "auto", "maxExecutionMode": 7}, map[string]any{"executionMode": "plan", "maxExecutionMode": 7}},
		{map[string]any{"maxExecutionMode": "plan"}, map[string]any{"executionMode": "plan", "maxExecutionMode": "plan"}},
		{map[string]any{"executionMode": "interactive", "maxExecutionMode": "plan"}, nil},
		{map[string]any{"executionMode": "auto", "maxExecutionMode": nil}, nil},
		{map[string]any{}, nil},
	} {
		before := mustJSON(t, tc.in)
		if tc.want == nil {
			tc.want = tc.in
		}
		if got := ClampMode(tc.in); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%v became %v", tc.in, got)
		}
		if mustJSON(t, tc.in) != before {
			t.Errorf("%s was changed", before)
		}
	}
}

func TestRemoteMode(t *testing.T) {
	for _, tc := range []struct {
		def, max  Mode
		ceiling   Mode
		requested any
		want      Mode
		unknown   string
	}{
		{"", "", "", nil, Plan, ""},
		{"", "", "", "auto", Plan, ""},
		{AcceptEdits, "", "", nil, AcceptEdits, ""},
		{AcceptEdits, "", "", "auto", AcceptEdits, ""},
		{AcceptEdits, "", "", "plan", Plan, ""},
		{AcceptEdits, Auto, "", nil, AcceptEdits, ""},
		{AcceptEdits, Auto, "", "auto", Auto, ""},
		{AcceptEdits, Auto, AcceptEdits, "auto", AcceptEdits, ""},
		{Auto, AcceptEdits, "", nil, AcceptEdits, ""},
		{Auto, "bogus", "", "auto", Plan, ""},
		{"bogus", "", "", nil, Plan, ""},
		{"bogus", Auto, "", nil, Plan, ""},
		{AcceptEdits, Auto, "", "AUTO", AcceptEdits, "AUTO"},
		{AcceptEdits, Auto, "", " auto", AcceptEdits, " auto"},
		{AcceptEdits, Auto, "", 2, AcceptEdits, "a value of type int"},
		{AcceptEdits, Auto, "", "", AcceptEdits, ""},
		{AcceptEdits, Auto, "", strings.Repeat("x", 100), AcceptEdits, strings.Repeat("x", 64) + "…"},
	} {
		p := Policy{RemoteDefault: tc.def, RemoteMax: tc.max, MaxMode: tc.ceiling}
		if mode, unknown := RemoteMode(p, tc.requested); mode != tc.want || unknown != tc.unknown {
			t.Errorf("default %q, ceiling %q, asked for %v: %q, unknown %q", tc.def, tc.max, tc.requested, mode, unknown)
		}
	}
}

func TestApplyRemoteMode(t *testing.T) {
	p := Policy{RemoteDefault: Plan, RemoteMax: AcceptEdits}
	for _, tc := range []struct {
		own, requested any
		want           any
		unknown        string
	}{
		{"auto", nil, "accept-edits", ""},
		{"accept-edits", nil, "accept-edits", ""},
		{"plan", nil, "plan", ""},
		{"interactive", nil, "interactive", ""},
		{nil, nil, "plan", ""},
		{"auto", "auto", "accept-edits", ""},
		{"auto", "plan", "plan", ""},
		{"interactive", "accept-edits", "accept-edits", ""},
		{"auto", "wild", "plan", "wild"},
	} {
		agent := map[string]any{"name": "x"}
		if tc.own != nil {
			agent["executionMode"] = tc.own
		}
		before := mustJSON(t, agent)
		got, unknown := ApplyRemoteMode(p, agent, tc.requested)
		if got["executionMode"] != tc.want || unknown != tc.unknown || got["name"] != "x" {
			t.Errorf("%v asked for %v: %v, %q", tc.own, tc.requested, got, unknown)
		}
		if mustJSON(t, agent) != before {
			t.Errorf("%s was changed", before)
		}
	}
	if got, _ := ApplyRemoteMode(p, nil, nil); got["executionMode"] != "plan" {
		t.Errorf("no agent at all: %v", got)
	}
}

func TestSanitizeRemoteAgent(t *testing.T) {
	var agent map[string]any
	err := json.Unmarshal([]byte(`{
		"name": "helper", "model": "m", "executionMode": "auto",
		"ExecutionMode": "auto", "execution_mode": "auto", "executionMode ": "auto",
		"dangerouslySkipPermissions": true, "DANGEROUSLYSKIPPERMISSIONS": true, "dangerouslyſkipPermissions": true,
		"dangerously_skip_permissions": true, "allowNonWorkspaceAccess": true, "maxExecutionMode": "auto", "network": "allow",
		"networkAllowHosts": ["x"], "network_in_plan_mode": true, "permissions": {"allow": ["command(rm)"]}, "hooks": {}, "mcpServers": {},
		"env": {"A": "b"}, "cwd": "/", "workspacePaths": ["/"], "trustedWorkspaces": ["/"], "settingsOverride": {}, "sandbox": "off",
		"readPaths": ["/"], "tools": {"exec": {}}, "constructor": 1, "__proto__": {"executionMode": "auto"},
		"messages": [{"role": "user", "content": "hi", "env": {}, "executionMode": "auto", "metadata": {"tags": ["a"], "hooks": 1}}]
	}`), &agent)
	if err != nil {
		t.Fatal(err)
	}
	before := mustJSON(t, agent)
	got := SanitizeRemoteAgent(Policy{RemoteDefault: AcceptEdits}, agent)
	want := map[string]any{
		"name": "helper", "model": "m", "executionMode": "accept-edits",
		"messages": []any{map[string]any{"role": "user", "content": "hi", "metadata": map[string]any{"tags": []any{"a"}}}},
	}
	if !reflect.DeepEqual(got.Agent, want) {
		t.Errorf("left: %s", mustJSON(t, got.Agent))
	}
	if mustJSON(t, agent) != before {
		t.Error("the client's map was changed")
	}
	for _, dropped := range []string{"dangerouslySkipPermissions", "dangerouslyſkipPermissions", "executionMode ", "messages[0].env", "messages[0].executionMode", "messages[0].metadata.hooks"} {
		if !strings.Contains("\n"+strings.Join(got.Dropped, "\n")+"\n", "\n"+dropped+"\n") {
			t.Errorf("%q is not reported: %q", dropped, got.Dropped)
		}
	}
	got.Agent["messages"].([]any)[0].(map[string]any)["role"] = "system"
	if mustJSON(t, agent) != before {
		t.Error("the copy is not deep")
	}
}

func TestSanitizeOddValues(t *testing.T) {
	cycle := map[string]any{"name": "x"}
	cycle["metadata"], cycle["labels"] = cycle, []any{cycle, cycle}
	got := SanitizeRemoteAgent(Policy{}, cycle)
	if len(got.Dropped) == 0 || len(got.Dropped) > 100 {
		t.Errorf("a cycle: %d dropped", len(got.Dropped))
	}
	got = SanitizeRemoteAgent(Policy{}, map[string]any{"content": func() {}, "metadata": map[any]any{}, "text": &cycle, "executionMode": []any{"auto"}})
	if len(got.Agent) != 1 || got.Agent["executionMode"] != "plan" || got.UnknownMode == "" || len(got.Dropped) != 3 {
		t.Errorf("values that no JSON holds: %+v", got)
	}
	if got := SanitizeRemoteAgent(Policy{}, nil); len(got.Agent) != 0 || got.Agent == nil {
		t.Errorf("nothing: %+v", got)
	}
}

// Whatever a client sends: what is left holds client keys alone, does not pass
// the ceiling, and sanitizing it again changes nothing.
func checkSanitized(t interface{ Fatalf(string, ...any) }, p Policy, agent map[string]any) {
	got := SanitizeRemoteAgent(p, agent)
	var walk func(v any, top bool)
	walk = func(v any, top bool) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if !clientKey(k) && !(top && k == "executionMode") {
					t.Fatalf("%q passed", k)
				}
				walk(x, false)
			}
		case []any:
			for _, x := range v {
				walk(x, false)
			}
		}
	}
	walk(got.Agent, true)
	if mode, ok := got.Agent["executionMode"]; ok {
		if m := asMode(mode); !m.Valid() || RankOf(m) > RankOf(remoteCeiling(p)) {
			t.Fatalf("mode %v passed a ceiling of %q", mode, remoteCeiling(p))
		}
	}
	again := SanitizeRemoteAgent(p, got.Agent)
	if !reflect.DeepEqual(again.Agent, got.Agent) || len(again.Dropped) > 0 {
		t.Fatalf("sanitizing again drops %q", again.Dropped)
	}
}

func FuzzSanitizeRemoteAgent(f *testing.F) {
	for _, s := range []string{`{"name":"x","executionMode":"auto"}`, `{"Name":1,"permissions":{}}`, `{"messages":[{"content":[{"text":"a","hooks":[]}]}]}`, `{"executionMode":{"a":1}}`, `{"metadata":{"env":{}},"ENV":{}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var agent map[string]any
		if json.Unmarshal([]byte(text), &agent) != nil {
			return
		}
		checkSanitized(t, Policy{RemoteDefault: AcceptEdits}, agent)
	})
}

func TestSanitizeProperty(t *testing.T) {
	keys := rapid.SampledFrom([]string{"name", "executionMode", "ExecutionMode", "metadata", "messages", "env", "permissions", "ſtop", "stop", "content"})
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case kind == 0 && depth > 0:
				return rapid.MapOfN(keys, value(depth-1), 0, 4).Draw(t, "object")
			case kind == 1 && depth > 0:
				return rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "list")
			case kind == 2:
				return oneOf(t, "mode", "plan", "auto", "accept-edits", "x")
			}
			return oneOf[any](t, "scalar", nil, true, 1.5)
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{RemoteDefault: oneOf(t, "default", "", Plan, AcceptEdits, Auto, "x"), RemoteMax: oneOf(t, "max", "", Plan, AcceptEdits, Auto, "x"), MaxMode: oneOf(t, "ceiling", "", AcceptEdits)}
		checkSanitized(t, p, rapid.MapOfN(keys, value(3), 0, 5).Draw(t, "agent"))
	})
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSanitizeTakesKeysAsTheyAreSpelt: a key in another letter case, or with a
// look-alike in it, is another key, for which some reader may fall.
func TestSanitizeTakesKeysAsTheyAreSpelt(t *testing.T) {
	for _, key := range []string{"Model", "MODEL", "Messages", "systemprompt", "SystemPrompt", "me\u017f\u017fages", "model ", "mode\u04cf", "ExecutionMode", "executionmode", "EXECUTIONMODE"} {
		got := SanitizeRemoteAgent(Policy{RemoteDefault: Plan}, map[string]any{key: "auto", "labels": map[string]any{key: "auto"}})
		if _, ok := got.Agent[key]; ok || len(got.Dropped) == 0 {
			t.Errorf("%q passes: %v, dropped %v", key, got.Agent, got.Dropped)
		}
		if inner, _ := got.Agent["labels"].(map[string]any); len(inner) != 0 {
			t.Errorf("%q passes below: %v", key, got.Agent)
		}
	}
}
