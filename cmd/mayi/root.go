package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mayi/internal/invoke"
	"mayi/internal/ui"
)

// streams are the process's standard files.
type streams struct{ in, out, err *os.File }

// command is what the subcommands share: the streams and the global flags.
type command struct {
	streams
	flags struct {
		invoke.Flags
		json, noColor bool
	}
}

func execute(args []string, s streams) int {
	c := &command{streams: s}
	root := c.root()
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(context.Background())
	code, say := codeOf(err)
	if say {
		fmt.Fprintln(s.err, c.style(s.err).Red("mayi: ")+err.Error())
		if code == exitUsage {
			fmt.Fprintln(s.err, "  hint: "+misuse(root, args, err))
		}
	}
	return code
}

func (c *command) root() *cobra.Command {
	var printVersion bool
	root := &cobra.Command{
		Use:   "mayi",
		Short: "The gate between an AI agent and this machine",
		Long: `mayi decides, for every tool call of an AI agent, what it would really do and
whether it may: allow, ask a person, or deny. It runs what was allowed and keeps
a record that nobody can edit unnoticed.`,
		Example: `  mayi run 'ls ~/Desktop'       run a command through the gate
  mayi explain 'git push'       see why a command is allowed, asked about or denied
  mayi chat                     talk to an agent whose every call goes through the gate
  mayi init                     write a starting policy for this project
  mayi approvals                answer what other processes are waiting for`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printVersion {
				return c.printVersion()
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	f := root.PersistentFlags()
	f.StringVarP(&c.flags.Workspace, "workspace", "w", "", "the workspace's root (default: found from the working directory)")
	f.StringVar(&c.flags.Cwd, "cwd", "", "decide as if called in this folder")
	f.StringVar(&c.flags.Session, "session", "", "the session whose grants count (default: this terminal)")
	f.StringVar(&c.flags.Mode, "mode", "", "the execution mode: plan, accept-edits or auto")
	f.StringVar(&c.flags.Settings, "settings", "", "settings for this call alone, as JSON, over all others")
	f.BoolVar(&c.flags.json, "json", false, "print JSON")
	f.BoolVar(&c.flags.noColor, "no-color", false, "print without colour (NO_COLOR does the same)")
	complete(root, "mode", "plan", "accept-edits", "auto")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return exit{exitUsage, err} })
	root.AddCommand(
		c.runCommand(), c.checkCommand(), c.explainCommand(), c.chatCommand(),
		c.initCommand(), c.trustCommand(), c.grantsCommand(), c.approvalsCommand(),
		c.logCommand(), c.policyCommand(), c.doctorCommand(), c.versionCommand(),
		c.hookCommand(), c.execConfinedCommand(),
		c.rpcCommand(), c.reachCommand(),
		c.installCommand(), c.uninstallCommand(), c.statusCommand(),
		c.mcpCommand(), c.acpCommand(),
	)
	completions(root)
	helpOn(root)
	usageErrors(root)
	return root
}

func (c *command) style(f *os.File) ui.Style {
	_, none := os.LookupEnv("NO_COLOR")
	return ui.For(f, c.flags.noColor || none || dumb())
}

// dumb reports whether the terminal says that it knows no control sequences.
func dumb() bool { return os.Getenv("TERM") == "dumb" }
