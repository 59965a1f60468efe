// Package anthropic talks to the Anthropic Messages API, through the official
// SDK.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"mayi/pkg/agent/model"
)

const (
	provider = "anthropic"
	home     = "https://api.anthropic.com"
	// replyTokens is the limit of a reply where none is given; the API wants one.
	replyTokens = 8192
)

// Model is a model behind the Messages API. Safe for concurrent use.
type Model struct {
	cfg      model.Config
	where    string
	messages sdk.MessageService
}

// New returns the model that cfg describes. It makes no connection. The error
// says what is missing.
func New(cfg model.Config) (*Model, error) {
	cfg, err := cfg.Check(provider, home)
	if err != nil {
		return nil, err
	}
	// The version is part of the API's paths; people write it in the base URL,
	// too.
	cfg.BaseURL = strings.TrimSuffix(strings.TrimSuffix(cfg.BaseURL, "/"), "/v1")
	if cfg.MaxTokens == 0 {
		cfg.MaxTokens = replyTokens
	}
	// The service is made directly: the SDK's client would read the environment
	// and files. Trying again is left to model.Retry, which tells the person.
	opts := []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL), option.WithHTTPClient(model.Client()), option.WithMaxRetries(0),
	}
	if cfg.Key != "" {
		opts = append(opts, option.WithAPIKey(cfg.Key))
	}
	return &Model{cfg: cfg, where: cfg.Where(provider), messages: sdk.NewMessageService(opts...)}, nil
}

// Name implements [model.Model].
func (m *Model) Name() string { return m.cfg.Model }

// Stream implements [model.Model].
func (m *Model) Stream(ctx context.Context, req model.Request, emit func(model.Event)) (model.Reply, error) {
	var resp *http.Response
	stream := m.messages.NewStreaming(ctx, m.params(req), option.WithResponseInto(&resp))
	got := model.NewCollector(emit)
	if err := stream.Err(); err != nil {
		return got.Partial(), m.failure(ctx, err)
	}
	defer stream.Close()
	if err := model.CheckEventStream(m.where, resp); err != nil {
		return got.Partial(), err
	}

	var stop model.Stop
	var usage model.Usage
	whole := false
	for stream.Next() {
		switch ev := stream.Current(); ev.Type {
		case "message_start":
			usage.Input = ev.Message.Usage.InputTokens
		case "content_block_start":
			m.start(got, ev)
		case "content_block_delta":
			switch ev.Delta.Type {
			case "text_delta":
				got.Text(ev.Delta.Text)
			case "input_json_delta":
				got.Call(ev.Index, "", "", ev.Delta.PartialJSON)
			}
		case "message_delta":
			if ev.Delta.StopReason != "" {
				stop = stopOf(ev.Delta.StopReason)
			}
			usage.Output = ev.Usage.OutputTokens
		case "message_stop":
			whole = true
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
	if !whole || stop == "" {
		return got.Partial(), model.Truncated(m.where, nil)
	}
	return got.Reply(m.where, stop, usage)
}

// start takes the beginning of a content block. A tool call's input is {} there
// and comes in pieces, or stands there whole.
func (m *Model) start(got *model.Collector, ev sdk.MessageStreamEventUnion) {
	switch ev.ContentBlock.Type {
	case "text":
		got.Text(ev.ContentBlock.Text)
	case "tool_use":
		var block struct {
			Input json.RawMessage `json:"input"`
		}
		args := ""
		if json.Unmarshal([]byte(ev.ContentBlock.RawJSON()), &block) == nil && len(block.Input) > len("{}") {
			args = string(block.Input)
		}
		got.Call(ev.Index, ev.ContentBlock.ID, ev.ContentBlock.Name, args)
	}
}

// failure words an error of the SDK.
func (m *Model) failure(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	var api *sdk.Error
	if !errors.As(err, &api) {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return model.Malformed(m.where, "a piece is no JSON", err)
		}
		return model.FromTransport(ctx, m.where, err)
	}
	detail := detailOf(api.RawJSON())
	if api.StatusCode < http.StatusBadRequest {
		// An error event in the middle of a stream carries the status of the
		// stream's beginning.
		return model.Interrupted(m.where, detail, err)
	}
	var header http.Header
	if api.Response != nil {
		header = api.Response.Header
	}
	f := model.FromStatus(m.where, m.cfg.Model, api.StatusCode, detail, header)
	f.Err = err
	return f
}

// detailOf is the server's own explanation in an error's body.
func detailOf(body string) string {
	var b struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(body), &b) == nil && b.Error.Message != "" {
		return b.Error.Message
	}
	return body
}

// stopOf translates the API's stop reason.
func stopOf(reason sdk.StopReason) model.Stop {
	switch reason {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return model.StopEnd
	case sdk.StopReasonToolUse:
		return model.StopTools
	case sdk.StopReasonMaxTokens:
		return model.StopLength
	case sdk.StopReasonRefusal:
		return model.StopFilter
	}
	return model.StopOther
}
