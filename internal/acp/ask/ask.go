// Package ask brings mayi's own questions to the person in front of an editor
// that speaks ACP: as permission requests, whose text is mayi's alone.
package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mayi/internal/mcp/elicit"
	"mayi/pkg/approval"
)

// Option is one answer that the editor offers.
type Option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// The kinds of options.
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
)

// Editor is the editor's side.
type Editor interface {
	// There reports whether an editor can be asked.
	There() bool
	// Name is how it calls itself, "" where it does not say.
	Name() string
	// Request shows a permission request: the title, the text, and the options. It
	// returns the id of the one that was chosen, "" for none.
	Request(ctx context.Context, title, text string, options []Option) (id string, err error)
	// Note shows a text that needs no answer.
	Note(ctx context.Context, title, text string)
}

// New returns an asker that asks at the editor. Several questions wait for one
// another.
func New(e Editor) approval.Asker { return elicit.New(client{e}) }

type client struct{ e Editor }

// Elicits implements elicit.Client.
func (c client) Elicits() bool { return c.e.There() }

// Name implements elicit.Client.
func (c client) Name() string {
	if n := c.e.Name(); n != "" {
		return n
	}
	return "the editor"
}

// Tell implements elicit.Client.
func (c client) Tell(ctx context.Context, text string) { c.e.Note(ctx, "mayi", text) }

// Elicit implements elicit.Client.
func (c client) Elicit(ctx context.Context, message string, words []string) (string, elicit.Outcome, error) {
	offered := options(words)
	id, err := c.e.Request(ctx, title(message), message, offered)
	switch {
	case err != nil:
		return "", elicit.Closed, err
	case id == "":
		return "", elicit.Closed, nil
	case !slices.ContainsFunc(offered, func(o Option) bool { return o.ID == id }):
		return "", elicit.Closed, fmt.Errorf("the editor chose %q, which it was not offered", approval.Line(id))
	}
	return id, elicit.Chosen, nil
}

// ErrGone says that the editor went away before it answered.
var ErrGone = errors.New("the editor is gone")

// options are the words as an editor's options. There is always one to refuse.
func options(words []string) []Option {
	if !slices.Contains(words, "no") {
		words = append(slices.Clone(words), "no")
	}
	var out []Option
	for _, w := range words {
		o := Option{ID: w, Name: w, Kind: AllowOnce}
		switch w {
		case "once":
			o.Name = "Allow once"
		case "session":
			o.Name, o.Kind = "Allow for this session", AllowAlways
		case "always":
			o.Name, o.Kind = "Always allow, by a rule…", AllowAlways
		case "no":
			o.Name, o.Kind = "Do not allow", RejectOnce
		case "back":
			o.Name, o.Kind = "Back", RejectOnce
		case "yes":
			o.Name, o.Kind = "Write the rule and allow", AllowAlways
		case "user":
			o.Name = "Into your own settings"
		case "project":
			o.Name = "Into the project's settings"
		default:
			o.Name = "Rule " + w
		}
		out = append(out, o)
	}
	return out
}

// title is what stands above the question: what the agent wants, in mayi's words.
func title(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	head := strings.TrimSuffix(lines[0], ":")
	if len(lines) > 1 && strings.HasPrefix(lines[1], "  │ ") {
		head += ": " + strings.TrimPrefix(lines[1], "  │ ")
	}
	return "mayi: " + head
}
