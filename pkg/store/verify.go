package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"mayi/pkg/journal/entry"
)

// VerifyOptions are what the person kept elsewhere; empty fields are not used.
type VerifyOptions struct {
	// Key is the log's public key ([Report.Key]), Head an earlier signed head
	// ([Report.Head]): with them a replaced or rolled-back state directory is
	// found, too.
	Key, Head string
}

// Report is the outcome of a verification.
type Report struct {
	// Records is how many records there are.
	Records int64 `json:"records"`
	// Pending is how many of them stand in the journal beside the database.
	Pending int64 `json:"pending,omitempty"`
	// Unconfirmed is how many records at the end were written, but not
	// acknowledged to anybody before their process ended.
	Unconfirmed int64 `json:"unconfirmed,omitempty"`
	// Lost is how many records at the end were not synced and are gone with the
	// run of the machine in which they were written.
	Lost int64 `json:"lost,omitempty"`
	// Key is the log's public key, Head its signed end: to be kept elsewhere.
	Key  string `json:"key,omitempty"`
	Head string `json:"head,omitempty"`
	// Problems is empty for a log that is as it was written.
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is one finding.
type Problem struct {
	// Seq is the record that it is about, 0 for the log as a whole.
	Seq  int64  `json:"seq,omitempty"`
	Text string `json:"text"`
}

// String is the finding on one line.
func (p Problem) String() string {
	if p.Seq == 0 {
		return p.Text
	}
	return fmt.Sprintf("record %d: %s", p.Seq, p.Text)
}

// maxProblems bounds a report; what is beyond is counted in its last entry.
const maxProblems = 100

// verifier collects what is found.
type verifier struct {
	a    *Audit
	o    VerifyOptions
	r    Report
	more int
	id   string
	key  *keyring
	// base is the database's last record, at the one that was read last.
	base, at head
	// last is the number of the log's last record, journal included.
	last int64
	// wanted are hashes that signed heads claim for records, by number.
	wanted map[int64][]claimed
}

type claimed struct{ hash, who string }

func (v *verifier) problem(seq int64, format string, args ...any) {
	if len(v.r.Problems) >= maxProblems {
		v.more++
		return
	}
	v.r.Problems = append(v.r.Problems, Problem{Seq: seq, Text: fmt.Sprintf(format, args...)})
}

// Verify reads the whole log and checks every record, the chain, and the
// signed heads, in one consistent view. A log that is not as it was written
// gives an error that wraps [ErrTampered], with the findings in the report.
func (a *Audit) Verify(ctx context.Context, o VerifyOptions) (Report, error) {
	v := &verifier{a: a, o: o, at: head{hash: entry.NoHash}, wanted: map[int64][]claimed{}}
	if err := v.run(ctx); err != nil {
		return v.r, a.db.explain("verify", err)
	}
	if v.more > 0 {
		v.r.Problems = append(v.r.Problems, Problem{Text: fmt.Sprintf("and %d more findings", v.more)})
	}
	if len(v.r.Problems) > 0 {
		return v.r, fmt.Errorf("store: %s: %w: %s", a.db.path, ErrTampered, v.r.Problems[0])
	}
	return v.r, nil
}

func (v *verifier) run(ctx context.Context) error {
	tx, f, err := v.look(ctx)
	if tx != nil {
		defer tx.Rollback()
	}
	if err != nil {
		return err
	}
	inside := ""
	if tx != nil {
		if err := v.integrity(ctx, tx); err != nil {
			return err
		}
		if inside, err = storedHead(ctx, tx); err != nil {
			return err
		}
	}
	if v.nothing(f, inside) {
		return nil
	}
	v.heads(f, inside)
	if tx != nil {
		if err := v.chain(ctx, tx); err != nil {
			return err
		}
	}
	v.journal(f)
	v.sign(inside)
	return nil
}

// look takes a consistent view of the database and the files beside it: the
// log stands still only for this moment.
func (v *verifier) look(ctx context.Context) (*sql.Tx, *files, error) {
	there := v.a.db.Exists()
	var pool *sql.DB
	if there {
		var err error
		if pool, err = v.a.db.open(ctx); err != nil {
			return nil, nil, err
		}
	}
	h, free, err := v.a.hold(ctx, "verify", false)
	if err != nil {
		return nil, nil, err
	}
	defer free()
	f, err := filesOf(h)
	if err != nil || !there {
		return nil, f, err
	}
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, f, err
	}
	v.id, v.base, err = lastRecord(ctx, tx) // the first reading fixes the view
	return tx, f, err
}

// integrity asks SQLite whether tables and indexes agree.
func (v *verifier) integrity(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `PRAGMA integrity_check(10)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if text != "ok" {
			v.problem(0, "the database file is damaged: %s", strings.TrimSpace(text))
		}
	}
	return rows.Err()
}

// row checks one record against the one before and what is claimed about it.
func (v *verifier) row(r *entry.Row) {
	v.r.Records++
	switch {
	case r.Seq == v.at.seq+2:
		v.problem(r.Seq-1, "it is missing")
	case r.Seq != v.at.seq+1:
		v.problem(v.at.seq+1, "the records up to %d are missing or out of order", r.Seq-1)
	case r.Prev != v.at.hash:
		v.problem(r.Seq, "it does not follow record %d: one of the two was replaced or moved", v.at.seq)
	}
	if r.Sum(v.id) != r.Hash {
		v.problem(r.Seq, "it was changed")
	}
	for _, c := range v.wanted[r.Seq] {
		if c.hash != r.Hash {
			v.problem(r.Seq, "it is not the one that %s was signed for", c.who)
		}
	}
	v.at = head{seq: r.Seq, hash: r.Hash}
}

// chain reads every record of the database in order.
func (v *verifier) chain(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT `+columns+` FROM audit NOT INDEXED ORDER BY seq`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r entry.Row
		if err := rows.Scan(fields(&r)...); err != nil {
			return err
		}
		v.row(&r)
	}
	return rows.Err()
}
