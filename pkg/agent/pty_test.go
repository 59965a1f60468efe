//go:build unix

package agent

import (
	"context"
	"io"
	"testing"

	"github.com/creack/pty"

	"mayi/pkg/approval"
)

// TestHalfTypedBefore holds that a line that was begun before a question and
// ended after it does not answer it, at a real terminal.
func TestHalfTypedBefore(t *testing.T) {
	for _, discards := range []bool{true, false} {
		master, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer master.Close()
		defer tty.Close()
		go io.Copy(io.Discard, master)

		rec := &recorder{seen: make(chan Event, 1000)}
		chat := approval.NewChat(Show(rec))
		discard := func() error { return approval.DiscardInput(tty) }
		if !discards {
			discard = nil
		}
		asker := newPerson(chat, discard)
		ready, answers := make(chan struct{}), make(chan approval.Answer, 1)
		tools := &fakeTools{run: map[string]func(context.Context, map[string]any) Result{
			"ask": func(ctx context.Context, _ map[string]any) Result {
				<-ready
				a, _ := asker.Ask(ctx, approval.Question{Command: "ls /desktop", Tool: "bash", Session: "s"})
				answers <- a
				return Result{ForLLM: string(a.Choice)}
			},
		}}
		c := &Chat{
			Conversation: NewConversation(ConversationOptions{Model: &fakeModel{replies: []scriptedReply{calls("ask")}}, Tools: tools, Renderer: rec}),
			Renderer:     rec, Take: chat.Offer,
		}
		s := &session{t: t, rec: rec, done: make(chan error, 1)}
		ctx, cancel := context.WithTimeout(t.Context(), guard)
		defer cancel()
		go func() { s.done <- c.Run(ctx, tty, nil) }()
		typed := func(text string) {
			if _, err := io.WriteString(master, text); err != nil {
				t.Fatal(err)
			}
		}
		typed("go\n")
		s.await(Calling, "ask")
		typed("on")
		close(ready)
		s.await(Question, "once")
		typed("ce\n")
		if discards {
			s.await(Question, "no answer")
			typed("no\n")
		}
		want := approval.No
		if !discards {
			// The test of the test: without it the line answers.
			want = approval.Once
		}
		if a := <-answers; a.Choice != want {
			t.Errorf("discarding %v: answer %+v, want %s", discards, a, want)
		}
		cancel()
		<-s.done
		tty.Close()
	}
}
