package caller_test

import (
	"strings"
	"testing"

	"mayi/internal/mcp/caller"
	"mayi/pkg/permissions"
)

func TestWhatARemoteCallerGets(t *testing.T) {
	for _, c := range []struct {
		name             string
		def, top, all    permissions.Mode
		harness          permissions.Mode
		asked            any
		want             permissions.Mode
		unknown, dropped string
		extra            map[string]any
	}{
		{name: "nothing said", want: permissions.Plan},
		{name: "nothing asked for gets the default", def: "accept-edits", top: "auto", want: "accept-edits"},
		{name: "asked for below the ceiling", def: "plan", top: "auto", asked: "auto", want: "auto"},
		{name: "asked for above the ceiling", def: "plan", top: "accept-edits", asked: "auto", want: "accept-edits"},
		{name: "the ceiling for everybody", def: "plan", top: "auto", all: "accept-edits", asked: "auto", want: "accept-edits"},
		{name: "the operator's own is limited", harness: "auto", want: permissions.Plan},
		{name: "the operator's own holds", harness: "accept-edits", top: "auto", want: "accept-edits"},
		{name: "unknown", def: "plan", top: "auto", asked: "root", want: permissions.Plan, unknown: "root"},
		{name: "no text", def: "plan", top: "auto", asked: []any{"auto"}, want: permissions.Plan, unknown: "a value"},
		{name: "look-alikes", top: "auto", want: permissions.Plan, dropped: "ExecutionMode",
			extra: map[string]any{"ExecutionMode": "auto", "dangerouslySkipPermissions": true, "maxExecutionMode": "auto", "model": "m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := map[string]any{}
			for k, v := range c.extra {
				agent[k] = v
			}
			if c.asked != nil {
				agent["executionMode"] = c.asked
			}
			p := permissions.Policy{Mode: permissions.AcceptEdits, MaxMode: c.all, RemoteDefault: c.def, RemoteMax: c.top}
			g := caller.Limit(p, c.harness, agent)
			if g.Mode != c.want || !strings.Contains(g.UnknownMode, c.unknown) || c.unknown == "" && g.UnknownMode != "" {
				t.Errorf("%+v, want %s", g, c.want)
			}
			if c.dropped != "" && (!strings.Contains(strings.Join(g.Dropped, " "), c.dropped) || g.Agent["model"] != "m" || len(g.Agent) != 1) {
				t.Errorf("%+v", g)
			}
			if !strings.Contains(g.Report(), string(c.want)) {
				t.Error(g.Report())
			}
		})
	}
}
