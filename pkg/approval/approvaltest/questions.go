package approvaltest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mayi/pkg/approval"
)

// Questions runs the suite for approval.QuestionStore. open returns an empty
// store; it is called once for each test.
func Questions(t *testing.T, open func(t *testing.T) approval.QuestionStore) {
	ctx := context.Background()
	once := approval.Answer{Choice: approval.Once, By: "ann at a test"}

	t.Run("answer and take", func(t *testing.T) {
		s := open(t)
		openIDs(t, s)
		q := stored(t, s, question("1"))
		openIDs(t, s, "1")
		taken(t, s, q, "")
		if err := s.Answer(ctx, "1", "ann", once); err != nil {
			t.Fatal(err)
		}
		openIDs(t, s)
		taken(t, s, q, approval.Once)
		taken(t, s, q, "")
	})
	t.Run("bound to call, session and policy", func(t *testing.T) {
		s := open(t)
		q := stored(t, s, question("1"))
		if err := s.Answer(ctx, "1", "ann", once); err != nil {
			t.Fatal(err)
		}
		other := q
		other.Call = "another"
		taken(t, s, other, "")
		other = q
		other.Session = "another"
		taken(t, s, other, "")
		other = q
		other.Policy = "another"
		taken(t, s, other, "")
		taken(t, s, q, approval.Once)
	})
	t.Run("only the owner", func(t *testing.T) {
		s := open(t)
		q := stored(t, s, question("1"))
		for _, who := range []string{"bob", "", "Ann", "ann "} {
			if err := s.Answer(ctx, "1", who, once); !errors.Is(err, approval.ErrNotOwner) {
				t.Errorf("%q answered: %v", who, err)
			}
		}
		taken(t, s, q, "")
		openIDs(t, s, "1")
	})
	t.Run("answered once", func(t *testing.T) {
		s := open(t)
		stored(t, s, question("1"))
		if err := s.Answer(ctx, "1", "ann", once); err != nil {
			t.Fatal(err)
		}
		if err := s.Answer(ctx, "1", "ann", once); !errors.Is(err, approval.ErrNoQuestion) {
			t.Errorf("answered twice: %v", err)
		}
		if err := s.Answer(ctx, "none", "ann", once); !errors.Is(err, approval.ErrNoQuestion) {
			t.Errorf("answered what was not asked: %v", err)
		}
	})
	t.Run("what is no answer is not taken", func(t *testing.T) {
		s := open(t)
		q := stored(t, s, question("1"))
		for _, a := range []approval.Answer{{}, {Choice: "yes"}, {Choice: approval.Always}, {Choice: approval.Always, Rule: "command(rm)", Layer: "user"},
			{Choice: approval.Always, Rule: q.Rules[0], Layer: "managed"}} {
			if err := s.Answer(ctx, "1", "ann", a); err == nil {
				t.Errorf("%+v was taken", a)
			}
		}
		openIDs(t, s, "1")
		taken(t, s, q, "")
	})
	t.Run("one question for one call", func(t *testing.T) {
		s := open(t)
		first := stored(t, s, question("1"))
		again := question("2")
		again.Call, again.Expires = first.Call, first.Expires.Add(time.Hour)
		if got := stored(t, s, again); got.ID != "1" || !got.Expires.Equal(again.Expires) {
			t.Errorf("the second question became %s until %v, want 1 until %v", got.ID, got.Expires, again.Expires)
		}
		openIDs(t, s, "1")
		again.Policy = "another"
		stored(t, s, again)
		openIDs(t, s, "1", "2")
	})
	t.Run("an ID names one question", func(t *testing.T) {
		s := open(t)
		stored(t, s, question("1"))
		if err := s.Answer(ctx, "1", "ann", once); err != nil {
			t.Fatal(err)
		}
		q := question("1")
		q.Call = "another"
		if _, err := s.Put(ctx, q); err == nil {
			t.Error("a second question took the ID of an answered one")
		}
	})
	t.Run("expired", func(t *testing.T) {
		s := open(t)
		q := question("1")
		q.Expires = time.Now().Add(-time.Second)
		stored(t, s, q)
		openIDs(t, s)
		if err := s.Answer(ctx, "1", "ann", once); !errors.Is(err, approval.ErrNoQuestion) {
			t.Errorf("an expired question was answered: %v", err)
		}
		taken(t, s, q, "")
	})
	t.Run("withdrawn", func(t *testing.T) {
		s := open(t)
		q := stored(t, s, question("1"))
		if err := s.Withdraw(ctx, "1"); err != nil {
			t.Fatal(err)
		}
		openIDs(t, s)
		if err := s.Answer(ctx, "1", "ann", once); !errors.Is(err, approval.ErrNoQuestion) {
			t.Errorf("a withdrawn question was answered: %v", err)
		}
		taken(t, s, q, "")
		if err := s.Withdraw(ctx, "none"); err != nil {
			t.Errorf("withdrawing what is not there: %v", err)
		}
	})
	t.Run("needs an ID and a call", func(t *testing.T) {
		s := open(t)
		for _, q := range []approval.Question{{Call: "c"}, {ID: "i"}} {
			if _, err := s.Put(ctx, q); err == nil {
				t.Errorf("%+v was stored", q)
			}
		}
	})
	t.Run("races", func(t *testing.T) { questionRaces(t, open(t)) })
}

func questionRaces(t *testing.T, s approval.QuestionStore) {
	q := stored(t, s, question("1"))
	var answered, took atomic.Int32
	var wg sync.WaitGroup
	for i := range 50 {
		choice := []approval.Choice{approval.Once, approval.Session, approval.No}[i%3]
		wg.Go(func() {
			err := s.Answer(context.Background(), "1", "ann", approval.Answer{Choice: choice})
			if err == nil {
				answered.Add(1)
			} else if !errors.Is(err, approval.ErrNoQuestion) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for range 50 {
		wg.Go(func() {
			_, ok, err := s.Take(context.Background(), q.Session, q.Call, q.Policy)
			if err != nil {
				t.Error(err)
			}
			if ok {
				took.Add(1)
			}
		})
	}
	wg.Wait()
	if answered.Load() != 1 || took.Load() != 1 {
		t.Errorf("%d answers were taken by %d takers, want 1 by 1", answered.Load(), took.Load())
	}
}

func stored(t *testing.T, s approval.QuestionStore, q approval.Question) approval.Question {
	t.Helper()
	got, err := s.Put(context.Background(), q)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	return got
}

func openIDs(t *testing.T, s approval.QuestionStore, want ...string) {
	t.Helper()
	list, err := s.Open(context.Background())
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	got := []string{}
	for _, q := range list {
		got = append(got, q.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(append([]string{}, want...)) {
		t.Errorf("open questions %v, want %v", got, want)
	}
}

func taken(t *testing.T, s approval.QuestionStore, q approval.Question, want approval.Choice) {
	t.Helper()
	a, ok, err := s.Take(context.Background(), q.Session, q.Call, q.Policy)
	if err != nil {
		t.Fatalf("Take: %v", err)
	}
	if ok != (want != "") || a.Choice != want {
		t.Errorf("Take = %+v, %v; want %q", a, ok, want)
	}
}
