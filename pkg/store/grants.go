package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/journal"
	"mayi/pkg/permissions"
)

// Grants is the memory of one session's answers.
type Grants struct {
	db      *DB
	session string
}

var _ approval.Grants = (*Grants)(nil)

// Grants returns the answers of a session. It touches nothing yet; where there
// is no database, looking up does not make one.
func (db *DB) Grants(session string) *Grants { return &Grants{db: db, session: session} }

// Lookup implements [approval.Grants]. Where the store cannot be read it says
// denied: an earlier no must not be lost. [Grants.Find] tells the error.
func (g *Grants) Lookup(path string, write bool, call string) permissions.Grant {
	found, err := g.Find(context.Background(), path, write, call)
	if err != nil {
		return permissions.GrantDenied
	}
	return found
}

// Find is Lookup with the error.
func (g *Grants) Find(ctx context.Context, path string, write bool, call string) (permissions.Grant, error) {
	if !canonical(path) || !g.db.Exists() {
		return permissions.NoGrant, nil
	}
	pool, err := g.db.open(ctx)
	if err != nil {
		return permissions.GrantDenied, err
	}
	m, err := g.match(ctx, pool, ancestors(path), write, call)
	if err != nil {
		return permissions.GrantDenied, g.db.explain("look up a grant in", err)
	}
	return m.answer, nil
}

// LookupCall implements [approval.Grants]; an error is a denial, as in Lookup.
func (g *Grants) LookupCall(call string) permissions.Grant {
	if call == "" || !g.db.Exists() {
		return permissions.NoGrant
	}
	ctx := context.Background()
	pool, err := g.db.open(ctx)
	if err != nil {
		return permissions.GrantDenied
	}
	m, err := g.matchCall(ctx, pool, call)
	if err != nil {
		return permissions.GrantDenied
	}
	return m.answer
}

// Err says why answers cannot be read, nil where they can.
func (g *Grants) Err(ctx context.Context) error {
	if !g.db.Exists() {
		return nil
	}
	pool, err := g.db.open(ctx)
	if err != nil {
		return err
	}
	var n int
	return g.db.explain("look up a grant in", pool.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM grants LIMIT 1)").Scan(&n))
}

// match is the answer that counts, and the row that it stands in.
type match struct {
	seq    int64
	answer permissions.Grant
}

// match finds the answer for the most specific of paths, which begin with the
// path itself and go up. Its cost is one index look-up for each.
func (g *Grants) match(ctx context.Context, q querier, paths []string, write bool, call string) (match, error) {
	args := make([]any, 0, len(paths)+3)
	args = append(args, g.session, g.db.now().UnixNano(), call)
	var in strings.Builder
	for _, p := range paths {
		args = append(args, p)
		fmt.Fprintf(&in, ",?%d", len(args))
	}
	// At one path a denial comes first, then what stays (session), then what
	// is consumed. A denied reading denies writing, too; a granted writing
	// grants reading, too.
	query := `SELECT seq, answer FROM grants JOIN sessions ON sessions.id = session
		WHERE session = ?1 AND sessions.expires > ?2 AND used = 0
		AND path IN (` + in.String()[1:] + `)
		AND (answer = ` + num(permissions.GrantDenied) + ` AND write <= ` + bit(write) + `
			OR answer <> ` + num(permissions.GrantDenied) + ` AND write >= ` + bit(write) + `
			AND (answer = ` + num(permissions.GrantedSession) + ` OR call = ?3 OR call = ''))
		ORDER BY length(CAST(path AS BLOB)) DESC, answer DESC, write, call DESC LIMIT 1`
	return scanMatch(q.QueryRowContext(ctx, query, args...))
}

func (g *Grants) matchCall(ctx context.Context, q querier, call string) (match, error) {
	return scanMatch(q.QueryRowContext(ctx, `SELECT seq, answer FROM grants JOIN sessions ON sessions.id = session
		WHERE session = ?1 AND sessions.expires > ?2 AND used = 0 AND path = '' AND call = ?3
		ORDER BY answer DESC LIMIT 1`, g.session, g.db.now().UnixNano(), call))
}

func scanMatch(row *sql.Row) (match, error) {
	var m match
	err := row.Scan(&m.seq, &m.answer)
	if err == sql.ErrNoRows {
		return match{}, nil
	}
	return m, err
}

// Put implements [approval.Grants].
func (g *Grants) Put(ctx context.Context, one approval.Grant) error {
	if err := g.check(one); err != nil {
		return err
	}
	if one.At.IsZero() {
		one.At = g.db.now()
	}
	return g.db.update(ctx, "remember an answer in", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (id, owner, started, expires) VALUES (?, '', ?, ?)
			ON CONFLICT (id) DO NOTHING`, g.session, one.At.UnixNano(), int64(never))
		if err != nil {
			return err
		}
		if err := g.replace(ctx, tx, one); err != nil {
			return err
		}
		// While this transaction may write, nobody else removes the mark.
		if err := journal.NewMarks(g.db.path).Set(g.session); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO grants (session, path, write, call, answer, at) VALUES (?, ?, ?, ?, ?, ?)`,
			g.session, one.Path, bit(one.Write), one.Call, int(one.Answer), one.At.UnixNano())
		return err
	})
}

// replace removes the earlier answers that one stands in for: those about the
// same subject, where once grants of different calls are different subjects;
// with a denied reading whatever opened reading; with a granted writing the
// denial of reading.
func (g *Grants) replace(ctx context.Context, tx *sql.Tx, one approval.Grant) error {
	where, args := `write = ?3`, []any{g.session, one.Path, bit(one.Write)}
	switch {
	case one.Path == "":
		where, args = `call = ?3`, []any{g.session, "", one.Call}
	case one.Answer == permissions.GrantedOnce:
		where += ` AND (answer <> ` + num(permissions.GrantedOnce) + ` OR call = ?4)`
		args = append(args, one.Call)
	}
	if one.Path != "" {
		switch {
		case one.Answer == permissions.GrantDenied && !one.Write:
			where = `(` + where + `) OR answer <> ` + num(permissions.GrantDenied)
		case one.Answer != permissions.GrantDenied && one.Write:
			where = `(` + where + `) OR answer = ` + num(permissions.GrantDenied) + ` AND write = 0`
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE session = ?1 AND path = ?2 AND used = 0 AND (`+where+`)`, args...)
	return err
}

// check refuses a grant that could not be found again or means nothing.
func (g *Grants) check(one approval.Grant) error {
	switch {
	case one.Session != "" && one.Session != g.session:
		return fmt.Errorf("store: the grant belongs to session %q, not to %q", one.Session, g.session)
	case one.Answer != permissions.GrantedOnce && one.Answer != permissions.GrantedSession && one.Answer != permissions.GrantDenied:
		return fmt.Errorf("store: %d is no answer that can be remembered", one.Answer)
	case one.Path == "" && one.Call == "":
		return fmt.Errorf("store: a grant needs a path or a call")
	case one.Path != "" && !canonical(one.Path):
		return fmt.Errorf("store: %q is no canonical absolute path", one.Path)
	}
	return nil
}

func canonical(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && !strings.Contains(path, "\x00")
}

// ancestors returns path and the directories above it, up to the root.
func ancestors(path string) []string {
	list := []string{path}
	for {
		up := filepath.Dir(path)
		if up == path {
			return list
		}
		list = append(list, up)
		path = up
	}
}

func num(g permissions.Grant) string { return string('0' + rune(g)) }

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
