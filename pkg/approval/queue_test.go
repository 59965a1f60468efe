package approval_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/pkg/approval"
)

// memory is the smallest question store; pkg/store runs the real one through
// the asker suite.
type memory struct {
	mu     sync.Mutex
	open   []approval.Question
	answer map[string]approval.Answer
	fail   error
}

func (m *memory) Put(_ context.Context, q approval.Question) (approval.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = append(m.open, q)
	return q, m.fail
}
func (m *memory) Open(context.Context) ([]approval.Question, error) { return m.open, m.fail }
func (m *memory) Answer(_ context.Context, id, who string, a approval.Answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	a.By = who
	if m.answer == nil {
		m.answer = map[string]approval.Answer{}
	}
	for _, q := range m.open {
		if q.ID == id {
			m.answer[q.Session+q.Call+q.Policy] = a
		}
	}
	return nil
}
func (m *memory) Take(_ context.Context, session, call, policy string) (approval.Answer, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.answer[session+call+policy]
	delete(m.answer, session+call+policy)
	return a, ok, m.fail
}
func (m *memory) Withdraw(context.Context, string) error { return m.fail }

func TestQueueSaysHowToAnswer(t *testing.T) {
	m := &memory{}
	var told []string
	q := approval.NewQueue(m, approval.QueueOptions{Wait: time.Millisecond, Poll: time.Millisecond,
		Notify: func(q approval.Question) { told = append(told, q.ID) }})
	a, err := q.Ask(context.Background(), ls)
	if err != nil || a.Choice != approval.No || a.Answered() {
		t.Fatalf("Ask = %+v, %v", a, err)
	}
	for _, want := range []string{"nobody answered", "mayi approvals", "still open"} {
		if !strings.Contains(a.Note, want) {
			t.Errorf("the note does not say %q: %s", want, a.Note)
		}
	}
	if len(told) != 1 || told[0] != ls.ID {
		t.Errorf("told about %v, want %s", told, ls.ID)
	}
	// The answer comes late; the next try of the same call uses it, once.
	if err := m.Answer(context.Background(), ls.ID, "ann", approval.Answer{Choice: approval.Once}); err != nil {
		t.Fatal(err)
	}
	if a, err = q.Ask(context.Background(), ls); err != nil || a.Choice != approval.Once {
		t.Errorf("the late answer was not used: %+v, %v", a, err)
	}
	if a, err = q.Ask(context.Background(), ls); err != nil || a.Choice != approval.No {
		t.Errorf("the answer was used twice: %+v, %v", a, err)
	}
}

func TestQueueFailsClosed(t *testing.T) {
	broken := errors.New("the disk is on fire")
	a, err := approval.NewQueue(&memory{fail: broken}, approval.QueueOptions{}).Ask(context.Background(), ls)
	if !errors.Is(err, broken) || a.Choice != approval.No {
		t.Errorf("Ask = %+v, %v", a, err)
	}
	// A forged answer without a name, or with a rule that was not offered.
	for _, forged := range []approval.Answer{{Choice: approval.Once}, {Choice: approval.Always, Rule: "command(rm)", Layer: "user", By: "x"}, {Choice: "yes", By: "x"}} {
		m := &memory{answer: map[string]approval.Answer{ls.Session + ls.Call + ls.Policy: forged}}
		if a, err := approval.NewQueue(m, approval.QueueOptions{}).Ask(context.Background(), ls); err != nil || a.Choice != approval.No {
			t.Errorf("%+v became %+v, %v", forged, a, err)
		}
	}
}

func TestFirst(t *testing.T) {
	gone := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{}, approval.ErrUnavailable
	})
	yes := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Choice: approval.Once, By: "x"}, nil
	})
	broken := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Denied("broken"), errors.New("broken")
	})
	for _, tt := range []struct {
		name   string
		asker  approval.Asker
		choice approval.Choice
		fails  bool
	}{
		{"the next where one is unavailable", approval.First(nil, gone, yes), approval.Once, false},
		{"a failure is not passed over", approval.First(broken, yes), approval.No, true},
		{"nobody", approval.Nobody(), approval.No, true},
		{"all unavailable", approval.First(gone, gone), approval.No, true},
	} {
		a, err := tt.asker.Ask(context.Background(), ls)
		if a.Choice != tt.choice || (err != nil) != tt.fails {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
	}
}
