package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mayi/pkg/approval"
	"mayi/pkg/config"
)

func (c *command) trustCommand() *cobra.Command {
	var revoke, status bool
	var hash string
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Trust this project's settings file",
		Long: `A project's settings file comes with the repository, so until you trust it, it can
only make things stricter. This shows the file and asks. What you trust is this
content: when the file changes, it has to be trusted again.`,
		Example: "  mayi trust\n  mayi trust --status\n  mayi trust --hash HASH     without a question, for scripts\n  mayi trust --revoke",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o, err := c.configOptions()
			if err != nil {
				return err
			}
			switch {
			case revoke:
				if err := config.Untrust(o); err != nil {
					return failure("", err)
				}
				return c.done(map[string]any{"trusted": false}, "the project's settings are not trusted any more: they can only tighten")
			case status:
				return c.trustStatus(o)
			}
			return c.trust(o, hash)
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take the trust back")
	cmd.Flags().BoolVar(&status, "status", false, "say whether the file is trusted")
	cmd.Flags().StringVar(&hash, "hash", "", "trust the content with this hash (mayi trust --status prints it) without a question")
	return cmd
}

func (c *command) project(o config.Options) (*config.Project, error) {
	p, err := config.ReadProject(o)
	if err != nil {
		return nil, failure("", err)
	}
	if p == nil {
		return nil, failure("mayi init writes them", fmt.Errorf("this project has no settings"))
	}
	return p, nil
}

func (c *command) trustStatus(o config.Options) error {
	p, err := c.project(o)
	if err != nil {
		return err
	}
	if c.flags.json {
		return c.print(map[string]any{"file": p.Path, "trusted": p.Trusted, "hash": p.Hash})
	}
	word := "not trusted: it can only tighten"
	if p.Trusted {
		word = "trusted"
	}
	_, err = fmt.Fprintf(c.out, "%s: %s\nhash %s\n", p.Path, word, p.Hash)
	return err
}

func (c *command) trust(o config.Options, hash string) error {
	p, err := c.project(o)
	if err != nil {
		return err
	}
	if p.Trusted && (hash == "" || hash == p.Hash) {
		return c.done(trusted(p), "%s is trusted already", p.Path)
	}
	if hash == "" {
		fmt.Fprintf(c.out, "%s\n\n%s\n", c.style(c.out).Bold(p.Path), approval.Visible(string(p.Text)))
		yes, err := c.confirm("Trust these settings? Type yes and Enter: ")
		if err != nil {
			return failure("without a terminal, give the hash: mayi trust --hash "+p.Hash, err)
		}
		if !yes {
			fmt.Fprintln(c.out, "not trusted")
			return exit{code: exitDeny}
		}
		hash = p.Hash
	}
	if err := config.Trust(o, hash); err != nil {
		return failure("", err)
	}
	return c.done(trusted(p), "trusted %s as it is now", p.Path)
}

func trusted(p *config.Project) map[string]any {
	return map[string]any{"file": p.Path, "trusted": true, "hash": p.Hash}
}

// confirm asks at the terminal itself, whatever standard input is.
func (c *command) confirm(prompt string) (bool, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false, fmt.Errorf("there is no terminal to ask at")
	}
	defer tty.Close()
	// What was typed before the question stands there is no answer to it.
	if err := approval.DiscardInput(tty); err != nil {
		return false, fmt.Errorf("the terminal could not be used: %w", err)
	}
	fmt.Fprint(tty, prompt)
	line, err := bufio.NewReader(tty).ReadString('\n')
	if err != nil {
		return false, nil
	}
	return strings.TrimSpace(line) == "yes", nil
}
