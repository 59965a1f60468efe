package agent

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"mayi/pkg/agent/model"
)

// valid fails where a tool call of the history lacks its result or a result its
// call: providers refuse such a conversation for good.
func valid(t *testing.T, history []model.Message) {
	t.Helper()
	for i, m := range history {
		if m.Role == model.User && m.Text == "" && len(m.Results) == 0 || m.Role == model.Assistant && m.Text == "" && len(m.Calls) == 0 {
			t.Errorf("message %d is empty", i)
		}
		if len(m.Calls) > 0 {
			if i+1 >= len(history) || len(history[i+1].Results) != len(m.Calls) {
				t.Fatalf("message %d: calls without their results: %+v", i, history)
			}
			for j, c := range m.Calls {
				if history[i+1].Results[j].CallID != c.ID {
					t.Errorf("message %d: result %d is that of %q, want %q", i, j, history[i+1].Results[j].CallID, c.ID)
				}
			}
		}
		if len(m.Results) > 0 && (i == 0 || len(history[i-1].Calls) == 0) {
			t.Errorf("message %d: results without calls", i)
		}
	}
}

func TestTurn(t *testing.T) {
	m := &fakeModel{replies: []scriptedReply{calls("one", "two"), calls("three"), says("done")}}
	tools, rec := &fakeTools{}, &recorder{}
	c := NewConversation(ConversationOptions{Model: m, Tools: tools, Renderer: rec, System: "sys"})
	if err := c.Turn(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if got := tools.log(); !reflect.DeepEqual(got, []string{"one", "two", "three"}) {
		t.Errorf("ran %v", got)
	}
	h := c.History()
	valid(t, h)
	if len(h) != 6 || h[2].Results[1].Text != "did two" || h[5].Text != "done" {
		t.Errorf("history %+v", h)
	}
	if last := m.requests[2]; last.System != "sys" || len(last.Messages) != 5 || len(last.Tools) != 1 {
		t.Errorf("request %+v", last)
	}
	if len(rec.of(Calling)) != 3 || len(rec.of(Returned)) != 3 || len(rec.of(TurnEnded)) != 1 {
		t.Errorf("events %+v", rec.events)
	}
}

func TestBadArgumentsNeverRun(t *testing.T) {
	for _, args := range []string{`{"command":`, `[]`, `null`, `{} trailing`} {
		m := &fakeModel{replies: []scriptedReply{{reply: model.Reply{Calls: []model.Call{
			{ID: "a", Name: "exec", Args: args}, {ID: "b", Name: "good", Args: `{}`},
		}, Stop: model.StopTools}}}}
		tools := &fakeTools{}
		c := NewConversation(ConversationOptions{Model: m, Tools: tools})
		if err := c.Turn(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		if got := tools.log(); !reflect.DeepEqual(got, []string{"good"}) {
			t.Errorf("%s: ran %v", args, got)
		}
		r := c.History()[2].Results
		if !r[0].IsError || !strings.Contains(r[0].Text, "not run") || r[1].IsError {
			t.Errorf("%s: results %+v", args, r)
		}
	}
}

func TestModelFailure(t *testing.T) {
	boom := errors.New("boom")
	half := scriptedReply{reply: model.Reply{Text: "I was say"}, err: boom}
	m := &fakeModel{replies: []scriptedReply{{err: boom}, half, calls("one"), {err: boom}}}
	rec := &recorder{}
	c := NewConversation(ConversationOptions{Model: m, Tools: &fakeTools{}, Renderer: rec})
	if err := c.Turn(t.Context(), "first"); !errors.Is(err, boom) || len(c.History()) != 0 {
		t.Errorf("error %v, history %+v: a line without an answer is taken back", err, c.History())
	}
	if err := c.Turn(t.Context(), "second"); !errors.Is(err, boom) || len(c.History()) != 2 {
		t.Errorf("error %v, history %+v: half an answer is kept", err, c.History())
	}
	if err := c.Turn(t.Context(), "third"); !errors.Is(err, boom) || len(c.History()) != 5 {
		t.Errorf("error %v, history %+v: what was done is kept", err, c.History())
	}
	valid(t, c.History())
	if ends := rec.of(TurnEnded); len(ends) != 3 || ends[0].Err == nil {
		t.Errorf("ends %+v", ends)
	}
}

func TestStepBound(t *testing.T) {
	m := &fakeModel{}
	for range 10 {
		m.replies = append(m.replies, calls("again"))
	}
	tools := &fakeTools{}
	c := NewConversation(ConversationOptions{Model: m, Tools: tools, MaxSteps: 4})
	err := c.Turn(t.Context(), "go")
	if err == nil || !strings.Contains(err.Error(), "4 steps") || len(tools.log()) != 4 {
		t.Errorf("error %v after %d calls", err, len(tools.log()))
	}
	valid(t, c.History())
}

func TestInterruptedTool(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	m := &fakeModel{replies: []scriptedReply{calls("slow", "never")}}
	tools := &fakeTools{run: map[string]func(context.Context, map[string]any) Result{
		"slow": func(ctx context.Context, _ map[string]any) Result {
			cancel(ErrInterrupted)
			<-ctx.Done()
			return Result{ForLLM: "half", IsError: true}
		},
	}}
	c := NewConversation(ConversationOptions{Model: m, Tools: tools})
	if err := c.Turn(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	h := c.History()
	valid(t, h)
	if got := tools.log(); !reflect.DeepEqual(got, []string{"slow"}) {
		t.Errorf("ran %v", got)
	}
	if r := h[2].Results; !strings.Contains(r[0].Text, "interrupted") || r[1].Text != notRun {
		t.Errorf("results %+v", r)
	}
	if err := c.Turn(t.Context(), "and now"); err != nil {
		t.Fatal(err)
	}
	valid(t, c.History())
}

func TestInterruptedModel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := &fakeModel{replies: []scriptedReply{{reply: model.Reply{Text: "once upon"}, wait: true}}}
	rec := &recorder{seen: make(chan Event, 100)}
	c := NewConversation(ConversationOptions{Model: m, Renderer: rec})
	go func() {
		for ev := range rec.seen {
			if ev.Kind == Text {
				cancel()
			}
		}
	}()
	if err := c.Turn(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	close(rec.seen)
	valid(t, c.History())
	if h := c.History(); len(h) != 2 || !strings.Contains(h[1].Text, "broken off") {
		t.Errorf("history %+v", h)
	}
}

func TestNoticesOfReplies(t *testing.T) {
	for want, r := range map[string]model.Reply{
		"length":   {Text: "x", Stop: model.StopLength},
		"filtered": {Text: "x", Stop: model.StopFilter},
		"nothing":  {Stop: model.StopEnd},
	} {
		rec := &recorder{}
		c := NewConversation(ConversationOptions{Model: &fakeModel{replies: []scriptedReply{{reply: r}}}, Renderer: rec})
		if err := c.Turn(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		if n := rec.of(Notice); len(n) != 1 || !strings.Contains(n[0].Text, want) {
			t.Errorf("%s: %+v", want, n)
		}
		valid(t, c.History())
	}
}
