package hook

import (
	"context"
	"fmt"
	"time"

	"mayi/internal/hook/ticket"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// ask brings the call to the person: through the agent where it asks by itself,
// else over the queue, for less time than the agent waits.
func (h *hook) ask(ctx context.Context, d *Door, c *call, v gate.Verdict) (outcome, error) {
	if c.kind == question {
		out := told(c, v) // the agent is about to ask anyway
		out.silent = true
		return out, nil
	}
	s := d.Gate.Settings()
	if h.prompts(c, s.Hooks) {
		return h.handOver(ctx, d, c, v), nil
	}
	if d.Questions == nil && d.Absent != nil {
		return outcome{}, ErrNeedsStore
	}
	if d.Questions == nil {
		d.Gate.Refuse(ctx, v)
		return refusal("a person has to decide this, and there is no state folder to keep the question in: %s", v.Reason), nil
	}
	if d.Keep != nil && v.Request.Session != "" {
		if err := d.Keep(ctx, v.Request.Session); err != nil {
			return refusal("a person has to decide this, and the question cannot be kept: %v", err), nil
		}
	}
	wait, why := h.wait(), v.Reason
	v, _, _ = d.Gate.Ask(ctx, v, approval.NewQueue(d.Questions, approval.QueueOptions{
		Wait:   wait,
		How:    "a person answers it with: mayi approvals",
		Notify: h.notify(s.Hooks.Notify),
	})) // an error leaves a verdict that does not allow
	if v.Verdict == permissions.Allow {
		return h.allowed(ctx, d, c, v), nil
	}
	d.Gate.Refuse(ctx, v)
	if v.Reason != why {
		v.Reason = why + "; " + v.Reason
	}
	v.Verdict = permissions.Deny
	return told(c, v), nil
}

// prompts reports whether the agent is to ask the person by itself.
func (h *hook) prompts(c *call, s config.HooksConfig) bool {
	if h.agent.prompts == nil || !h.agent.prompts(c) {
		return false
	}
	switch s.Asking(h.agent.name) {
	case config.AskPrompt:
		return true
	case config.AskAuto:
		return h.agent.attended == nil || h.agent.attended(c, h.alone, s)
	}
	return false
}

func (h *hook) alone() bool { return h.o.Alone != nil && h.o.Alone() }

// Wait is how long a question may wait for its answer under an agent's limit.
func Wait(limit time.Duration) time.Duration { return limit - min(limit/3, 10*time.Second) }

func (h *hook) wait() time.Duration {
	if h.o.Wait > 0 {
		return h.o.Wait
	}
	return Wait(h.agent.limit)
}

// handOver leaves the question to the agent's own prompt. What the person says
// there is not told to us, so the record says who was left to ask; where the
// command runs confined, that it ran is recorded as well.
func (h *hook) handOver(ctx context.Context, d *Door, c *call, v gate.Verdict) outcome {
	v.Answered = "left to the question that " + h.agent.name + " asks"
	out := told(c, v)
	if v.Request.Confines && h.worth(v) {
		if err := h.confine(d, c, v, &out, ticket.Ticket{Asked: true}); err != nil {
			return refusal("the command cannot be made to run confined: %v", err)
		}
	}
	if err := d.Gate.HandOver(ctx, v); err != nil {
		return refusal("the call is not run because it cannot be recorded: %v", err)
	}
	return out
}

// notify tells the person of a waiting question, where that is wanted.
func (h *hook) notify(wanted bool) func(approval.Question) {
	if !wanted || h.o.Notify == nil {
		return nil
	}
	return func(q approval.Question) {
		h.o.Notify(fmt.Sprintf("%s asks for permission", h.agent.name), approval.Clip(q.Command, 300)+"\n\nmayi approvals")
	}
}
