package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

func (c *command) grantsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "grants",
		Short:   "List and take back what you have answered",
		Long:    "What a person answered is remembered for a session. This lists it, for this\nterminal's session or --session NAME, and takes it back.",
		Example: "  mayi grants\n  mayi grants --all\n  mayi grants revoke ~/Desktop\n  mayi grants clear",
		Args:    cobra.NoArgs,
	}
	var all bool
	cmd.Flags().BoolVar(&all, "all", false, "list every session's")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return c.listGrants(cmd, all) }
	cmd.AddCommand(
		&cobra.Command{
			Use: "revoke PATH|CALL", Short: "Forget what was answered about a path or a call",
			Example: "  mayi grants revoke ~/Desktop\n  mayi grants revoke /etc --session NAME\n  mayi grants revoke 3f7a91c0d2e4",
			Args:    cobra.ExactArgs(1),
			RunE:    func(cmd *cobra.Command, args []string) error { return c.revoke(cmd, args[0]) },
		},
		&cobra.Command{
			Use: "clear", Short: "Forget everything that was answered in the session",
			Example: "  mayi grants clear\n  mayi grants clear --session NAME",
			Args:    cobra.NoArgs,
			RunE:    func(cmd *cobra.Command, _ []string) error { return c.clearGrants(cmd) },
		},
	)
	return cmd
}

// shownCall is how much of a call's hash names it.
const shownCall = 12

type grantLine struct {
	Session string    `json:"session"`
	Path    string    `json:"path,omitempty"`
	Access  string    `json:"access,omitempty"`
	Call    string    `json:"call,omitempty"`
	Answer  string    `json:"answer"`
	At      time.Time `json:"at"`
}

func (c *command) listGrants(cmd *cobra.Command, all bool) error {
	app, err := c.app()
	if err != nil {
		return err
	}
	defer app.Close()
	lines := []grantLine{}
	if app.Store != nil && app.Store.Exists() {
		names := []string{c.sessionName()}
		if all {
			names = nil
			sessions, err := app.Store.Sessions(cmd.Context())
			if err != nil {
				return failure("", err)
			}
			for _, s := range sessions {
				names = append(names, s.ID)
			}
		}
		for _, name := range names {
			grants, err := app.Store.Grants(name).List(cmd.Context())
			if err != nil {
				return failure("", err)
			}
			for _, g := range grants {
				lines = append(lines, lineOf(name, g))
			}
		}
	}
	if c.flags.json {
		return c.print(lines)
	}
	if len(lines) == 0 {
		_, err := fmt.Fprintln(c.out, "nothing has been answered in this session")
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 4, 2, ' ', 0)
	for _, l := range lines {
		what := l.Access + " " + approval.Visible(l.Path)
		if l.Path == "" {
			what = "call " + l.Call[:min(shownCall, len(l.Call))]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Answer, what, l.At.Local().Format("2006-01-02 15:04:05"), approval.Visible(l.Session))
	}
	return w.Flush()
}

func lineOf(session string, g approval.Grant) grantLine {
	l := grantLine{Session: session, Path: g.Path, Call: g.Call, At: g.At}
	if g.Path != "" {
		l.Access = "read"
		if g.Write {
			l.Access = "write"
		}
	}
	switch g.Answer {
	case permissions.GrantedOnce:
		l.Answer = "once"
	case permissions.GrantedSession:
		l.Answer = "session"
	default:
		l.Answer = "denied"
	}
	return l
}

// revoke forgets the answers about what name leads to, or about the call whose
// number name begins with.
func (c *command) revoke(cmd *cobra.Command, name string) error {
	app, err := c.app()
	if err != nil {
		return err
	}
	defer app.Close()
	nothing := failure("mayi grants lists what was answered", fmt.Errorf("nothing was answered about %s in this session", approval.Line(name)))
	if app.Store == nil || !app.Store.Exists() {
		return nothing
	}
	grants := app.Store.Grants(c.sessionName())
	all, err := grants.List(cmd.Context())
	if err != nil {
		return failure("", err)
	}
	abs := absolute(name, app.Config)
	// Answers are kept by where a name leads; what is gone keeps its name.
	real, err := workspace.Canonical(abs)
	if err != nil {
		real = filepath.Clean(abs)
	}
	forgot := 0
	for _, g := range all {
		switch {
		case g.Path != "" && g.Path == real:
			err = grants.Revoke(cmd.Context(), g.Path)
		case g.Path == "" && len(name) >= shownCall && strings.HasPrefix(g.Call, name):
			err = grants.RevokeCall(cmd.Context(), g.Call)
		default:
			continue
		}
		if err != nil {
			return failure("", err)
		}
		forgot++
	}
	if forgot == 0 {
		return nothing
	}
	return c.done(map[string]any{"forgotten": forgot}, "forgot what was answered about %s in this session", approval.Line(name))
}

// absolute is a name as a person types it at the prompt.
func absolute(name string, o config.Options) string {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		name = o.Home + name[1:]
	case !filepath.IsAbs(name):
		name = o.Cwd + "/" + name
	}
	return name // not cleaned: "link/.." is for the disk to say
}

func (c *command) clearGrants(cmd *cobra.Command) error {
	app, err := c.app()
	if err != nil {
		return err
	}
	defer app.Close()
	if app.Store != nil && app.Store.Exists() {
		if err := app.Store.EndSession(cmd.Context(), c.sessionName()); err != nil {
			return failure("", err)
		}
	}
	return c.done(map[string]any{"session": c.sessionName()}, "forgot everything that was answered in this session")
}
