package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/confine"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/journal"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
	"mayi/pkg/store"
)

// finding is one thing that doctor looked at.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	// Text says what was found, Mend what to do where it is not OK.
	Text string `json:"text"`
	Mend string `json:"mend,omitempty"`
}

func (c *command) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything mayi needs is there and works",
		Long: `Looks at the settings, the workspace, the shell, the store and the record, each by
using it, and says what to do about what is missing. Exits with 1 where
something is not right.`,
		Example: "  mayi doctor\n  mayi doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings, err := c.examine(cmd)
			if err != nil {
				return err
			}
			return c.reportFindings(findings)
		},
	}
}

func (c *command) reportFindings(findings []finding) error {
	bad := 0
	for _, f := range findings {
		if !f.OK {
			bad++
		}
	}
	if c.flags.json {
		if err := c.print(findings); err != nil {
			return err
		}
	} else {
		style := c.style(c.out)
		for _, f := range findings {
			mark := style.Green("ok  ")
			if !f.OK {
				mark = style.Red("bad ")
			}
			fmt.Fprintf(c.out, "%s %-10s %s\n", mark, f.What, approval.Line(f.Text))
			if f.Mend != "" {
				fmt.Fprintf(c.out, "                %s\n", f.Mend)
			}
		}
	}
	if bad > 0 {
		return exit{code: exitError}
	}
	return nil
}

func (c *command) examine(cmd *cobra.Command) ([]finding, error) {
	app, err := c.app()
	if err != nil {
		return nil, err
	}
	defer app.Close()
	out := c.examineSettings(app)
	out = append(out, examineWorkspace(app), examineShell(), c.examineDecision(cmd, app))
	out = append(out, examineSession(c.sessionName())...)
	out = append(out, examineSandbox(app)...)
	out = append(out, c.examineStore(cmd, app)...)
	return append(out, c.examineAgents(cmd)...), nil
}

func (c *command) examineSettings(app *assembly.App) []finding {
	o := app.Settings.Options()
	var there []string
	for _, f := range []string{o.ManagedFile, o.UserFile, o.ProjectFile} {
		if _, err := os.Stat(f); f != "" && err == nil {
			there = append(there, f)
		}
	}
	text := "no settings file: the built-in defaults hold (mode " + string(app.Settings.ExecutionMode) + ")"
	if len(there) > 0 {
		text = "read " + strings.Join(there, ", ") + " (mode " + string(app.Settings.ExecutionMode) + ")"
	}
	out := []finding{{What: "settings", OK: len(app.Settings.Problems) == 0, Text: text}}
	if len(there) == 0 {
		out[0].Mend = "mayi init writes a starting policy"
	}
	for _, p := range app.Settings.Problems {
		out = append(out, finding{What: "settings", Text: p.Error(), Mend: "until it is mended, nothing that would run is allowed"})
	}
	for _, n := range app.Settings.Warnings() {
		out = append(out, finding{What: "settings", OK: true, Text: n.String()})
	}
	if p, err := config.ReadProject(o); err == nil && p != nil && !p.Trusted {
		out = append(out, finding{What: "trust", OK: true, Text: p.Path + " is not trusted: it can only tighten", Mend: "look at it and run mayi trust"})
	}
	return out
}

func examineWorkspace(app *assembly.App) finding {
	roots := app.Settings.Workspace().Roots()
	if problem := examineRoots(roots, app.Config.Home); problem != nil {
		return *problem
	}
	return finding{What: "workspace", OK: true, Text: strings.Join(roots, ", ")}
}

// examineRoots finds what is wrong with a workspace's roots; nil where nothing
// is.
func examineRoots(roots []string, home string) *finding {
	if len(roots) == 0 {
		return &finding{What: "workspace", Text: "there is no workspace: every path is outside", Mend: "name one with --workspace or workspacePaths"}
	}
	for _, r := range roots {
		if r == "/" || r == home {
			return &finding{What: "workspace", Text: r + " as a workspace puts nearly everything inside", Mend: "start in a project's folder, or name one with --workspace"}
		}
	}
	return nil
}

func examineShell() finding {
	sh, err := runner.Shell()
	if err != nil {
		return finding{What: "shell", Text: err.Error()}
	}
	return finding{What: "shell", OK: true, Text: sh}
}

// examineSession tells where answers cannot be remembered; a session with a name
// is nothing to tell of.
func examineSession(name string) []finding {
	if name != "" {
		return nil
	}
	return []finding{{
		What: "session", OK: true, Text: "this terminal's session cannot be told from others: an answer holds for one call only",
		Mend: "to have answers remembered, name the session with --session or MAYI_SESSION",
	}}
}

// examineDecision sees the gate deny what it must in every mode: removing
// mayi's own state.
func (c *command) examineDecision(cmd *cobra.Command, app *assembly.App) finding {
	v := app.Gate.Decide(cmd.Context(), gate.Request{
		Caller: "doctor", Cwd: app.Config.Cwd,
		Tool:  permissions.Tool{Name: "bash", Builtin: true},
		Input: map[string]any{"command": "rm -rf -- '" + strings.ReplaceAll(app.Config.StateDir, "'", `'\''`) + "'"},
	})
	if v.Verdict != permissions.Deny {
		return finding{What: "decision", Text: "removing mayi's own state was not denied: " + v.Reason, Mend: "report this"}
	}
	return finding{What: "decision", OK: true, Text: "removing mayi's own state is denied"}
}

// examineSandbox tries every level of confinement by a round trip.
func examineSandbox(app *assembly.App) []finding {
	need := app.Settings.Sandbox == confine.Required
	var out []finding
	for _, p := range sandbox.Probes() {
		f := finding{What: "sandbox", OK: p.OK || !need, Text: strings.TrimSuffix(p.Name+": "+p.Detail, ": ")}
		if !p.OK {
			f.Text, f.Mend = p.Name+" cannot be had here: "+p.Detail, p.Mend
		}
		out = append(out, f)
	}
	return out
}

func (c *command) examineStore(cmd *cobra.Command, app *assembly.App) []finding {
	if app.Store == nil {
		return []finding{{What: "store", Text: "there is no place for state", Mend: "set HOME or XDG_STATE_HOME"}}
	}
	if !app.Store.Exists() && journal.At(app.Store.Path()).Pending() == 0 {
		if err := creatable(filepath.Dir(app.Store.Path())); err != nil {
			return []finding{{What: "store", Text: app.Store.Path() + " cannot be made, and what cannot be recorded is not run: " + err.Error(), Mend: "make the folder writable for you, or set XDG_STATE_HOME"}}
		}
		return []finding{{What: "store", OK: true, Text: app.Store.Path() + " is made at the first use"}}
	}
	if _, err := app.Store.Sessions(cmd.Context()); err != nil {
		return []finding{{What: "store", Text: err.Error()}}
	}
	out := []finding{{What: "store", OK: true, Text: app.Store.Path()}}
	report, err := app.Store.Audit().Verify(cmd.Context(), store.VerifyOptions{})
	if err != nil {
		return append(out, finding{What: "record", Text: err.Error(), Mend: "mayi log --verify lists every finding"})
	}
	return append(out, finding{What: "record", OK: true, Text: fmt.Sprintf("%d records, as they were written", report.Records)})
}

// creatable tries to make a folder where dir, or what is there of the way to
// it, stands.
func creatable(dir string) error {
	for {
		_, err := os.Stat(dir)
		if err == nil {
			break
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return err
		}
		dir = up
	}
	made, err := os.MkdirTemp(dir, ".mayi-doctor-*")
	if err != nil {
		return err
	}
	return os.Remove(made)
}
