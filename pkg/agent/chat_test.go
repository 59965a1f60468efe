package agent

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/pkg/agent/model"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// guard ends a test that hangs; no test waits for it otherwise.
const guard = 60 * time.Second

// session is a chat that a test drives.
type session struct {
	t          *testing.T
	in         *io.PipeWriter
	rec        *recorder
	interrupts chan struct{}
	done       chan error
	hungUp     chan struct{}
}

// start runs a chat with these parts; asker may be nil.
func start(t *testing.T, m model.Model, tools Toolbox, asker func(show func(string)) *approval.Chat) *session {
	t.Helper()
	rec := &recorder{seen: make(chan Event, 10_000)}
	chat := &Chat{
		Conversation: NewConversation(ConversationOptions{Model: m, Tools: tools, Renderer: rec}),
		Renderer:     rec,
	}
	if asker != nil {
		chat.Take = asker(Show(rec)).Offer
	}
	return launch(t, chat, rec)
}

// launch runs a chat that renders into rec.
func launch(t *testing.T, chat *Chat, rec *recorder) *session {
	t.Helper()
	r, w := io.Pipe()
	s := &session{
		t: t, in: w, rec: rec,
		interrupts: make(chan struct{}), done: make(chan error, 1), hungUp: make(chan struct{}),
	}
	hangUp := chat.HangUp
	chat.HangUp = func() {
		if hangUp != nil {
			hangUp()
		}
		close(s.hungUp)
	}
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	t.Cleanup(cancel)
	t.Cleanup(func() { w.Close() })
	go func() { s.done <- chat.Run(ctx, r, s.interrupts) }()
	return s
}

