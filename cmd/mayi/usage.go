package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/nearest"
)

// misuse is the hint for somebody who called mayi in a way that it does not
// understand: the word that was meant, else where the words stand.
func misuse(root *cobra.Command, args []string, complaint error) string {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == nil {
		cmd, rest = root, args
	}
	if flag, ok := strings.CutPrefix(complaint.Error(), "unknown flag: --"); ok {
		if meant := nearest.Word(flag, flags(cmd)); meant != "" {
			return "did you mean --" + meant + "?"
		}
	}
	if cmd.HasAvailableSubCommands() {
		for _, word := range rest {
			if strings.HasPrefix(word, "-") {
				continue
			}
			if meant := nearest.Word(word, names(cmd)); meant != "" {
				return "did you mean " + cmd.CommandPath() + " " + meant + "?"
			}
			if cmd.Flags().Lookup(word) != nil {
				return "did you mean " + cmd.CommandPath() + " --" + word + "?"
			}
			break
		}
	}
	if takesCommandLine(cmd) && len(operands(rest)) > 0 {
		return "put a command with options in quotes, mayi " + cmd.Name() + " 'ls -l', or behind --, mayi " + cmd.Name() + " -- ls -l"
	}
	return cmd.CommandPath() + " --help shows how it is called"
}

// takesCommandLine reports whether cmd's arguments are another program's.
func takesCommandLine(cmd *cobra.Command) bool {
	switch cmd.Name() {
	case "run", "check", "explain":
		return true
	}
	return false
}

// operands are the words before the first option that follows one, so that
// "ls -l" is told apart from a misspelt option of mayi's own.
func operands(words []string) []string {
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			return words[:i]
		}
	}
	return nil
}

func names(cmd *cobra.Command) []string {
	var out []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, sub.Name())
		}
	}
	return out
}

// flags are the names of cmd's options, as its help lists them.
func flags(cmd *cobra.Command) []string {
	var out []string
	for _, word := range strings.Fields(cmd.Flags().FlagUsages()) {
		if name, ok := strings.CutPrefix(word, "--"); ok {
			out = append(out, name)
		}
	}
	return out
}

// usageErrors makes cobra's own complaints about arguments exit with the code
// for bad usage, and say what is missing in words.
func usageErrors(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			switch {
			case err == nil:
				return nil
			case cmd.HasAvailableSubCommands():
				return exit{exitUsage, err} // an unknown subcommand, named
			}
			wanted := strings.TrimSuffix(cmd.UseLine(), " [flags]")
			return usage("%s was given %s; it is called as %s", cmd.CommandPath(), count(len(args)), wanted)
		}
	}
	for _, sub := range cmd.Commands() {
		usageErrors(sub)
	}
}

func count(words int) string {
	switch words {
	case 0:
		return "nothing"
	case 1:
		return "one word"
	}
	return strconv.Itoa(words) + " words"
}
