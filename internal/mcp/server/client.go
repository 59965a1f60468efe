package server

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/mcp/elicit"
)

// client asks through the SDK's session.
type client struct{ ss *mcp.ServerSession }

// Elicits implements elicit.Client.
func (c client) Elicits() bool {
	p := c.ss.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil
}

// Name implements elicit.Client.
func (c client) Name() string {
	if p := c.ss.InitializeParams(); p != nil && p.ClientInfo != nil {
		return p.ClientInfo.Name
	}
	return ""
}

// Elicit implements elicit.Client.
func (c client) Elicit(ctx context.Context, message string, words []string) (string, elicit.Outcome, error) {
	res, err := c.ss.Elicit(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: elicit.Schema(words)})
	if err != nil {
		if strings.Contains(err.Error(), "does not match requested schema") {
			return "", elicit.Chosen, nil // a word that is none of the choices
		}
		return "", elicit.Closed, err
	}
	word, outcome := elicit.Answer(res.Action, res.Content)
	return word, outcome, nil
}

// Tell implements elicit.Client.
func (c client) Tell(ctx context.Context, text string) {
	//lint:ignore SA1019 the versions of the protocol that are spoken here have it
	_ = c.ss.Log(ctx, &mcp.LoggingMessageParams{Level: "notice", Logger: "mayi", Data: text})
}
