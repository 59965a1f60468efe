package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/ui"
	"mayi/pkg/approval"
	"mayi/pkg/store"
)

func (c *command) logCommand() *cobra.Command {
	var verify bool
	var check store.VerifyOptions
	var q store.Query
	var since string
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show the record of what was run and refused, and verify it",
		Long: `Shows the audit log, newest last. Each record is chained to the one before by its
hash and the end is signed, so that --verify finds a record that was changed,
removed, moved or cut off. To find a log that was replaced as a whole, keep the
key and the head that --verify prints elsewhere and give them back, in quotes,
with --key and --head.`,
		Example: "  mayi log\n  mayi log --since 1h --verdict deny\n  mayi log --verify\n  mayi log --json | jq .text",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			app, err := c.app()
			if err != nil {
				return err
			}
			defer app.Close()
			if app.Store == nil {
				return failure("set HOME or XDG_STATE_HOME", errors.New("there is no place where a log could be"))
			}
			if !verify && (check.Key != "" || check.Head != "") {
				return usage("--key and --head are held against the log by --verify, which is not given")
			}
			if q.Limit < 0 {
				return usage("--limit %d is no number of records", q.Limit)
			}
			if verify {
				if check.Head, err = keptHead(check.Head); err != nil {
					return err
				}
				return c.verifyLog(cmd.Context(), app, check)
			}
			if !slices.Contains([]string{"", "allow", "ask", "deny"}, q.Verdict) {
				return usage("--verdict %q is not a verdict; it is allow, ask or deny", q.Verdict)
			}
			if since != "" {
				if q.Since, err = parseSince(since); err != nil {
					return err
				}
			}
			return c.showLog(cmd.Context(), app, q)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&verify, "verify", false, "check the whole log instead of showing it")
	f.StringVar(&check.Key, "key", "", "with --verify: the log's public key as kept elsewhere")
	f.StringVar(&check.Head, "head", "", "with --verify: an earlier signed head as kept elsewhere")
	f.IntVarP(&q.Limit, "limit", "n", 50, "show at most this many, the newest (0: all)")
	f.StringVar(&since, "since", "", "show what is newer: a duration (90m) or a time (2006-01-02T15:04:05Z)")
	f.StringVar(&q.Verdict, "verdict", "", "show only allow, ask or deny")
	f.StringVar(&q.Tool, "tool", "", "show only this tool's calls")
	complete(cmd, "verdict", "allow", "ask", "deny")
	return cmd
}

// keptHead is a signed head as it was kept: several lines, or the one line that
// --verify prints, in which "\n" stands for their ends. One that is cut or is
// no head at all is a mistake of the caller's and no finding about the log.
func keptHead(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	head := strings.TrimSpace(strings.ReplaceAll(s, `\n`, "\n")) + "\n"
	if !strings.Contains(head, "\n\n\u2014 ") {
		return "", usage("--head is not a whole head as mayi log --verify prints it: %s", approval.Line(s))
	}
	return head, nil
}

func parseSince(s string) (time.Time, error) {
	if d, err := time.ParseDuration(s); err == nil {
		return time.Now().Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since %q is neither a duration such as 90m nor a time such as 2006-01-02", s)
}

func (c *command) showLog(ctx context.Context, app *assembly.App, q store.Query) error {
	q.Session = c.flags.Session
	style := c.style(c.out)
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	n := 0
	for r, err := range app.Store.Audit().Records(ctx, q) {
		if err != nil {
			return failure("mayi log --verify says what is wrong with the log", err)
		}
		n++
		if c.flags.json {
			err = enc.Encode(r)
		} else {
			_, err = fmt.Fprintln(c.out, logLine(r, style))
		}
		if err != nil {
			return err
		}
	}
	if n == 0 && !c.flags.json {
		fmt.Fprintln(c.out, "no record")
	}
	return nil
}

func logLine(r store.Record, style ui.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6d  %s  %-7s ", r.Seq, style.Dim(r.Time.Local().Format("2006-01-02 15:04:05")), r.Event)
	switch r.Event {
	case "end":
		fmt.Fprintf(&b, "of %d: %s", r.About, approval.Line(r.Outcome))
		return b.String()
	}
	word := fmt.Sprintf("%-5s", r.Verdict)
	switch r.Verdict {
	case "allow":
		word = style.Green(word)
	case "ask":
		word = style.Yellow(word)
	default:
		word = style.Red(word)
	}
	fmt.Fprintf(&b, "%s  %s: %s", word, r.Tool, approval.Line(r.Text))
	if r.Verdict != "allow" {
		b.WriteString(style.Dim(" — " + approval.Line(r.Reason)))
	}
	if r.Answered != "" {
		b.WriteString(style.Dim(" — answered " + approval.Line(r.Answered)))
	}
	return b.String()
}

func (c *command) verifyLog(ctx context.Context, app *assembly.App, o store.VerifyOptions) error {
	report, err := app.Store.Audit().Verify(ctx, o)
	if err != nil && !errors.Is(err, store.ErrTampered) {
		return failure("", err)
	}
	if c.flags.json {
		if err := c.print(report); err != nil {
			return err
		}
	} else {
		c.printReport(app, report)
	}
	if err != nil {
		return exit{code: exitError}
	}
	return nil
}

func (c *command) printReport(app *assembly.App, r store.Report) {
	style := c.style(c.out)
	for _, p := range r.Problems {
		fmt.Fprintln(c.out, style.Red("not as it was written: ")+approval.Line(p.String()))
	}
	if len(r.Problems) > 0 {
		findings := fmt.Sprintf("%d findings", len(r.Problems))
		if len(r.Problems) == 1 {
			findings = "1 finding"
		}
		fmt.Fprintf(c.out, "%s: %s in %d records\n", style.Red("the log was tampered with"), findings, r.Records)
		return
	}
	fmt.Fprintf(c.out, "%s: %d records in %s are as they were written\n", style.Green("verified"), r.Records, app.Store.Path())
	if r.Unconfirmed > 0 {
		fmt.Fprintf(c.out, "%d at the end were written, but not acknowledged before their process ended\n", r.Unconfirmed)
	}
	if r.Lost > 0 {
		fmt.Fprintf(c.out, "%d at the end, about what changed nothing, were lost when the machine went off\n", r.Lost)
	}
	if r.Key != "" {
		fmt.Fprintf(c.out, "key  %s\nhead %s\n", r.Key, strings.ReplaceAll(strings.TrimSuffix(r.Head, "\n"), "\n", "\\n"))
	}
}
