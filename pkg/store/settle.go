package store

import (
	"context"
	"database/sql"

	"mayi/pkg/journal"
	"mayi/pkg/journal/entry"
)

// settle checks that the last record, the head in the database and the files
// beside it fit together, and takes over what the journal holds. It starts a
// new log, and adopts one that was started without the database.
func (a *Audit) settle(ctx context.Context, tx *sql.Tx, h *journal.Held) (*keyring, string, error) {
	id, last, err := lastRecord(ctx, tx)
	if err != nil {
		return nil, "", err
	}
	inside, err := storedHead(ctx, tx)
	if err != nil {
		return nil, "", err
	}
	empty := inside == "" && last.seq == 0
	if empty && h.Fresh() {
		if err := h.Start(id); err != nil {
			return nil, "", err
		}
	}
	k, err := h.Key()
	if err != nil {
		return nil, "", journal.Tampered("%w", err)
	}
	key, err := a.signer(k)
	if err != nil {
		return nil, "", journal.Tampered("%w", err)
	}
	if !empty {
		if err := fits(key, inside, last); err != nil {
			return nil, "", err
		}
	}
	if err := upgrade(h, key, last); err != nil {
		return nil, "", err
	}
	s, err := h.State()
	if err != nil {
		return nil, "", journal.Tampered("%w", err)
	}
	if s.ID != id {
		if !empty || s.Base > 0 {
			return nil, "", journal.Tampered("the head file belongs to another database: this one was replaced")
		}
		if _, err := tx.ExecContext(ctx, `UPDATE meta SET value = ? WHERE name = 'id'`, s.ID); err != nil {
			return nil, "", err
		}
		id = s.ID
	}
	switch {
	case last.seq < s.Base:
		return nil, "", journal.Tampered("the database ends with record %d, but the head file says that it held %d", last.seq, s.Base)
	case last.seq > s.Seq:
		return nil, "", journal.Tampered("the database has %d records, but the head file says that there were %d", last.seq, s.Seq)
	}
	err = h.Replay(journal.End{Seq: last.seq, Hash: last.hash}, func(r *entry.Row) error { return insert(ctx, tx, r) })
	return key, id, err
}

// fits checks the head in the database against the last record.
func fits(key *keyring, inside string, last head) error {
	if inside == "" {
		return journal.Tampered("the head in the database is missing")
	}
	h, err := key.open(inside)
	switch {
	case err != nil:
		return journal.Tampered("the head in the database was changed: %w", err)
	case h != last:
		return journal.Tampered("the log ends with record %d, but its head says %d", last.seq, h.seq)
	}
	return nil
}

// upgrade turns the head file of an older mayi, which wrote it after each
// record, into one of today.
func upgrade(h *journal.Held, key *keyring, last head) error {
	if h.Old() == "" {
		return nil
	}
	old, err := key.open(h.Old())
	switch {
	case err != nil:
		return journal.Tampered("the head file was changed: %w", err)
	case old.id != last.id || old.seq > last.seq:
		return journal.Tampered("the log ends with record %d, but the head file says %d", last.seq, old.seq)
	}
	return h.Adopt(last.id, journal.End{Seq: last.seq, Hash: last.hash})
}
