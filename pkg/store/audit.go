package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mayi/pkg/journal"
	"mayi/pkg/journal/entry"
)

// Audit is the append-only log. Records come in from this side and, through
// the journal beside the database, from processes that do not open it; whoever
// appends or reads here first takes over what the journal holds.
type Audit struct {
	db     *DB
	masker func() *entry.Masker
	// turn lets one goroutine of this process at a time wait for the files.
	turn chan struct{}

	mu  sync.Mutex
	key *keyring
}

// Audit returns the log. It touches nothing yet; all calls share one value.
func (db *DB) Audit() *Audit { return db.audit }

func newAudit(db *DB) *Audit {
	return &Audit{db: db, masker: sync.OnceValue(entry.NewMasker), turn: make(chan struct{}, 1)}
}

// Append writes r and returns it as it was written. When it returns, the
// record is on the disk and its loss would be found; on an error the action
// that it is about must not run. It refuses to continue a log whose end does
// not fit its signed heads, since that would cover the traces up.
func (a *Audit) Append(ctx context.Context, r Record) (Record, error) {
	if r.Event == "" {
		return r, errors.New("store: a record needs an event")
	}
	if r.Time.IsZero() {
		r.Time = a.db.now()
	}
	row := entry.NewRow(r, a.masker())
	if err := a.change(ctx, "write a record into", row); err != nil {
		return r, err
	}
	written, err := row.Record()
	return written, a.db.explain("write a record into", err)
}

// Note is Append: the database syncs what it commits anyway. It is there so
// that either side can keep records; see [journal.Light.Note].
func (a *Audit) Note(ctx context.Context, r Record) (Record, error) { return a.Append(ctx, r) }

// change takes over what the journal holds, and appends the row, if there is one.
func (a *Audit) change(ctx context.Context, what string, row *entry.Row) error {
	if _, err := a.db.open(ctx); err != nil {
		return err
	}
	h, free, err := a.hold(ctx, what, row != nil)
	if err != nil {
		return err
	}
	defer free()
	if row == nil && (h.Settled() || h.Fresh()) {
		return nil // there is nothing to take over
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("store: %s %s: %w", what, a.db.path, err)
	}
	// From here on the files change before the database does: a caller that
	// gives up must not part them.
	ctx = context.WithoutCancel(ctx)
	err = a.db.update(ctx, what, func(tx *sql.Tx) error { return a.advance(ctx, tx, h, row) })
	if err != nil {
		return err
	}
	// The record is kept, whatever becomes of the note that the journal was
	// taken over: the next one to come finds out by itself.
	_ = h.Taken()
	return nil
}

// hold takes the log's files.
func (a *Audit) hold(ctx context.Context, what string, create bool) (*journal.Held, func(), error) {
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("store: %s %s: %w", what, a.db.path, ctx.Err())
	}
	h, err := journal.Hold(ctx, a.db.path, a.db.busy, create)
	if err != nil {
		<-a.turn
		return nil, nil, a.db.explain(what, err)
	}
	return h, func() { h.Close(); <-a.turn }, nil
}

// advance brings the database to the log's end. What the commit makes durable
// here, the files beside it know durably before.
func (a *Audit) advance(ctx context.Context, tx *sql.Tx, h *journal.Held, row *entry.Row) error {
	key, id, err := a.settle(ctx, tx, h)
	if err != nil {
		return err
	}
	rows, err := h.Append(row, true)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := insert(ctx, tx, r); err != nil {
			return err
		}
	}
	if err := h.Sync(); err != nil {
		return err
	}
	end := h.End()
	if end.Seq == 0 {
		return nil
	}
	signed, err := key.sign(head{id: id, seq: end.Seq, hash: end.Hash})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO audit_head (one, note) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET note = excluded.note`, signed)
	return err
}

func insert(ctx context.Context, tx *sql.Tx, r *entry.Row) error {
	args := deref(fields(r))
	_, err := tx.ExecContext(ctx, `INSERT INTO audit (`+columns+`) VALUES (?`+strings.Repeat(",?", len(args)-1)+`)`, args...)
	return err
}

// signer returns the keyring of the log's key; deriving it is not cheap.
func (a *Audit) signer(k journal.Key) (*keyring, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.key != nil && a.key.private == k.Private {
		return a.key, nil
	}
	key, err := keyOf(k.Private)
	if err != nil {
		return nil, fmt.Errorf("the log's key is unusable: %w", err)
	}
	a.key = key
	return key, nil
}

// lastRecord returns the database's identity and its last record as a head.
func lastRecord(ctx context.Context, q querier) (id string, last head, err error) {
	if err := q.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'id'`).Scan(&id); err != nil {
		return "", head{}, fmt.Errorf("the database's identity: %w", err)
	}
	last = head{id: id, hash: entry.NoHash}
	err = q.QueryRowContext(ctx, `SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1`).Scan(&last.seq, &last.hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return id, last, err
}

// storedHead returns the signed head in the database, "" where there is none.
func storedHead(ctx context.Context, q querier) (string, error) {
	var signed string
	err := q.QueryRowContext(ctx, `SELECT note FROM audit_head WHERE one = 1`).Scan(&signed)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return signed, err
}
