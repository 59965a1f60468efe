package main

import "github.com/spf13/cobra"

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
