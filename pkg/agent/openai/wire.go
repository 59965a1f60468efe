package openai

import (
	"encoding/json"
	"errors"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"

	"mayi/pkg/agent/model"
)

// params translates a request.
func (m *Model) params(req model.Request) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{
		Model:         m.cfg.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	switch {
	case m.cfg.MaxTokens == 0:
	case m.cfg.BaseURL == home:
		p.MaxCompletionTokens = sdk.Int(m.cfg.MaxTokens)
	default:
		// The older name is the one that every compatible server knows.
		p.MaxTokens = sdk.Int(m.cfg.MaxTokens)
	}
	if req.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(req.System))
	}
	for _, msg := range req.Messages {
		p.Messages = append(p.Messages, messages(msg)...)
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name:        t.Name,
			Description: sdk.String(t.Description),
			Parameters:  shared.FunctionParameters(t.Parameters),
		}))
	}
	return p
}

// messages translates one message; each tool result is a message of its own
// there.
func messages(msg model.Message) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	if msg.Role == model.Assistant {
		var a sdk.ChatCompletionAssistantMessageParam
		if msg.Text != "" {
			a.Content.OfString = sdk.String(msg.Text)
		}
		for _, c := range msg.Calls {
			a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID: c.ID,
					Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
						Name: c.Name, Arguments: objectText(c.Args),
					},
				},
			})
		}
		return append(out, sdk.ChatCompletionMessageParamUnion{OfAssistant: &a})
	}
	for _, r := range msg.Results {
		text := r.Text
		if r.IsError {
			// The API has no flag for an error.
			text = "error: " + text
		}
		out = append(out, sdk.ToolMessage(text, r.CallID))
	}
	if msg.Text != "" {
		out = append(out, sdk.UserMessage(msg.Text))
	}
	return out
}

// objectText is the arguments as the server wants them back. What the model
// wrote wrongly is sent back as an empty object: servers refuse a conversation
// that holds broken JSON, and the result of the call says what was wrong.
func objectText(args string) string {
	if !json.Valid([]byte(args)) {
		return "{}"
	}
	return args
}

// streamFailure words an error that the server sent in the middle of a stream;
// nil where err is none.
func streamFailure(where string, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return model.Malformed(where, "a piece is no JSON", err)
	}
	var stream *ssestream.StreamError
	if !errors.As(err, &stream) {
		return nil
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	what := stream.Message
	if json.Unmarshal(stream.Event.Data, &body) == nil && body.Error.Message != "" {
		what = body.Error.Message
	}
	return model.Interrupted(where, what, err)
}
