package store

import (
	"context"
	"database/sql"

	"mayi/pkg/journal"
)

// mark marks every session that has answers, and states that the marks are
// complete; where they are it does nothing. A database of an older mayi has
// none, nor has a copy that was put in the place of another.
func mark(ctx context.Context, pool *sql.DB, path string) error {
	marks := journal.NewMarks(path)
	if marks.Complete() {
		return nil
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	list, err := withAnswers(ctx, tx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := marks.Set(s); err != nil {
			return err
		}
	}
	return marks.Finish()
}

// unmark removes the marks of sessions whose answers are gone. Its transaction
// keeps others from remembering one meanwhile, and comes after the one that
// removed the answers, so that a mark is never missing.
func (db *DB) unmark(ctx context.Context) error {
	return db.update(ctx, "clean up", func(tx *sql.Tx) error {
		list, err := withAnswers(ctx, tx)
		if err != nil {
			return err
		}
		return journal.NewMarks(db.path).Keep(list)
	})
}

// withAnswers lists the sessions that have answers which may still count.
func withAnswers(ctx context.Context, q querier) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT DISTINCT session FROM grants WHERE used = 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}
