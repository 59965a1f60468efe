package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // the driver: pure Go, so that the binary stays static
)

// applicationID marks a database as mayi's ("mayi" in ASCII).
const applicationID = 0x6d617969

// schemas are the steps from one schema version to the next; step i leads to
// version i+1. A step that was released is never changed.
func schemas() []string { return []string{schema1, schema2} }

// schema2 keeps a mayi away that knows neither the journal beside the database,
// which may hold the end of the log, nor the marks of sessions with answers.
const schema2 = `INSERT INTO meta VALUES ('journal', '1')`

const schema1 = `
CREATE TABLE meta (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
	id      TEXT PRIMARY KEY,
	owner   TEXT NOT NULL,
	started INTEGER NOT NULL,
	expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
	path    TEXT NOT NULL,
	write   INTEGER NOT NULL CHECK (write IN (0, 1)),
	call    TEXT NOT NULL,
	answer  INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	used    INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1))
) STRICT;
CREATE INDEX grants_path ON grants (session, path, call) WHERE used = 0;

CREATE TABLE questions (
	id      TEXT PRIMARY KEY,
	session TEXT NOT NULL,
	call    TEXT NOT NULL,
	policy  TEXT NOT NULL,
	owner   TEXT NOT NULL,
	asked   INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	body    TEXT NOT NULL,
	answer  TEXT,
	closed  INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_call ON questions (session, call, policy) WHERE closed = 0;

CREATE TABLE audit (
	seq      INTEGER PRIMARY KEY,
	time     INTEGER NOT NULL,
	event    TEXT NOT NULL,
	about    INTEGER NOT NULL,
	session  TEXT NOT NULL,
	caller   TEXT NOT NULL,
	tool     TEXT NOT NULL,
	text     TEXT NOT NULL,
	effects  TEXT NOT NULL,
	verdict  TEXT NOT NULL,
	reason   TEXT NOT NULL,
	rules    TEXT NOT NULL,
	answered TEXT NOT NULL,
	outcome  TEXT NOT NULL,
	exit     INTEGER,
	policy   TEXT NOT NULL,
	call     TEXT NOT NULL,
	prev     TEXT NOT NULL,
	hash     TEXT NOT NULL
) STRICT;
CREATE INDEX audit_session ON audit (session, seq);
CREATE INDEX audit_call ON audit (call, seq);

CREATE TABLE audit_head (
	one  INTEGER PRIMARY KEY CHECK (one = 1),
	note TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
`

// migrate brings the database to this program's schema, in one transaction, so
// that a killed process leaves the old or the new one. It refuses a database
// that is another program's or a newer mayi's.
func migrate(ctx context.Context, pool *sql.DB) error {
	current, err := schemaVersion(ctx, pool)
	if err != nil || current == len(schemas()) {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another process may have done it while this one waited.
	if current, err = schemaVersion(ctx, tx); err != nil {
		return err
	}
	for i := current; i < len(schemas()); i++ {
		if _, err := tx.ExecContext(ctx, schemas()[i]); err != nil {
			return fmt.Errorf("bring the schema to version %d: %w", i+1, err)
		}
	}
	if current == 0 {
		if _, err := tx.ExecContext(ctx, `INSERT INTO meta VALUES ('id', ?)`, rand.Text()); err != nil {
			return err
		}
	}
	pragmas := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(schemas()))
	if _, err := tx.ExecContext(ctx, pragmas); err != nil {
		return err
	}
	return tx.Commit()
}

// querier is a pool or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// schemaVersion returns 0 for an empty database.
func schemaVersion(ctx context.Context, q querier) (int, error) {
	var app, version, tables int
	err := q.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`).Scan(&app, &version, &tables)
	switch {
	case err != nil:
		return 0, err
	case app == 0 && version == 0 && tables == 0:
		return 0, nil
	case app != applicationID:
		return 0, errForeign
	case version > len(schemas()):
		return 0, fmt.Errorf("%w (schema %d, this one knows up to %d)", ErrNewer, version, len(schemas()))
	case version < 1:
		return 0, errForeign
	}
	return version, nil
}
