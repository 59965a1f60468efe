package anthropic

import (
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"mayi/pkg/agent/model"
)

// params translates a request.
func (m *Model) params(req model.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: sdk.Model(m.cfg.Model), MaxTokens: m.cfg.MaxTokens}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	for _, msg := range req.Messages {
		if blocks := blocks(msg); len(blocks) > 0 {
			p.Messages = append(p.Messages, sdk.MessageParam{Role: sdk.MessageParamRole(msg.Role), Content: blocks})
		}
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name:        t.Name,
			Description: sdk.String(t.Description),
			InputSchema: schema(t.Parameters),
		}})
	}
	return p
}

// blocks translates one message. Results come first: the API wants them right
// after the calls.
func blocks(msg model.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, r := range msg.Results {
		if r.Text == "" {
			// An empty text block is refused.
			r.Text = "(no output)"
		}
		out = append(out, sdk.NewToolResultBlock(r.CallID, r.Text, r.IsError))
	}
	if msg.Text != "" {
		out = append(out, sdk.NewTextBlock(msg.Text))
	}
	for _, c := range msg.Calls {
		out = append(out, sdk.NewToolUseBlock(c.ID, object(c), c.Name))
	}
	return out
}

// object is a call's input as the API wants it back. What the model wrote
// wrongly is sent back as an empty object; the result says what was wrong.
func object(c model.Call) json.RawMessage {
	if _, err := c.Input(); err != nil || c.Args == "" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(c.Args)
}

// schema translates a JSON Schema of an object.
func schema(parameters map[string]any) sdk.ToolInputSchemaParam {
	s := sdk.ToolInputSchemaParam{ExtraFields: map[string]any{}}
	for k, v := range parameters {
		switch k {
		case "type":
		case "properties":
			s.Properties = v
		default:
			s.ExtraFields[k] = v
		}
	}
	return s
}
