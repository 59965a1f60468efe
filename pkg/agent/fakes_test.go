package agent

import (
	"context"
	"sync"

	"mayi/pkg/agent/model"
)

// scriptedReply is what a fake model answers one request with.
type scriptedReply struct {
	reply model.Reply
	err   error
	// wait holds the reply back until the turn is stopped.
	wait bool
}

// fakeModel answers its replies in order and keeps the requests.
type fakeModel struct {
	mu       sync.Mutex
	replies  []scriptedReply
	requests []model.Request
}

func (*fakeModel) Name() string { return "fake" }

func (f *fakeModel) Stream(ctx context.Context, req model.Request, emit func(model.Event)) (model.Reply, error) {
	f.mu.Lock()
	f.requests = append(f.requests, req)
	r := scriptedReply{reply: model.Reply{Text: "ok", Stop: model.StopEnd}}
	if len(f.replies) > 0 {
		r, f.replies = f.replies[0], f.replies[1:]
	}
	f.mu.Unlock()
	if r.reply.Text != "" {
		emit(model.Event{Text: r.reply.Text})
	}
	if r.wait {
		<-ctx.Done()
		return model.Reply{Text: r.reply.Text}, ctx.Err()
	}
	return r.reply, r.err
}

func calls(names ...string) scriptedReply {
	r := model.Reply{Stop: model.StopTools}
	for i, n := range names {
		r.Calls = append(r.Calls, model.Call{ID: string(rune('a' + i)), Name: n, Args: `{"n":"` + n + `"}`})
	}
	return scriptedReply{reply: r}
}

func says(text string) scriptedReply {
	return scriptedReply{reply: model.Reply{Text: text, Stop: model.StopEnd}}
}

// fakeTools runs functions.
type fakeTools struct {
	mu  sync.Mutex
	ran []string
	run map[string]func(ctx context.Context, args map[string]any) Result
}

func (f *fakeTools) Definitions() []model.Tool {
	return []model.Tool{{Name: "t", Parameters: map[string]any{"type": "object"}}}
}

func (f *fakeTools) Execute(ctx context.Context, name string, args map[string]any) Result {
	f.mu.Lock()
	f.ran = append(f.ran, name)
	f.mu.Unlock()
	if fn := f.run[name]; fn != nil {
		return fn(ctx, args)
	}
	return Result{ForLLM: "did " + name}
}

func (f *fakeTools) log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.ran...)
}

// recorder keeps events.
type recorder struct {
	mu     sync.Mutex
	events []Event
	// seen is told each event; may be nil.
	seen chan Event
}

func (r *recorder) Render(ev Event) {
	r.mu.Lock()
	r.events = append(r.events, ev)
	r.mu.Unlock()
	if r.seen != nil {
		r.seen <- ev
	}
}

func (r *recorder) of(k Kind) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Event
	for _, e := range r.events {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}
