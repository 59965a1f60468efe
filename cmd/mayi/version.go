package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (c *command) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  mayi version\n  mayi version --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return c.printVersion() },
	}
}

func (c *command) printVersion() error {
	if c.flags.json {
		return c.print(map[string]string{"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	_, err := fmt.Fprintf(c.out, "mayi %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// done says what was done: as JSON where that is asked for, else in words.
func (c *command) done(v map[string]any, format string, args ...any) error {
	if c.flags.json {
		return c.print(v)
	}
	_, err := fmt.Fprintf(c.out, format+"\n", args...)
	return err
}

// print writes v as one indented JSON document.
func (c *command) print(v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
