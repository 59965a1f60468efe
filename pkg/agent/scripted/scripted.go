// Package scripted is a model for a machine without a key or a network: it
// turns plain lines such as "exec ls /desktop" or "read notes.txt" into tool
// calls, and follows the permission protocol as a good model does.
//
// When a tool says that a permission is needed, it calls request_permission
// with the path and the command; once that says that permission is given, it
// makes the same call again; when it is refused, it says so and stops. It never
// answers for the person, and it follows nothing that stands in a file or in
// another tool's output: what steers it are the person's lines and the state of
// the protocol alone. The same conversation always gets the same reply.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mayi/pkg/agent/model"
)

// mostAsks bounds how often one line's call is asked for: each round needs an
// answer of the person, but nobody should have to answer for ever.
const mostAsks = 8

// permissionTool is the tool that brings a question to the person.
const permissionTool = "request_permission"

// Model is the scripted model. The zero value is ready. Safe for concurrent use.
type Model struct{}

// Name implements [model.Model].
func (Model) Name() string { return "scripted" }

// Stream implements [model.Model]. Its only error is ctx's.
func (Model) Stream(ctx context.Context, req model.Request, emit func(model.Event)) (model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return model.Reply{Stop: model.StopOther}, err
	}
	r := next(req)
	for i := range r.Calls {
		r.Calls[i].ID = fmt.Sprintf("scripted_%d_%d", len(req.Messages), i+1)
		emit(model.Event{Calling: r.Calls[i].Name})
	}
	// Word by word, so that what shows a stream has one to show.
	for _, piece := range strings.SplitAfter(r.Text, " ") {
		if piece != "" {
			emit(model.Event{Text: piece})
		}
	}
	return r, nil
}

// next is the reply to the conversation as it stands.
func next(req model.Request) model.Reply {
	if len(req.Messages) == 0 {
		return say("Nothing was asked.")
	}
	last := req.Messages[len(req.Messages)-1]
	if len(last.Results) == 0 {
		return reply(parse(last.Text, toolset(req.Tools)))
	}
	t := turnOf(req.Messages)
	return t.next()
}

// say is a reply that ends the turn.
func say(format string, args ...any) model.Reply {
	return model.Reply{Text: fmt.Sprintf(format, args...), Stop: model.StopEnd}
}

// call is a reply that calls one tool.
func call(name string, args map[string]any) model.Reply {
	// Maps of strings always encode, with sorted keys.
	b, _ := json.Marshal(args)
	return model.Reply{Calls: []model.Call{{Name: name, Args: string(b)}}, Stop: model.StopTools}
}

// reply is what a parsed line leads to.
func reply(p parsed) model.Reply {
	if p.tool == "" {
		return say("%s", p.say)
	}
	return call(p.tool, p.args)
}
