package main

import (
	"os"

	"github.com/spf13/cobra"

	"mayi/internal/confine"
	"mayi/internal/explain"
)

func (c *command) explainCommand() *cobra.Command {
	var tool, input string
	var spec bool
	cmd := &cobra.Command{
		Use:   "explain [COMMAND]",
		Short: "Show why a call is allowed, asked about or denied",
		Long: `Draws the command as a tree: its parts, what each would do and where that leads,
the rule that speaks of it, the decision, and what would have to change.
It is the decision of mayi run, which holds what it runs to it; mayi check answers
for somebody who does not, and then asks about more. Exit codes are those of
mayi check.`,
		Example: `  mayi explain 'git log | head'
  mayi explain 'cd src && make && cp app /usr/local/bin'
  mayi explain --sandbox 'go test ./...'
  mayi explain --tool web_fetch --input '{"url":"https://example.com"}'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			app, err := c.app()
			if err != nil {
				return err
			}
			defer app.Close()
			r, err := c.request(app, "explain", tool, input, args)
			if err != nil {
				return err
			}
			r.Confines = true // as mayi run decides it
			v := app.Gate.Decide(cmd.Context(), r)
			switch {
			case spec:
				s := confine.Spec(app.Settings, v, app.Config.Cwd, app.Settings.Sandbox)
				confine.Programs(&s, v.Call, os.Environ())
				err = c.print(s)
			case c.flags.json:
				err = c.print(explain.JSON(v))
			default:
				c.notices(app)
				err = explain.Text(c.out, v, c.style(c.out))
			}
			if err != nil {
				return err
			}
			return decided(v.Verdict)
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "explain a call of this tool instead of a command line")
	cmd.Flags().StringVar(&input, "input", "", "the tool's input, as JSON")
	cmd.Flags().BoolVar(&spec, "sandbox", false, "print what the kernel would hold the command to, as JSON")
	return cmd
}
