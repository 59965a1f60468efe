package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/approval/approvaltest"
	"mayi/pkg/permissions"
)

func TestQuestionsSuite(t *testing.T) {
	approvaltest.Questions(t, func(t *testing.T) approval.QuestionStore { return openTest(t).Questions() })
}

// The queue over the real store passes the suite for every asker; the person
// is another opener of the same file.
func TestQueueSuite(t *testing.T) {
	approvaltest.Asker(t, func(t *testing.T) approvaltest.Driver {
		db := openTest(t)
		other, err := Open(db.Path())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { other.Close() })
		person := approvalsCommand{store: other.Questions()}
		return approvaltest.Driver{
			Asker: approval.NewQueue(db.Questions(), approval.QueueOptions{Poll: time.Millisecond}),
			Type:  func(line string) { person.typed(t, line) },
		}
	})
}

// approvalsCommand answers the oldest question over a chat of its own, as
// mayi approvals does.
type approvalsCommand struct {
	store *Questions
	chat  *approval.Chat
	over  chan struct{}
}

func (p *approvalsCommand) typed(t *testing.T, line string) {
	t.Helper()
	if p.chat == nil {
		p.begin(t)
	}
	for end := time.Now().Add(20 * time.Second); !p.chat.Offer(line); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Error("nothing asked in the other process")
			return
		}
	}
	if !p.chat.Waiting() {
		<-p.over
		p.chat = nil
	}
}

func (p *approvalsCommand) begin(t *testing.T) {
	t.Helper()
	var list []approval.Question
	for end := time.Now().Add(20 * time.Second); len(list) == 0; time.Sleep(time.Millisecond) {
		var err error
		if list, err = p.store.Open(context.Background()); err != nil || time.Now().After(end) {
			t.Fatalf("no question in the queue: %v", err)
		}
	}
	p.chat, p.over = approval.NewChat(func(string) {}), make(chan struct{})
	go func(chat *approval.Chat, over chan struct{}) {
		defer close(over)
		a, err := chat.Ask(context.Background(), list[0])
		if err == nil {
			err = p.store.Answer(context.Background(), list[0].ID, "ann", a)
		}
		if err != nil && !errors.Is(err, approval.ErrNoQuestion) {
			t.Errorf("answer: %v", err)
		}
	}(p.chat, p.over)
}

func TestQuestionsKeepWhatWasAsked(t *testing.T) {
	db := openTest(t)
	q := approval.Question{ID: "1", Session: "s", Call: "c", Policy: "p", Tool: "bash", Command: "ls \xff\n\u202e", Reason: "r",
		Needs: []permissions.Need{{What: "path", Path: "/a\xfe", Access: permissions.FSWrite, Part: 2}}, Risk: permissions.RiskHigh,
		Rules: []string{"command(ls)"}, Expires: time.Now().Add(time.Minute)}
	if _, err := db.Questions().Put(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	list, err := db.Questions().Open(context.Background())
	if err != nil || len(list) != 1 {
		t.Fatalf("Open = %v, %v", list, err)
	}
	got := list[0]
	if got.Command != `ls \xFF`+"\n\u202e" || got.Needs[0].Path != `/a\xFE` || got.Needs[0].Access != permissions.FSWrite || got.Risk != permissions.RiskHigh {
		t.Errorf("kept %+v", got)
	}
}

func TestAnAnswerWaitsForTheCall(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	db := openTest(t, WithClock(func() time.Time { return now }))
	q := approval.Question{ID: "1", Session: "s", Call: "c", Policy: "p", Expires: now.Add(time.Minute)}
	if _, err := db.Questions().Put(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	now = now.Add(59 * time.Second)
	if err := db.Questions().Answer(context.Background(), "1", "ann", approval.Answer{Choice: approval.Once}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(answerLife - time.Second)
	if a, ok, err := db.Questions().Take(context.Background(), "s", "c", "p"); !ok || err != nil || a.By != "ann" {
		t.Errorf("Take = %+v, %v, %v", a, ok, err)
	}
}

func TestAnOldAnswerIsNotTaken(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	db := openTest(t, WithClock(func() time.Time { return now }))
	q := approval.Question{ID: "1", Session: "s", Call: "c", Policy: "p", Expires: now.Add(time.Minute)}
	if _, err := db.Questions().Put(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	if err := db.Questions().Answer(context.Background(), "1", "ann", approval.Answer{Choice: approval.Once}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(answerLife + time.Second)
	if a, ok, err := db.Questions().Take(context.Background(), "s", "c", "p"); ok || err != nil {
		t.Errorf("Take = %+v, %v, %v", a, ok, err)
	}
}

func TestNothingIsMadeByLooking(t *testing.T) {
	db := At(t.TempDir() + "/none/mayi.db")
	ctx := context.Background()
	if got := db.Grants("s").Lookup("/a", false, "c"); got != permissions.NoGrant {
		t.Errorf("Lookup = %d", got)
	}
	db.Grants("s").LookupCall("c")
	db.Grants("s").List(ctx)
	db.Grants("s").Revoke(ctx, "/a")
	db.Grants("s").Claim(ctx, "c", []approval.Access{{Path: "/a"}}, true)
	db.Questions().Open(ctx)
	db.Questions().Take(ctx, "s", "c", "p")
	db.Questions().Withdraw(ctx, "1")
	if err := db.Questions().Answer(ctx, "1", "ann", approval.Answer{Choice: approval.Once}); !errors.Is(err, approval.ErrNoQuestion) {
		t.Errorf("Answer = %v", err)
	}
	db.Sessions(ctx)
	db.EndSession(ctx, "s")
	db.Prune(ctx, time.Now())
	for range db.Audit().Records(ctx, Query{}) {
		t.Error("a record out of nothing")
	}
	if db.Exists() {
		t.Error("looking made a database")
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if _, err := db.Audit().Append(ctx, Record{Event: "begin"}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Append after Close = %v", err)
	}
}
