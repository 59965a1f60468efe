package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/journal/entry"
)

// answerLife is how long an answer waits at least for the call to come back,
// however late in the question's life it was given.
const answerLife = 15 * time.Minute

// Questions is the queue of questions that other processes answer.
type Questions struct{ db *DB }

var _ approval.QuestionStore = (*Questions)(nil)

// Questions returns the queue. It touches nothing yet.
func (db *DB) Questions() *Questions { return &Questions{db: db} }

// Put implements [approval.QuestionStore].
func (s *Questions) Put(ctx context.Context, q approval.Question) (approval.Question, error) {
	if q.ID == "" || q.Call == "" {
		return q, errors.New("store: a question needs an ID and the hash of its call")
	}
	if q.Asked.IsZero() {
		q.Asked = s.db.now()
	}
	err := s.db.update(ctx, "queue a question in", func(tx *sql.Tx) error {
		open, ok, err := s.same(ctx, tx, q)
		if err != nil {
			return err
		}
		if ok {
			if stamp(open.Expires) < stamp(q.Expires) {
				open.Expires = q.Expires
			}
			q = open
		}
		body, err := json.Marshal(showable(q))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO questions (id, session, call, policy, owner, asked, expires, body)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET expires = excluded.expires, body = excluded.body`,
			q.ID, q.Session, q.Call, q.Policy, q.Owner, q.Asked.UnixNano(), stamp(q.Expires), string(body))
		return err
	})
	return q, err
}

// same finds the open question about the same call.
func (s *Questions) same(ctx context.Context, tx *sql.Tx, q approval.Question) (approval.Question, bool, error) {
	var body string
	err := tx.QueryRowContext(ctx, `SELECT body FROM questions WHERE session = ? AND call = ? AND policy = ? AND owner = ?
		AND closed = 0 AND answer IS NULL AND expires > ? ORDER BY asked, id LIMIT 1`,
		q.Session, q.Call, q.Policy, q.Owner, s.db.now().UnixNano()).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		// The ID must not be an older question's, answered or not.
		var n int
		err = tx.QueryRowContext(ctx, `SELECT count(*) FROM questions WHERE id = ?`, q.ID).Scan(&n)
		if err == nil && n > 0 {
			err = fmt.Errorf("question %s is there already", q.ID)
		}
		return q, false, err
	}
	if err != nil {
		return q, false, err
	}
	err = json.Unmarshal([]byte(body), &q)
	return q, err == nil, err
}

// Open implements [approval.QuestionStore].
func (s *Questions) Open(ctx context.Context) ([]approval.Question, error) {
	if !s.db.Exists() {
		return nil, nil
	}
	pool, err := s.db.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := pool.QueryContext(ctx, `SELECT body FROM questions
		WHERE closed = 0 AND answer IS NULL AND expires > ? ORDER BY asked, id`, s.db.now().UnixNano())
	if err != nil {
		return nil, s.db.explain("list the questions of", err)
	}
	defer rows.Close()
	var list []approval.Question
	for rows.Next() {
		var body string
		var q approval.Question
		err := rows.Scan(&body)
		if err == nil {
			err = json.Unmarshal([]byte(body), &q)
		}
		if err != nil {
			return nil, s.db.explain("list the questions of", err)
		}
		list = append(list, q)
	}
	return list, s.db.explain("list the questions of", rows.Err())
}

// Answer implements [approval.QuestionStore].
func (s *Questions) Answer(ctx context.Context, id, who string, a approval.Answer) error {
	if !s.db.Exists() {
		return approval.ErrNoQuestion
	}
	if a.By == "" {
		a.By = who
	}
	return s.db.update(ctx, "answer a question in", func(tx *sql.Tx) error {
		var body string
		err := tx.QueryRowContext(ctx, `SELECT body FROM questions
			WHERE id = ? AND closed = 0 AND answer IS NULL AND expires > ?`, id, s.db.now().UnixNano()).Scan(&body)
		if errors.Is(err, sql.ErrNoRows) {
			return approval.ErrNoQuestion
		}
		if err != nil {
			return err
		}
		var q approval.Question
		if err := json.Unmarshal([]byte(body), &q); err != nil {
			return err
		}
		if who == "" || q.Owner != "" && q.Owner != who {
			return approval.ErrNotOwner
		}
		// What could not be used must not use the question up.
		if strict := approval.Strict(q, a); strict.Choice != a.Choice {
			return fmt.Errorf("the answer was not taken: %s", strict.Note)
		}
		answer, err := json.Marshal(a)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE questions SET answer = ?, expires = max(expires, ?) WHERE id = ?`,
			string(answer), s.db.now().Add(answerLife).UnixNano(), id)
		return err
	})
}

// Take implements [approval.QuestionStore].
func (s *Questions) Take(ctx context.Context, session, call, policy string) (approval.Answer, bool, error) {
	var a approval.Answer
	if !s.db.Exists() {
		return a, false, nil
	}
	// Looking costs no lock; only where there is an answer it is claimed.
	if ok, err := s.answered(ctx, session, call, policy); !ok || err != nil {
		return a, false, err
	}
	ok := false
	err := s.db.update(ctx, "take an answer from", func(tx *sql.Tx) error {
		var body string
		err := tx.QueryRowContext(ctx, `UPDATE questions SET closed = 1 WHERE id =
			(SELECT id FROM questions WHERE session = ? AND call = ? AND policy = ?
			AND closed = 0 AND answer IS NOT NULL AND expires > ? ORDER BY asked, id LIMIT 1) RETURNING answer`,
			session, call, policy, s.db.now().UnixNano()).Scan(&body)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		return json.Unmarshal([]byte(body), &a)
	})
	if err != nil {
		return approval.Answer{}, false, err
	}
	return a, ok, nil
}

func (s *Questions) answered(ctx context.Context, session, call, policy string) (bool, error) {
	pool, err := s.db.open(ctx)
	if err != nil {
		return false, err
	}
	var n int
	err = pool.QueryRowContext(ctx, `SELECT count(*) FROM questions WHERE session = ? AND call = ? AND policy = ?
		AND closed = 0 AND answer IS NOT NULL AND expires > ?`, session, call, policy, s.db.now().UnixNano()).Scan(&n)
	return n > 0, s.db.explain("look for an answer in", err)
}

// Withdraw implements [approval.QuestionStore].
func (s *Questions) Withdraw(ctx context.Context, id string) error {
	if !s.db.Exists() {
		return nil
	}
	return s.db.update(ctx, "withdraw a question in", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE questions SET closed = 1 WHERE id = ? AND answer IS NULL`, id)
		return err
	})
}

// showable replaces bytes that are no UTF-8 by \xNN, since JSON would replace
// them by something that nobody could tell apart.
func showable(q approval.Question) approval.Question {
	q.Command = entry.Visible(q.Command)
	q.Reason = entry.Visible(q.Reason)
	needs := append(q.Needs[:0:0], q.Needs...)
	for i := range needs {
		needs[i].Path, needs[i].Command = entry.Visible(needs[i].Path), entry.Visible(needs[i].Command)
	}
	q.Needs = needs
	return q
}
