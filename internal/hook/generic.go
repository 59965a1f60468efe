package hook

import (
	"encoding/json"
	"fmt"
	"time"

	"mayi/internal/wire"
	"mayi/pkg/permissions"
)

// generic speaks the language of mayi check --jsonl for agents that have no
// translator: one request on standard input, one decision on standard output.
// What a person must decide waits on the queue; the decision that is printed is
// allow (exit code 0) or deny (20).
func generic() agent {
	return agent{
		name: "generic", limit: time.Minute,
		read: func(in map[string]any, _ around) (call, error) {
			c := call{id: text(in, "id")}
			// The object has been read once for what is common to all agents; a
			// request is read by its own, stricter, reader.
			data, err := json.Marshal(in)
			if err != nil {
				return c, err
			}
			r, err := wire.ParseRequest(data)
			c.id = r.ID
			if err != nil {
				return c, err
			}
			for k := range in { // the reader takes them in any letter case
				if !has([]string{"id", "tool", "input", "workspace", "cwd", "session", "settings"}, k) {
					return c, fmt.Errorf("the key %q is not known", k)
				}
			}
			c.session, c.cwd, c.workspace = r.Session, r.Cwd, r.Workspace
			if c.cwd == "" {
				c.cwd = r.Workspace
			}
			if s := string(r.Settings); s != "" && s != "null" {
				c.override = r.Settings
			}
			c.input = r.Input
			if c.tool, err = wire.ToolOf(r.Tool, r.Input); c.tool.Builtin {
				c.alike(r.Input)
			}
			return c, err
		},
		write: func(c *call, o outcome) reply {
			r := reply{stdout: o.decision}
			if d, ok := o.decision.(wire.Decision); ok {
				d.ID = c.id
				r.stdout = d
			}
			if o.verdict != permissions.Allow {
				r.exit = 20
			}
			return r
		},
	}
}
