package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestAsked: what the policy leaves to the person waits in the queue, and the
// answer given there, from another process, is what happens.
func TestAsked(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.policy(`{}`)
		w.install()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan []string)
		go func() { done <- w.person(ctx) }()
		r := w.play(
			w.agent.mcp("note", "one"),
			w.agent.mcp("erase", "two"),
			w.agent.shell("mayi approvals answer 1 once; touch allowed.txt"),
		)
		cancel()
		asked := <-done
		const column = "question answered"
		w.check(column, strings.Contains(r[0], "probe did note one"), "answered once, and told: %q; the questions were %q", r[0], asked)
		w.check(column, w.read("probe.log") == "note one\n", "what reached the MCP server is %q: %q", w.read("probe.log"), r[1])
		w.check(column, !w.has("ws/allowed.txt"), "the agent answers for the person: %q", r[2])
	})
}

// person answers what is asked: yes to a note, no to all else. It returns the
// questions that it saw.
func (w *world) person(ctx context.Context) []string {
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
		var open []struct {
			ID      string `json:"id"`
			Command string `json:"command"`
			Tool    string `json:"tool"`
		}
		if err := json.Unmarshal(out, &open); err != nil {
			return append(asked, err.Error())
		}
		for _, q := range open {
			choice := "no"
			if strings.Contains(q.Tool+q.Command, "note") {
				choice = "once"
			}
			said, err := w.command("mayi", "approvals", "answer", q.ID, choice).CombinedOutput()
			if err != nil {
				choice = string(said)
			}
			asked = append(asked, q.Tool+" "+q.Command+": "+choice)
		}
	}
}
