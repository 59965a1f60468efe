package approval

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Reasons why a [QuestionStore] does not take an answer.
var (
	// ErrNoQuestion: there is no open question with this ID; it was answered,
	// has expired, was withdrawn, or never existed.
	ErrNoQuestion = errors.New("no such open question")
	// ErrNotOwner: the question belongs to another person's session.
	ErrNotOwner = errors.New("only the person whose session it is may answer")
)

// QuestionStore keeps questions and their answers where other processes find
// them; pkg/store implements it. An answer is good for one call in one session
// under one policy, and for one use. Safe for concurrent use, also by several
// processes.
type QuestionStore interface {
	// Put opens q and returns it as it is stored: where a question about the
	// same call, session and policy is open already, that one. The later
	// expiry of the two counts.
	Put(ctx context.Context, q Question) (Question, error)
	// Open lists the questions that wait for an answer, oldest first.
	Open(ctx context.Context) ([]Question, error)
	// Answer records who's answer to the question. Of any number of concurrent
	// answers exactly one is taken, the others get [ErrNoQuestion]. Somebody
	// who is not the question's owner gets [ErrNotOwner].
	Answer(ctx context.Context, id, who string, a Answer) error
	// Take returns the answer to this call, session and policy and consumes
	// it; false where there is none (left). Of any number of concurrent takers
	// exactly one gets it.
	Take(ctx context.Context, session, call, policy string) (Answer, bool, error)
	// Withdraw closes the question unanswered; one that is not open is left
	// as it is.
	Withdraw(ctx context.Context, id string) error
}

// QueueOptions sets how a [Queue] waits.
type QueueOptions struct {
	// Wait is how long Ask waits for an answer; the question stays open until
	// its own expiry, so that a later try of the same call finds the answer.
	// 0 is until the question expires.
	Wait time.Duration
	// Poll is the pause between two looks at the store; 0 is 200 ms.
	Poll time.Duration
	// How tells the person how to answer, for the note of a refusal; "" is
	// "answer it with: mayi approvals".
	How string
	// Notify is called once for each question that was opened, to tell the
	// person; nil is nobody. Its error is ignored: the question stands anyway.
	Notify func(Question)
}

// Queue asks by leaving the question where another process can answer it.
type Queue struct {
	store QuestionStore
	o     QueueOptions
}

// NewQueue returns an asker over s.
func NewQueue(s QuestionStore, o QueueOptions) *Queue {
	if o.Poll <= 0 {
		o.Poll = 200 * time.Millisecond
	}
	if o.How == "" {
		o.How = "answer it with: mayi approvals"
	}
	return &Queue{store: s, o: o}
}

// Ask opens the question and waits for its answer. An answer that was given
// since an earlier try of the same call (before a restart, too) is used at once.
func (s *Queue) Ask(ctx context.Context, q Question) (Answer, error) {
	if a, ok, err := s.take(ctx, q); ok || err != nil {
		return a, err
	}
	if !q.Expires.IsZero() && !time.Now().Before(q.Expires) {
		return unanswered(ctx, q)
	}
	stored, err := s.store.Put(ctx, q)
	if err != nil {
		return Denied("the question could not be put into the queue"), fmt.Errorf("approval: queue the question: %w", err)
	}
	if s.o.Notify != nil && stored.ID == q.ID {
		s.o.Notify(stored)
	}
	return s.wait(ctx, q)
}

func (s *Queue) wait(ctx context.Context, q Question) (Answer, error) {
	limited, cancel := untilExpiry(ctx, q)
	defer cancel()
	if s.o.Wait > 0 {
		limited, cancel = context.WithTimeout(limited, s.o.Wait)
		defer cancel()
	}
	tick := time.NewTicker(s.o.Poll)
	defer tick.Stop()
	for {
		if a, ok, err := s.take(limited, q); ok || err != nil && limited.Err() == nil {
			return a, err
		}
		select {
		case <-tick.C:
			continue
		case <-limited.Done():
		}
		break
	}
	if err := ctx.Err(); err != nil {
		return Denied("the question was withdrawn before anybody answered; it is still open: %s", s.o.How), err
	}
	// An answer given in the last moment still counts.
	if a, ok, err := s.take(ctx, q); ok || err != nil {
		return a, err
	}
	if !q.Expires.IsZero() && !time.Now().Before(q.Expires) {
		return Denied("nobody answered within %s", within(lifetime(q))), nil
	}
	return Denied("nobody answered within %s; the question is still open: %s, then try the same call again",
		within(s.o.Wait), s.o.How), nil
}

func (s *Queue) take(ctx context.Context, q Question) (Answer, bool, error) {
	a, ok, err := s.store.Take(ctx, q.Session, q.Call, q.Policy)
	if err != nil {
		return Denied("the queue could not be read"), false, fmt.Errorf("approval: look for the answer: %w", err)
	}
	if !ok {
		return Answer{}, false, nil
	}
	return Strict(q, a), true, nil
}
