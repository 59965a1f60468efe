package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/importer"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

func (c *command) policyExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export " + strings.Join(importer.Names(), "|"),
		Short: "Write the rules in force in another agent's words, where they can be said",
		Long: `Prints the rules that hold here in the words of an agent, and to standard error
those that cannot be said there, and why. An allow is only written where the agent
would allow no more by it than mayi: an agent that reads commands by their
beginning gets none. A deny there sees less than mayi does, and mayi's modes and
limits are not told at all, so this is no replacement for mayi install.`,
		Example:   "  mayi policy export claude-code\n  mayi policy export codex > ~/.codex/rules/mayi.rules",
		Args:      cobra.ExactArgs(1),
		ValidArgs: importer.Names(),
		RunE:      func(cmd *cobra.Command, args []string) error { return c.exportPolicy(cmd.Context(), args[0]) },
	}
}

func (c *command) exportPolicy(ctx context.Context, agent string) error {
	app, err := c.app()
	if err != nil {
		return err
	}
	defer app.Close()
	s := app.Settings
	if len(s.Problems) > 0 {
		return failure("mayi doctor looks at the settings again", s.Problems)
	}
	var rules []permissions.Rule
	for _, list := range [][]permissions.Rule{s.Deny, s.Ask, s.Allow, s.AllowConfined} {
		for _, r := range list {
			// Several files may say the same.
			if !slices.ContainsFunc(rules, func(o permissions.Rule) bool { return o.Action == r.Action && o.String() == r.String() }) {
				rules = append(rules, r)
			}
		}
	}
	out, err := importer.Export(agent, rules, func(r permissions.Rule) bool { return allowsAlone(ctx, app, r) })
	if err != nil {
		return usage("%v", err)
	}
	if c.flags.json {
		return c.print(map[string]any{"settings": out.Settings, "left": out.Left})
	}
	for _, l := range out.Left {
		fmt.Fprintf(c.err, "%s %s: %s\n", c.style(c.err).Dim("left out"), approval.Line(l.From), l.Why)
	}
	if text, ok := out.Settings.(string); ok {
		_, err := fmt.Fprint(c.out, text)
		return err
	}
	return c.print(out.Settings)
}

// allowsAlone decides what an allow rule names, and nothing more, for a caller
// that cannot confine and has no answers.
func allowsAlone(ctx context.Context, app *assembly.App, r permissions.Rule) bool {
	request := gate.Request{Caller: "policy export", Cwd: app.Config.Cwd, Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": strings.Join(r.Words, " ")}}
	if r.Kind == permissions.FetchRule {
		request.Tool.Name = "web_fetch"
		request.Input = map[string]any{"url": "https://" + strings.Replace(r.Glob, "*", "example.org", 1) + "/"}
		if strings.HasPrefix(r.Glob, "*.") {
			request.Input["url"] = "https://www." + strings.TrimPrefix(r.Glob, "*.") + "/"
		}
	}
	return app.Gate.Decide(ctx, request).Verdict == permissions.Allow
}
