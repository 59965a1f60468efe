package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/hook"
	"mayi/internal/invoke"
	"mayi/pkg/approval"
	"mayi/pkg/config"
)

// maxReaching bounds what the front tells, in bytes.
const maxReaching = 16 << 20

// reachCommand is for the front: it decides what a command that the front runs
// reaches for, and prints the answer in one word.
func (c *command) reachCommand() *cobra.Command {
	return &cobra.Command{
		Use: "reach", Hidden: true, Args: cobra.NoArgs,
		Short: "Decide what a running command reaches for (started by mayi itself)",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := io.ReadAll(io.LimitReader(c.in, maxReaching))
			if err != nil {
				return failure("", err)
			}
			var r invoke.Reaching
			if err := json.Unmarshal(text, &r); err != nil {
				return usage("what is reached for cannot be read: %v", err)
			}
			app, err := assembly.Open(assembly.Options{Config: r.Config, Env: config.ByName(environment())})
			if err != nil {
				return failure("", err)
			}
			defer app.Close()
			v := r.Verdict
			if app.Settings.Version() != v.Policy {
				return failure("run the command again", fmt.Errorf("the settings changed since the command was allowed"))
			}
			asker := c.asker(app, 0)
			if r.Agent && app.Store != nil {
				asker = approval.NewQueue(app.Store.Questions(), approval.QueueOptions{Wait: hook.Wait(hook.Limit("generic"))})
			}
			if v.Request.Session != "" && app.Store != nil {
				if err := keep(cmd.Context(), app, v.Request.Session); err != nil {
					return failure("", err)
				}
			}
			fmt.Fprintln(c.out, app.Gate.Reach(cmd.Context(), v, r.Access, asker))
			return nil
		},
	}
}
