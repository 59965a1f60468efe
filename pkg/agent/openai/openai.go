// Package openai talks to any server with an OpenAI-compatible chat completions
// API, through the official SDK.
package openai

import (
	"context"
	"errors"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"mayi/pkg/agent/model"
)

const (
	provider = "openai"
	home     = "https://api.openai.com/v1"
)

// Model is a model behind a chat completions API. Safe for concurrent use.
type Model struct {
	cfg   model.Config
	where string
	chat  sdk.ChatCompletionService
}

// New returns the model that cfg describes. It makes no connection. The error
// says what is missing.
func New(cfg model.Config) (*Model, error) {
	cfg, err := cfg.Check(provider, home)
	if err != nil {
		return nil, err
	}
	// The service is made directly: the SDK's client would read the environment.
	// Trying again is left to model.Retry, which tells the person.
	opts := []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL), option.WithHTTPClient(model.Client()), option.WithMaxRetries(0),
	}
	if cfg.Key != "" {
		opts = append(opts, option.WithAPIKey(cfg.Key))
	}
	return &Model{cfg: cfg, where: cfg.Where(provider), chat: sdk.NewChatCompletionService(opts...)}, nil
}

// Name implements [model.Model].
func (m *Model) Name() string { return m.cfg.Model }

// Stream implements [model.Model].
func (m *Model) Stream(ctx context.Context, req model.Request, emit func(model.Event)) (model.Reply, error) {
	var resp *http.Response
	stream := m.chat.NewStreaming(ctx, m.params(req), option.WithResponseInto(&resp))
	defer stream.Close()
	got := model.NewCollector(emit)
	if err := stream.Err(); err != nil {
		return got.Partial(), m.failure(ctx, err)
	}
	if err := model.CheckEventStream(m.where, resp); err != nil {
		return got.Partial(), err
	}

	var stop model.Stop
	var usage model.Usage
	for stream.Next() {
		chunk := stream.Current()
		// Usage comes in a chunk of its own without choices, or not at all.
		if chunk.Usage.PromptTokens > 0 || chunk.Usage.CompletionTokens > 0 {
			usage = model.Usage{Input: chunk.Usage.PromptTokens, Output: chunk.Usage.CompletionTokens}
		}
		for _, choice := range chunk.Choices {
			if choice.Index > 0 {
				continue
			}
			got.Text(choice.Delta.Content)
			got.Text(choice.Delta.Refusal)
			for _, c := range choice.Delta.ToolCalls {
				got.Call(c.Index, c.ID, c.Function.Name, c.Function.Arguments)
			}
			if choice.FinishReason != "" {
				stop = stopOf(choice.FinishReason)
			}
		}
		if err := got.Err(); err != nil {
			return got.Partial(), model.Malformed(m.where, "too much", err)
		}
	}
	if err := stream.Err(); err != nil {
		return got.Partial(), m.failure(ctx, err)
	}
	if err := ctx.Err(); err != nil {
		return got.Partial(), err
	}
	// The SDK does not tell the end marker from a closed connection, so the
	// finish reason is what says that the reply is whole.
	if stop == "" {
		return got.Partial(), model.Truncated(m.where, nil)
	}
	return got.Reply(m.where, stop, usage)
}

// failure words an error of the SDK.
func (m *Model) failure(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	var api *sdk.Error
	if errors.As(err, &api) {
		var header http.Header
		if api.Response != nil {
			header = api.Response.Header
		}
		detail := api.Message
		if detail == "" {
			detail = api.RawJSON()
		}
		f := model.FromStatus(m.where, m.cfg.Model, api.StatusCode, detail, header)
		f.Err = err
		return f
	}
	if f := streamFailure(m.where, err); f != nil {
		return f
	}
	return model.FromTransport(ctx, m.where, err)
}

// stopOf translates the API's finish reason.
func stopOf(reason string) model.Stop {
	switch reason {
	case "stop":
		return model.StopEnd
	case "tool_calls", "function_call":
		return model.StopTools
	case "length":
		return model.StopLength
	case "content_filter":
		return model.StopFilter
	}
	return model.StopOther
}
