package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// Audit is the append-only log.
type Audit struct {
	db     *DB
	masker func() *Masker

	mu  sync.Mutex
	key *keyring
	// seen is the head file as this process wrote or checked it last, and
	// what it says.
	seen     string
	seenHead head
}

// Audit returns the log. It touches nothing yet; all calls share one value.
func (db *DB) Audit() *Audit { return db.audit }

func newAudit(db *DB) *Audit { return &Audit{db: db, masker: sync.OnceValue(NewMasker)} }

func (a *Audit) headFile() string { return a.db.path + ".head" }
func (a *Audit) keyFile() string  { return a.db.path + ".key" }

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
	line, err := newRow(r, a.masker())
	if err != nil {
		return r, a.db.explain("write a record into", err)
	}
	if err := a.db.update(ctx, "write a record into", func(tx *sql.Tx) error { return a.insert(ctx, tx, line) }); err != nil {
		return r, err
	}
	// The record is committed; a caller that gives up now must not keep its
	// confirmation from being written.
	ctx = context.WithoutCancel(ctx)
	if err := a.db.update(ctx, "confirm a record of", func(tx *sql.Tx) error { return a.confirm(ctx, tx, line.seq) }); err != nil {
		return r, err
	}
	written, err := line.record()
	return written, a.db.explain("write a record into", err)
}

// insert chains the row to the last one and signs the new end.
func (a *Audit) insert(ctx context.Context, tx *sql.Tx, line *row) error {
	key, last, err := a.end(ctx, tx)
	if err != nil {
		return err
	}
	line.seq, line.prev = last.seq+1, last.hash
	line.hash = line.sum(last.id)
	args := line.fields()
	if _, err := tx.ExecContext(ctx, `INSERT INTO audit (`+columns+`) VALUES (?`+strings.Repeat(",?", len(args)-1)+`)`, deref(args)...); err != nil {
		return err
	}
	signed, err := key.sign(head{id: last.id, seq: line.seq, hash: line.hash})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO audit_head (one, note) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET note = excluded.note`, signed)
	return err
}

// end returns the log's end after checking that the last record, the head in
// the database and the head in the file fit together. It starts a new log.
func (a *Audit) end(ctx context.Context, tx *sql.Tx) (*keyring, head, error) {
	id, last, err := lastRecord(ctx, tx)
	if err != nil {
		return nil, head{}, err
	}
	inside, err := storedHead(ctx, tx)
	if err != nil {
		return nil, head{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if inside == "" && last.seq == 0 {
		if err := a.start(id); err != nil {
			return nil, head{}, err
		}
	} else if a.key == nil {
		if a.key, err = loadKey(a.keyFile()); err != nil {
			return nil, head{}, tampered("the log's key is missing or unusable: %w", err)
		}
	}
	if inside != "" {
		h, err := a.key.open(inside)
		switch {
		case err != nil:
			return nil, head{}, tampered("the head in the database was changed: %w", err)
		case h != last:
			return nil, head{}, tampered("the log ends with record %d, but its head says %d", last.seq, h.seq)
		}
	}
	outside, err := os.ReadFile(a.headFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, head{}, tampered("the head file %s is missing", a.headFile())
	case err != nil:
		return nil, head{}, err
	}
	h, err := a.checked(string(outside))
	switch {
	case err != nil:
		return nil, head{}, tampered("the head file %s was changed: %w", a.headFile(), err)
	case h.id != id || h.seq > last.seq:
		return nil, head{}, tampered("the log ends with record %d, but the head file says %d", last.seq, h.seq)
	}
	return a.key, last, nil
}

// checked opens the head file's text, and remembers it: mostly it is the one
// that this process wrote itself.
func (a *Audit) checked(signed string) (head, error) {
	if signed == a.seen && signed != "" {
		return a.seenHead, nil
	}
	h, err := a.key.open(signed)
	if err == nil {
		a.seen, a.seenHead = signed, h
	}
	return h, err
}

// start makes the head and the key of an empty log, in this order: a key
// without a head means that the head was removed, a head without a key (of a
// log without records) that an earlier start was cut short.
func (a *Audit) start(id string) error {
	key, err := loadKey(a.keyFile())
	if err == nil {
		a.key = key
		return nil // end looks at the head
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return tampered("the log's key is unusable: %w", err)
	}
	if old, err := os.ReadFile(a.headFile()); err == nil && !cutShort(string(old), id) {
		return tampered("there is a head file %s of a log whose records and key are gone", a.headFile())
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	private, key, err := newKey()
	if err != nil {
		return err
	}
	signed, err := key.sign(head{id: id, hash: noHash})
	if err != nil {
		return err
	}
	if err := writeDurably(a.headFile(), []byte(signed)); err != nil {
		return err
	}
	if err := writeDurably(a.keyFile(), []byte(private+"\n")); err != nil {
		return err
	}
	a.key = key
	return nil
}

// cutShort reports whether a head is that of an empty log of this database.
func cutShort(signed, id string) bool {
	return strings.HasPrefix(signed, head{id: id, hash: noHash}.text())
}

// confirm copies the database's head into the file, unless a later one stands
// there. The transaction keeps other processes from doing the same now.
func (a *Audit) confirm(ctx context.Context, tx *sql.Tx, seq int64) error {
	inside, err := storedHead(ctx, tx)
	if err != nil {
		return err
	}
	outside, err := os.ReadFile(a.headFile())
	if err != nil {
		return tampered("the head file is missing: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h, err := a.checked(string(outside))
	if err != nil {
		return tampered("the head file %s was changed: %w", a.headFile(), err)
	}
	if h.seq >= seq {
		return nil
	}
	if err := writeDurably(a.headFile(), []byte(inside)); err != nil {
		return fmt.Errorf("write %s: %w", a.headFile(), err)
	}
	_, err = a.checked(inside)
	return err
}

// lastRecord returns the database's identity and its last record as a head.
func lastRecord(ctx context.Context, q querier) (id string, last head, err error) {
	if err := q.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'id'`).Scan(&id); err != nil {
		return "", head{}, fmt.Errorf("the database's identity: %w", err)
	}
	last = head{id: id, hash: noHash}
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

// deref turns the pointers of row.fields into values.
func deref(fields []any) []any {
	out := make([]any, len(fields))
	for i, f := range fields {
		switch p := f.(type) {
		case *string:
			out[i] = *p
		case *int64:
			out[i] = *p
		case **int64:
			if *p != nil {
				out[i] = **p
			}
		}
	}
	return out
}