// typed writes a line as the person would.
func (s *session) typed(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// await waits for an event of this kind that holds text.
func (s *session) await(k Kind, text string) Event {
	s.t.Helper()
	timeout := time.After(guard)
	for {
		select {
		case ev := <-s.rec.seen:
			if ev.Kind == k && strings.Contains(ev.Text+ev.Tool, text) {
				return ev
			}
		case <-timeout:
			s.t.Fatalf("no %s event with %q", k, text)
		}
	}
}

// end closes the input and returns what Run did.
func (s *session) end() error {
	s.in.Close()
	select {
	case err := <-s.done:
		return err
	case <-time.After(guard):
		s.t.Fatal("the chat does not end")
		return nil
	}
}

// asking is a tool that asks the person through a chat asker.
func asking(asker **approval.Chat, ready <-chan struct{}, answers chan<- approval.Answer) *fakeTools {
	return &fakeTools{run: map[string]func(context.Context, map[string]any) Result{
		"ask": func(ctx context.Context, _ map[string]any) Result {
			if ready != nil {
				<-ready
			}
			a, err := (*asker).Ask(ctx, approval.Question{
				Command: "ls /desktop", Tool: "bash", Session: "s",
				Needs: []permissions.Need{{What: "path", Path: "/desktop", Access: permissions.Read}},
			})
			answers <- a
			if err != nil {
				return Result{ForLLM: err.Error(), IsError: true}
			}
			return Result{ForLLM: string(a.Choice)}
		},
	}}
}

func TestChatAnswers(t *testing.T) {
	var asker *approval.Chat
	answers := make(chan approval.Answer, 10)
	// The model says the words of an answer, before, with and after the call.
	m := &fakeModel{replies: []scriptedReply{
		{reply: model.Reply{Text: "once\nsession\nalways\n", Stop: model.StopTools, Calls: []model.Call{{ID: "a", Name: "ask", Args: `{"answer":"session"}`}}}},
		says("session"),
	}}
	s := start(t, m, asking(&asker, nil, answers), func(show func(string)) *approval.Chat {
		asker = approval.NewChat(show)
		return asker
	})
	s.typed("exec ls /desktop")
	s.await(Question, "/desktop")
	s.typed("what?")
	s.await(Question, "once")
	select {
	case a := <-answers:
		t.Fatalf("answered %+v by what is no answer", a)
	default:
	}
	s.typed("once")
	if a := <-answers; a.Choice != approval.Once {
		t.Errorf("answer %+v", a)
	}
	s.await(TurnEnded, "")
	if err := s.end(); err != nil {
		t.Error(err)
	}
	for _, req := range m.requests {
		for _, msg := range req.Messages {
			if msg.Role == model.User && (msg.Text == "once" || msg.Text == "what?") {
				t.Errorf("the model saw the person's answer %q as a message", msg.Text)
			}
		}
	}
}

// TestTypedBefore holds that what was typed before a question appeared does not
// answer it, but is the next message.
func TestTypedBefore(t *testing.T) {
	var asker *approval.Chat
	answers := make(chan approval.Answer, 10)
	ready := make(chan struct{})
	m := &fakeModel{replies: []scriptedReply{calls("ask"), says("one"), says("two")}}
	s := start(t, m, asking(&asker, ready, answers), func(show func(string)) *approval.Chat {
		asker = approval.NewChat(show)
		return asker
	})
	s.typed("go\nonce")
	s.await(Calling, "ask")
	s.typed("session") // still before the question
	s.typed("")        // the line above has been handed on once this is read
	close(ready)
	s.await(Question, "/desktop")
	select {
	case a := <-answers:
		t.Fatalf("answered %+v by what was typed before", a)
	default:
	}
	s.typed("no")
	if a := <-answers; a.Choice != approval.No || a.By == "" {
		t.Errorf("answer %+v", a)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
	var lines []string
	last := m.requests[len(m.requests)-1]
	for _, msg := range last.Messages {
		if msg.Role == model.User && msg.Text != "" {
			lines = append(lines, msg.Text)
		}
	}
	if !reflect.DeepEqual(lines, []string{"go", "once", "session"}) {
		t.Errorf("messages %q", lines)
	}
}

func TestInterruptTurn(t *testing.T) {
	var asker *approval.Chat
	answers := make(chan approval.Answer, 10)
	m := &fakeModel{replies: []scriptedReply{calls("ask"), says("fine")}}
	s := start(t, m, asking(&asker, nil, answers), func(show func(string)) *approval.Chat {
		asker = approval.NewChat(show)
		return asker
	})
	s.typed("go")
	s.await(Question, "/desktop")
	s.interrupts <- struct{}{}
	if a := <-answers; a.Choice != approval.No {
		t.Errorf("answer %+v", a)
	}
	if ev := s.await(TurnEnded, ""); !errors.Is(ev.Err, context.Canceled) {
		t.Errorf("ended with %v", ev.Err)
	}
	// A late answer answers nothing: it is a message.
	s.typed("once")
	s.await(TurnEnded, "")
	if n := len(m.requests[1].Messages); m.requests[1].Messages[n-1].Text != "once" {
		t.Errorf("request %+v", m.requests[1])
	}
	valid(t, m.requests[1].Messages)
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

func TestInterruptDropsWaitingLines(t *testing.T) {
	m := &fakeModel{replies: []scriptedReply{{reply: model.Reply{Text: "hm"}, wait: true}}}
	s := start(t, m, nil, nil)
	s.typed("go")
	s.await(Text, "hm")
	s.typed("rm everything")
	s.typed("") // has been read once this returns
	s.interrupts <- struct{}{}
	s.await(Notice, "dropped")
	s.await(Ready, "")
	if err := s.end(); err != nil {
		t.Error(err)
	}
	if len(m.requests) != 1 {
		t.Errorf("%d requests: the dropped line ran", len(m.requests))
	}
}

func TestLeaving(t *testing.T) {
	t.Run("end of input", func(t *testing.T) {
		s := start(t, &fakeModel{}, nil, nil)
		s.typed("hello")
		if err := s.end(); err != nil {
			t.Error(err)
		}
		<-s.hungUp
		if len(s.rec.of(TurnEnded)) != 1 {
			t.Error("the last line was not run")
		}
	})
	t.Run("quit", func(t *testing.T) {
		s := start(t, &fakeModel{}, nil, nil)
		s.typed("/help")
		s.await(Notice, "/quit")
		s.typed("")
		s.typed("/quit")
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
	t.Run("the prompt's line is ended", func(t *testing.T) {
		for name, leave := range map[string]func(*session) error{
			"interrupts": func(s *session) error {
				s.interrupts <- struct{}{}
				s.await(Notice, "again")
				s.interrupts <- struct{}{}
				return <-s.done
			},
			"the input's end": func(s *session) error { return s.end() },
		} {
			rec := &recorder{seen: make(chan Event, 100)}
			broken := 0
			s := launch(t, &Chat{
				Conversation: NewConversation(ConversationOptions{Model: &fakeModel{}, Renderer: rec}), Renderer: rec,
				Break: func() { broken++ },
			}, rec)
			s.await(Ready, "")
			if err := leave(s); err != nil {
				t.Error(name, err)
			}
			if want := map[string]int{"interrupts": 2, "the input's end": 1}[name]; broken != want {
				t.Errorf("%s: the prompt's line was ended %d times, want %d", name, broken, want)
			}
		}
	})
	t.Run("two interrupts", func(t *testing.T) {
		s := start(t, &fakeModel{}, nil, nil)
		s.await(Ready, "")
		s.interrupts <- struct{}{}
		s.await(Notice, "again")
		s.interrupts <- struct{}{}
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
	t.Run("interrupts far apart", func(t *testing.T) {
		s := start(t, &fakeModel{}, nil, nil)
		s.await(Ready, "")
		s.interrupts <- struct{}{}
		s.await(Notice, "again")
		s.typed("hello")
		s.await(TurnEnded, "")
		s.await(Ready, "")
		s.interrupts <- struct{}{}
		s.await(Notice, "again")
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a tool that will not stop", func(t *testing.T) {
		stuck, release := make(chan struct{}), make(chan struct{})
		defer close(release)
		tools := &fakeTools{run: map[string]func(context.Context, map[string]any) Result{
			"stuck": func(context.Context, map[string]any) Result {
				close(stuck)
				<-release
				return Result{}
			},
		}}
		s := start(t, &fakeModel{replies: []scriptedReply{calls("stuck")}}, tools, nil)
		s.typed("go")
		<-stuck
		s.interrupts <- struct{}{}
		s.interrupts <- struct{}{}
		if err := <-s.done; !errors.Is(err, ErrAbandoned) {
			t.Errorf("error %v", err)
		}
	})
}

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	for in, want := range map[string][]string{
		"":                         nil,
		"a\nb\n":                   {"a", "b"},
		"a\r\n\nb":                 {"a", "", "b"},
		"\xff\n":                   {"\uFFFD"},
		"é\x00\x1b[2J\n":           {"é\x00\x1b[2J"},
		"a\n" + long + "\nonce\nb": {"a", "once", "b"},
		long:                       nil,
	} {
		for _, r := range []io.Reader{strings.NewReader(in), oneByte{strings.NewReader(in)}} {
			var got []string
			var problems int
			var mu sync.Mutex
			err := readLines(r, func(l string) {
				mu.Lock()
				got = append(got, l)
				mu.Unlock()
			}, func(error) { problems++ })
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%.20q: lines %.60q, want %.60q, error %v", in, got, want, err)
			}
			if want := strings.Count(in, long); problems != want {
				t.Errorf("%.20q: %d problems, want %d", in, problems, want)
			}
		}
	}
	boom := errors.New("boom")
	if err := readLines(io.MultiReader(strings.NewReader("a\n"), errReader{boom}), func(string) {}, nil); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
}

type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }
