package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"mayi/pkg/approval"
	"mayi/pkg/config"
)

func (c *command) initCommand() *cobra.Command {
	var user, show bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a starting policy for everyday coding",
		Long: `Writes a commented settings file with a starting policy: edits inside the
workspace, commands that only read, and questions about the rest.

Without --user it is the project's file, .mayi/settings.json, and it is trusted
with what it holds. An existing file is never overwritten.`,
		Example: "  mayi init\n  mayi init --user\n  mayi init --print",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if show {
				_, err := fmt.Fprint(c.out, startingPolicy(user))
				return err
			}
			return c.init(user)
		},
	}
	cmd.Flags().BoolVar(&user, "user", false, "write your own settings instead of the project's")
	cmd.Flags().BoolVar(&show, "print", false, "print the file instead of writing it")
	return cmd
}

func (c *command) init(user bool) error {
	o, err := c.configOptions()
	if err != nil {
		return err
	}
	settings, _ := config.Load(o)
	o = settings.Options()
	file := o.ProjectFile
	if user {
		file = o.UserFile
	}
	if problem := examineRoots(settings.Workspace().Roots(), o.Home); !user && c.flags.Workspace == "" && problem != nil {
		return failure(problem.Mend+"; your own settings: mayi init --user", errors.New(problem.Text))
	}
	if file == "" {
		return failure("set HOME, or name a folder with --workspace", errors.New("there is no place for the settings file"))
	}
	if _, err := os.Lstat(file); err == nil {
		return failure("edit it, or print the starting policy with mayi init --print", fmt.Errorf("%s exists already", file))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return failure(unwritable(user), err)
	}
	layer := "project"
	if user {
		layer = "user"
	}
	if err := config.ReplaceLayer(o, layer, nil, []byte(startingPolicy(user))); err != nil {
		hint := unwritable(user)
		if _, stat := os.Lstat(file); stat == nil {
			hint = "" // the error says what is missing
		}
		return failure(hint, err)
	}
	if c.flags.json {
		return c.print(map[string]string{"written": file})
	}
	_, err = fmt.Fprintf(c.out, "wrote %s\n\nTry it:\n  mayi explain 'git status'\n  mayi run 'ls ~'\n", approval.Line(file))
	return err
}

// unwritable says what to do where the settings' place cannot be written to.
func unwritable(user bool) string {
	if user {
		return "make that folder writable for you, or set XDG_CONFIG_HOME to one that is; mayi init --user --print shows what would be written"
	}
	return "make that folder writable for you, or write your own settings instead: mayi init --user"
}

func startingPolicy(user bool) string {
	if user {
		return config.UserTemplate
	}
	return config.Template
}
