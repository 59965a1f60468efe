package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestAsked: what the policy leaves to the person waits in the queue, and the
// answer given there, from another process, is what happens: also in an agent with a
// question of its own, where nobody sits in front of it.
func TestAsked(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.policy(`{}`)
		w.install()
		asked := w.person("note")
		r := w.play(
			w.agent.mcp("note", "one"),
			w.agent.mcp("erase", "two"),
			w.agent.shell("mayi approvals answer 1 once; touch allowed.txt"),
		)
		questions := asked()
		const column = "question answered"
		w.check(column, strings.Contains(r[0], "probe did note one"), "answered once, and told: %q; the questions were %q", r[0], questions)
		w.check(column, w.read("probe.log") == "note one\n", "what reached the MCP server is %q: %q", w.read("probe.log"), r[1])
		w.check(column, !w.has("ws/allowed.txt"), "the agent answers for the person: %q", r[2])
	})
}

// person answers what is asked, once to what has yes in it and no to all else,
// until the returned function is called, which returns the questions.
func (w *world) person(yes string) func() []string {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan []string)
	go func() { done <- w.answer(ctx, yes) }()
	return func() []string {
		cancel()
		return <-done
	}
}

func (w *world) answer(ctx context.Context, yes string) []string {
	var asked []string
	for {
		select {
		case <-ctx.Done():
			return asked
		case <-time.After(200 * time.Millisecond):
		}
		out, err := w.command("mayi", "approvals", "list", "--json").Output()
		if err != nil {
			continue // nothing is kept yet
		}
		var open []json.RawMessage
		if err := json.Unmarshal(out, &open); err != nil {
			return append(asked, err.Error())
		}
		for _, raw := range open {
			var q struct{ ID, Tool, Command, Reason string }
			if err := json.Unmarshal(raw, &q); err != nil {
				return append(asked, err.Error())
			}
			choice := "no"
			if strings.Contains(string(raw), yes) {
				choice = "once"
			}
			said, err := w.command("mayi", "approvals", "answer", q.ID, choice).CombinedOutput()
			if err != nil {
				choice = string(said)
			}
			asked = append(asked, q.Tool+" "+q.Command+" ("+q.Reason+"): "+choice)
		}
	}
}
