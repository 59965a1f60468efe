// Package agent runs an agent: it takes a person's lines to a language model,
// the model's tool calls to the tools (behind the gate), and what they come to
// back to the model and to the person.
//
// Two channels are kept apart by construction. The person's lines come from the
// input alone and are offered to open questions first ([Chat]); nothing that a
// model says or a tool returns can take that way, so neither can ever answer a
// question.
package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"mayi/pkg/agent/model"
)

// maxSteps is the default bound on the model turns of one line.
const maxSteps = 50

// notRun is the result of a call that an interrupt kept from running.
const notRun = "not run: the person interrupted"

// Toolbox is what the model can call.
type Toolbox interface {
	// Definitions describes the tools, in a stable order.
	Definitions() []model.Tool
	// Execute runs one call. It reports every failure in the result and
	// returns soon after ctx ends.
	Execute(ctx context.Context, name string, args map[string]any) Result
}

// Result is what a tool call came to.
type Result struct {
	// ForLLM goes to the model, ForUser to the person; "" shows ForLLM to the
	// person, shortened.
	ForLLM, ForUser string
	IsError         bool
}

// ConversationOptions are the parts of a conversation.
type ConversationOptions struct {
	Model    model.Model
	Tools    Toolbox
	Renderer Renderer
	// System is the standing instruction for the model.
	System string
	// MaxSteps bounds the model turns of one line; 0 is 50.
	MaxSteps int
}

// Conversation is a running conversation with one model. One turn runs at a
// time; its methods are safe for concurrent use.
type Conversation struct {
	opts ConversationOptions

	mu      sync.Mutex
	history []model.Message
}

// NewConversation returns an empty conversation.
func NewConversation(opts ConversationOptions) *Conversation {
	if opts.MaxSteps <= 0 {
		opts.MaxSteps = maxSteps
	}
	if opts.Renderer == nil {
		opts.Renderer = discard{}
	}
	return &Conversation{opts: opts}
}

// History returns a copy of the messages so far. It is valid at any time
// between turns: every tool call has its result.
func (c *Conversation) History() []model.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.history)
}

// Turn takes one line of the person to the model and runs what it calls, until
// it calls nothing more. When ctx ends, the model and the running tool are
// stopped and the error is ctx's; the conversation can go on.
func (c *Conversation) Turn(ctx context.Context, line string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history = append(c.history, model.Message{Role: model.User, Text: line})
	err := c.run(ctx)
	if last := len(c.history) - 1; err != nil && c.history[last].Role == model.User && len(c.history[last].Results) == 0 {
		// The model never answered this line: it would stand there as if it had
		// been ignored, and twice once the person tries again.
		c.history = c.history[:last]
	}
	c.opts.Renderer.Render(Event{Kind: TurnEnded, Err: err})
	return err
}

// run takes the steps of a turn.
func (c *Conversation) run(ctx context.Context) error {
	for step := 0; step < c.opts.MaxSteps; step++ {
		reply, err := c.opts.Model.Stream(ctx, c.request(), c.emit)
		if err != nil {
			if reply.Text != "" {
				c.history = append(c.history, model.Message{Role: model.Assistant, Text: reply.Text + "\n[broken off]"})
			}
			return err
		}
		c.notice(reply)
		if reply.Text == "" && len(reply.Calls) == 0 {
			// Providers refuse an empty message.
			reply.Text = "(no answer)"
		}
		c.history = append(c.history, model.Message{Role: model.Assistant, Text: reply.Text, Calls: reply.Calls})
		if len(reply.Calls) == 0 {
			return nil
		}
		if err := c.execute(ctx, reply.Calls); err != nil {
			return err
		}
	}
	return fmt.Errorf("stopped after %d steps without an end; say how to go on", c.opts.MaxSteps)
}

// request is what the model is asked with next.
func (c *Conversation) request() model.Request {
	req := model.Request{System: c.opts.System, Messages: slices.Clone(c.history)}
	if c.opts.Tools != nil {
		req.Tools = c.opts.Tools.Definitions()
	}
	return req
}

// notice tells the person of a reply that ended in an unusual way.
func (c *Conversation) notice(r model.Reply) {
	switch {
	case r.Stop == model.StopLength:
		c.opts.Renderer.Render(Event{Kind: Notice, Text: "the reply was cut at the limit of its length"})
	case r.Stop == model.StopFilter:
		c.opts.Renderer.Render(Event{Kind: Notice, Text: "the provider refused or filtered the reply"})
	case r.Text == "" && len(r.Calls) == 0:
		c.opts.Renderer.Render(Event{Kind: Notice, Text: "the model answered nothing"})
	}
}

// execute runs the calls in order and puts their results into the history, one
// for each call whatever happens.
func (c *Conversation) execute(ctx context.Context, calls []model.Call) error {
	results := make([]model.Result, 0, len(calls))
	for _, call := range calls {
		r := Result{ForLLM: notRun, IsError: true}
		if ctx.Err() == nil {
			r = c.call(ctx, call)
		}
		results = append(results, model.Result{CallID: call.ID, Text: r.ForLLM, IsError: r.IsError})
	}
	c.history = append(c.history, model.Message{Role: model.User, Results: results})
	return ctx.Err()
}

// call runs one call and shows it.
func (c *Conversation) call(ctx context.Context, call model.Call) Result {
	args, err := call.Input()
	c.opts.Renderer.Render(Event{Kind: Calling, Tool: call.Name, Args: args, Text: call.Args})
	var r Result
	switch {
	case err != nil:
		r = Result{ForLLM: fmt.Sprintf("not run: %s; send the call again", err), IsError: true}
	case c.opts.Tools == nil:
		r = Result{ForLLM: "not run: there are no tools", IsError: true}
	default:
		r = c.opts.Tools.Execute(ctx, call.Name, args)
	}
	c.opts.Renderer.Render(Event{Kind: Returned, Tool: call.Name, Args: args, Result: r})
	if ctx.Err() != nil {
		r.ForLLM += "\n[the person interrupted here]"
	}
	return r
}

// emit passes what a model streams on to the person.
func (c *Conversation) emit(ev model.Event) {
	switch {
	case ev.Text != "":
		c.opts.Renderer.Render(Event{Kind: Text, Text: ev.Text})
	case ev.Notice != "":
		c.opts.Renderer.Render(Event{Kind: Notice, Text: ev.Notice})
	}
}
