package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// errGone ends a claim without consuming anything.
var errGone = errors.New("a grant is gone")

// Claim implements [approval.Grants]: in one transaction that may write from
// its start it finds the grants again as Lookup does and uses them up. A claim
// of an access that a session grant covers meanwhile consumes nothing for it.
func (g *Grants) Claim(ctx context.Context, call string, paths []approval.Access, self bool) (bool, error) {
	if len(paths) == 0 && !self {
		return true, nil
	}
	if !g.db.Exists() {
		return false, nil
	}
	err := g.db.update(ctx, "claim a grant in", func(tx *sql.Tx) error {
		var use []int64
		need := func(m match, err error) error {
			switch {
			case err != nil:
				return err
			case m.answer == permissions.GrantedOnce:
				use = append(use, m.seq)
			case m.answer != permissions.GrantedSession:
				return errGone
			}
			return nil
		}
		for _, p := range paths {
			if !canonical(p.Path) {
				return errGone
			}
			if err := need(g.match(ctx, tx, ancestors(p.Path), p.Write, call)); err != nil {
				return err
			}
		}
		if self {
			if err := need(g.matchCall(ctx, tx, call)); err != nil {
				return err
			}
		}
		return consume(ctx, tx, use)
	})
	if errors.Is(err, errGone) {
		return false, nil
	}
	return err == nil, err
}

// consume uses up each row once; several accesses may share one.
func consume(ctx context.Context, tx *sql.Tx, seqs []int64) error {
	done := map[int64]bool{}
	for _, seq := range seqs {
		if done[seq] {
			continue
		}
		done[seq] = true
		r, err := tx.ExecContext(ctx, `UPDATE grants SET used = 1 WHERE seq = ? AND used = 0`, seq)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 1 {
			return errors.Join(errGone, err)
		}
	}
	return nil
}

// Revoke implements [approval.Grants].
func (g *Grants) Revoke(ctx context.Context, path string) error {
	if !g.db.Exists() {
		return nil
	}
	return g.db.update(ctx, "revoke a grant in", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE session = ? AND path = ? AND used = 0`, g.session, path)
		return err
	})
}

// RevokeCall forgets the answer about a call itself.
func (g *Grants) RevokeCall(ctx context.Context, call string) error {
	if !g.db.Exists() {
		return nil
	}
	return g.db.update(ctx, "revoke a grant in", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE session = ? AND path = '' AND call = ? AND used = 0`, g.session, call)
		return err
	})
}

// List implements [approval.Grants]; used once grants are not listed.
func (g *Grants) List(ctx context.Context) ([]approval.Grant, error) {
	if !g.db.Exists() {
		return nil, nil
	}
	pool, err := g.db.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := pool.QueryContext(ctx, `SELECT session, path, write, call, answer, at FROM grants
		JOIN sessions ON sessions.id = session
		WHERE session = ? AND used = 0 AND expires > ? ORDER BY seq`, g.session, g.db.now().UnixNano())
	if err != nil {
		return nil, g.db.explain("list the grants of", err)
	}
	defer rows.Close()
	var list []approval.Grant
	for rows.Next() {
		var one approval.Grant
		var at int64
		if err := rows.Scan(&one.Session, &one.Path, &one.Write, &one.Call, &one.Answer, &at); err != nil {
			return nil, g.db.explain("list the grants of", err)
		}
		one.At = time.Unix(0, at)
		list = append(list, one)
	}
	return list, g.db.explain("list the grants of", rows.Err())
}
