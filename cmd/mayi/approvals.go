package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/pkg/approval"
)

func (c *command) approvalsCommand() *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Answer the questions that other processes wait for",
		Long: `Lists the questions that are open and, on a terminal, asks them one after the
other; one key answers, ctrl-c leaves open what is not answered. --watch waits for
new ones. Only the person whose session it is can answer, each answer counts once,
and only for exactly the call that was shown.`,
		Example: "  mayi approvals\n  mayi approvals --watch\n  mayi approvals list --json\n  mayi approvals answer ID once",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.answerAll(cmd.Context(), watch) },
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "wait for new questions until ctrl-c")
	list := &cobra.Command{
		Use: "list", Short: "List the open questions", Example: "  mayi approvals list\n  mayi approvals list --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listQuestions(cmd.Context()) },
	}
	var rule, layer string
	answer := &cobra.Command{
		Use: "answer ID once|session|always|no", Short: "Answer one question",
		Example: "  mayi approvals answer 3F7K once\n  mayi approvals answer 3F7K always --rule 'command(git push)' --layer user",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch approval.Choice(args[1]) {
			case approval.Once, approval.Session, approval.Always, approval.No:
			default:
				return usage("%q is no answer; it is once, session, always or no", args[1])
			}
			return c.answerOne(cmd.Context(), args[0], approval.Answer{Choice: approval.Choice(args[1]), Rule: rule, Layer: layer})
		},
	}
	answer.Flags().StringVar(&rule, "rule", "", "with always: the rule, one of those that mayi approvals list shows")
	answer.Flags().StringVar(&layer, "layer", "user", "with always: the settings to write it to, user or project")
	answer.ValidArgsFunction = completeAnswer
	complete(answer, "layer", "user", "project")
	cmd.AddCommand(list, answer)
	return cmd
}

// questions are the open questions, with the app that answers go through.
func (c *command) questions(ctx context.Context) (*assembly.App, []approval.Question, error) {
	app, err := c.app()
	if err != nil {
		return nil, nil, err
	}
	if app.Store == nil || !app.Store.Exists() {
		return app, nil, nil
	}
	open, err := app.Store.Questions().Open(ctx)
	if err != nil {
		app.Close()
		return nil, nil, failure("", err)
	}
	return app, open, nil
}

func (c *command) listQuestions(ctx context.Context) error {
	app, open, err := c.questions(ctx)
	if err != nil {
		return err
	}
	defer app.Close()
	if c.flags.json {
		if open == nil {
			open = []approval.Question{}
		}
		return c.print(open)
	}
	if len(open) == 0 {
		_, err := fmt.Fprintln(c.out, "no question is open")
		return err
	}
	for _, q := range open {
		fmt.Fprintf(c.out, "%s%s\n%s%s\n", c.style(c.out).Bold(q.ID), of(q), approval.Describe(q, time.Now()), rulesOf(q))
	}
	return nil
}

// of names the session that asks: for an agent's, it begins with its name.
func of(q approval.Question) string {
	if q.Session == "" {
		return ""
	}
	return "  in the session " + approval.Line(q.Session)
}

// rulesOf lists what "always" could write.
func rulesOf(q approval.Question) string {
	var b strings.Builder
	for _, r := range q.Rules {
		b.WriteString("  always could write: " + approval.Line(r) + "\n")
	}
	return b.String()
}

func (c *command) answerOne(ctx context.Context, id string, a approval.Answer) error {
	app, open, err := c.questions(ctx)
	if err != nil {
		return err
	}
	defer app.Close()
	q, err := pick(open, id)
	if err != nil {
		return failure("mayi approvals list shows what is open", err)
	}
	a.By = app.Config.User + " with mayi approvals"
	strict := approval.Strict(q, a)
	if strict.Choice != a.Choice {
		return usage("%s", strict.Note)
	}
	if err := app.Store.Questions().Answer(ctx, q.ID, app.Config.User, strict); err != nil {
		return failure("", err)
	}
	return c.done(map[string]any{"id": q.ID, "choice": strict.Choice}, "answered %s: %s", q.ID, strict.Choice)
}

// pick is the one question whose ID is id, or begins with it.
func pick(open []approval.Question, id string) (approval.Question, error) {
	var found []approval.Question
	for _, q := range open {
		if q.ID == id {
			return q, nil
		}
		if len(id) >= 4 && strings.HasPrefix(q.ID, id) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return approval.Question{}, fmt.Errorf("no open question has the ID %q", id)
	case 1:
		return found[0], nil
	}
	return approval.Question{}, fmt.Errorf("%d open questions have an ID that begins with %q; give more of it", len(found), id)
}

// answerAll asks the open questions at the terminal.
func (c *command) answerAll(ctx context.Context, watch bool) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	terminal, err := approval.OpenTerminal(approval.TerminalOptions{Color: c.style(c.err).Color, Dumb: dumb(), Keys: true, Leave: true})
	if errors.Is(err, approval.ErrUnavailable) {
		return c.listQuestions(ctx)
	} else if err != nil {
		return failure("", err)
	}
	defer terminal.Close()
	seen := map[string]bool{}
	said := false
	for {
		app, open, err := c.questions(ctx)
		if err != nil {
			return err
		}
		for _, q := range open {
			if seen[q.ID] {
				continue
			}
			seen[q.ID] = true
			if err := c.askOne(ctx, app, terminal, q); err != nil {
				app.Close()
				if errors.Is(err, approval.ErrLeft) {
					return nil
				}
				return err
			}
		}
		app.Close()
		if !watch {
			if len(open) == 0 {
				fmt.Fprintln(c.out, "no question is open")
			}
			return nil
		}
		if !said {
			fmt.Fprintln(c.err, "waiting for questions (ctrl-c ends)")
			said = true
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (c *command) askOne(ctx context.Context, app *assembly.App, terminal approval.Asker, q approval.Question) error {
	if where := of(q); where != "" {
		fmt.Fprintln(c.err, c.style(c.err).Bold(strings.TrimSpace(where)))
	}
	a, err := terminal.Ask(ctx, q)
	if errors.Is(err, approval.ErrLeft) {
		return err
	}
	if err != nil || !a.Answered() {
		return nil // left open: the next mayi approvals finds it
	}
	a.By = app.Config.User + " with mayi approvals"
	err = app.Store.Questions().Answer(ctx, q.ID, app.Config.User, a)
	switch {
	case errors.Is(err, approval.ErrNoQuestion):
		fmt.Fprintln(c.err, "the question was answered or given up meanwhile")
		return nil
	case err != nil:
		return failure("", err)
	}
	return nil
}
