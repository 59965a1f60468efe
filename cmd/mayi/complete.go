package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/nearest"
)

// complete tells the shell which words an option takes, and that nothing else
// here is a file's name.
func complete(cmd *cobra.Command, flag string, words ...string) {
	// The one error is a flag that is not there, which a test would meet.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeAnswer completes "ID once|session|always|no" after the ID.
func completeAnswer(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"once", "session", "always", "no"}, cobra.ShellCompDirectiveNoFileComp
}

// helpOn has "mayi help" say that there is no such command, where cobra shows the
// help of mayi itself with the code of success.
func helpOn(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, help := range root.Commands() {
		if help.Name() != "help" {
			continue
		}
		help.Run = nil
		help.RunE = func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			switch {
			case err != nil:
				return exit{exitUsage, err}
			case len(rest) > 0 && cmd.HasAvailableSubCommands():
				text := fmt.Sprintf("there is no command %q", strings.Join(args, " "))
				if meant := nearest.Word(rest[0], names(cmd)); meant != "" {
					text += "; did you mean " + cmd.CommandPath() + " " + meant + "?"
				}
				return usage("%s", text)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		}
	}
}

// completions adds cobra's own command for it, which would answer the name of a
// shell that it does not know with its help and the code of success.
func completions(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Example = "  source <(mayi completion bash)\n  mayi completion fish > ~/.config/fish/completions/mayi.fish"
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}
