package store

import (
	"context"
	"fmt"
	"iter"
	"time"

	"mayi/pkg/journal"
	"mayi/pkg/journal/entry"
)

// Query selects records; an empty field selects all.
type Query struct {
	Session, Tool, Verdict, Event, Call string
	// Since and Until bound the time, Until excluded.
	Since, Until time.Time
	// After is the number of the record to begin behind.
	After int64
	// Limit is how many at most, the newest; 0 is no limit.
	Limit int
}

// Records yields the selected records, oldest first. It ends with the first
// error. Where the journal beside the database cannot be taken over, it yields
// what the database has, and then says why.
func (a *Audit) Records(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if !a.db.Exists() && journal.At(a.db.path).Pending() == 0 {
			return
		}
		missing := a.change(ctx, "read the log of", nil)
		pool, err := a.db.open(ctx)
		if err != nil {
			yield(Record{}, err)
			return
		}
		query, args := q.sql()
		rows, err := pool.QueryContext(ctx, query, args...)
		if err != nil {
			yield(Record{}, a.db.explain("read the log of", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			var line entry.Row
			if err := rows.Scan(fields(&line)...); err != nil {
				yield(Record{}, a.db.explain("read the log of", err))
				return
			}
			r, err := line.Record()
			if err != nil {
				yield(r, a.db.explain("read the log of", fmt.Errorf("record %d: %w", line.Seq, err)))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Record{}, a.db.explain("read the log of", err))
		} else if missing != nil {
			yield(Record{}, missing)
		}
	}
}

func (q Query) sql() (string, []any) {
	where, args := "seq > ?", []any{q.After}
	add := func(cond string, arg any) { where, args = where+" AND "+cond, append(args, arg) }
	for _, f := range []struct{ column, value string }{
		{"session", q.Session}, {"tool", q.Tool}, {"verdict", q.Verdict}, {"event", q.Event}, {"call", q.Call},
	} {
		if f.value != "" {
			add(f.column+" = ?", f.value)
		}
	}
	if !q.Since.IsZero() {
		add("time >= ?", q.Since.UnixNano())
	}
	if !q.Until.IsZero() {
		add("time < ?", q.Until.UnixNano())
	}
	if q.Limit > 0 {
		return `SELECT * FROM (SELECT ` + columns + ` FROM audit WHERE ` + where + ` ORDER BY seq DESC LIMIT ?) ORDER BY seq`,
			append(args, q.Limit)
	}
	return `SELECT ` + columns + ` FROM audit WHERE ` + where + ` ORDER BY seq`, args
}
