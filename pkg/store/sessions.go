package store

import (
	"context"
	"database/sql"
	"math"
	"time"
)

// Session is a session that the store knows.
type Session struct {
	ID    string
	Owner string
	// Started is when it was first heard of, Expires when its grants stop to
	// count; the zero Expires is never.
	Started, Expires time.Time
	// Grants is how many answers are remembered; filled in by Sessions.
	Grants int
}

const never = math.MaxInt64

func stamp(t time.Time) int64 {
	if t.IsZero() {
		return never
	}
	return t.UnixNano()
}

func unstamp(n int64) time.Time {
	if n == never {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// StartSession remembers a session's owner and expiry; called again, it
// changes them. A grant in a session that was never started starts it without
// owner and expiry.
func (db *DB) StartSession(ctx context.Context, s Session) error {
	if s.Started.IsZero() {
		s.Started = db.now()
	}
	return db.update(ctx, "start a session in", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (id, owner, started, expires) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, expires = excluded.expires`,
			s.ID, s.Owner, s.Started.UnixNano(), stamp(s.Expires))
		return err
	})
}

// Sessions lists the sessions that have not expired, oldest first.
func (db *DB) Sessions(ctx context.Context) ([]Session, error) {
	if !db.Exists() {
		return nil, nil
	}
	pool, err := db.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := pool.QueryContext(ctx, `SELECT id, owner, started, expires,
		(SELECT count(*) FROM grants WHERE session = sessions.id AND used = 0)
		FROM sessions WHERE expires > ? ORDER BY started, id`, db.now().UnixNano())
	if err != nil {
		return nil, db.explain("list the sessions of", err)
	}
	defer rows.Close()
	var list []Session
	for rows.Next() {
		var s Session
		var started, expires int64
		if err := rows.Scan(&s.ID, &s.Owner, &started, &expires, &s.Grants); err != nil {
			return nil, db.explain("list the sessions of", err)
		}
		s.Started, s.Expires = unstamp(started), unstamp(expires)
		list = append(list, s)
	}
	return list, db.explain("list the sessions of", rows.Err())
}

// EndSession forgets a session with its grants and open questions.
func (db *DB) EndSession(ctx context.Context, id string) error {
	if !db.Exists() {
		return nil
	}
	err := db.update(ctx, "end a session in", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM questions WHERE session = ?`, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE id = ?`, id)
		return err
	})
	if err != nil {
		return err
	}
	return db.unmark(ctx)
}

// Prune drops what no longer counts: sessions that have expired, used grants
// and closed or expired questions from before the given time. The audit log is
// never pruned.
func (db *DB) Prune(ctx context.Context, before time.Time) error {
	if !db.Exists() {
		return nil
	}
	err := db.update(ctx, "clean up", func(tx *sql.Tx) error {
		for _, q := range []string{
			`DELETE FROM sessions WHERE expires < ?`,
			`DELETE FROM grants WHERE used = 1 AND at < ?`,
			`DELETE FROM questions WHERE expires < ? OR closed = 1 AND asked < ?1`,
		} {
			if _, err := tx.ExecContext(ctx, q, before.UnixNano()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return db.unmark(ctx)
}
