package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// ErrTampered: the audit log is not as it was written.
var ErrTampered = errors.New("the audit log was tampered with")

func tampered(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrTampered, fmt.Errorf(format, args...))
}

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
	// Unconfirmed is how many records at the end were written, but not
	// acknowledged to anybody before their process ended.
	Unconfirmed int64 `json:"unconfirmed,omitempty"`
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
	last head
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
	v := &verifier{a: a, o: o, wanted: map[int64][]claimed{}}
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
	if !v.a.db.Exists() {
		if exists(v.a.headFile()) || exists(v.a.keyFile()) || v.o.Head != "" {
			v.problem(0, "the database %s is gone, but the log's head or key is there", v.a.db.path)
		}
		return nil
	}
	pool, err := v.a.db.open(ctx)
	if err != nil {
		return err
	}
	// The file is read first: a record that comes in meanwhile makes the
	// database newer than the file, never older.
	outside, fileErr := os.ReadFile(v.a.headFile())
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := v.integrity(ctx, tx); err != nil {
		return err
	}
	if v.id, v.last, err = lastRecord(ctx, tx); err != nil {
		return err
	}
	inside, err := storedHead(ctx, tx)
	if err != nil {
		return err
	}
	v.heads(inside, string(outside), fileErr)
	return v.chain(ctx, tx)
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

// heads checks the signed heads and notes what they claim.
func (v *verifier) heads(inside, outside string, fileErr error) {
	key, err := loadKey(v.a.keyFile())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && v.last.seq == 0 && inside == "" && errors.Is(fileErr, fs.ErrNotExist) && v.o == (VerifyOptions{}) {
			return // nothing was ever written
		}
		v.problem(0, "the log's key %s is missing or unusable: %v", v.a.keyFile(), err)
		return
	}
	v.r.Key = key.public
	if v.o.Key != "" && v.o.Key != key.public {
		v.problem(0, "the log's key is not the one that you kept")
	}
	if v.o.Head != "" {
		h, err := openSigned(v.o.Head, key.public)
		v.claim(h, err, "the head that you kept")
	}
	var file head
	switch {
	case fileErr != nil:
		v.problem(0, "the head file %s is missing: %v", v.a.headFile(), fileErr)
	default:
		file, err = key.open(outside)
		v.claim(file, err, "the head file")
	}
	if inside == "" {
		if v.last.seq > 0 {
			v.problem(0, "the head in the database is missing")
		}
		return
	}
	h, err := key.open(inside)
	v.claim(h, err, "the head in the database")
	if err != nil {
		return
	}
	v.r.Head = inside
	if h.seq < v.last.seq {
		v.problem(h.seq+1, "it and what follows was added without a signature")
	}
	if fileErr == nil && v.last.seq > file.seq {
		v.r.Unconfirmed = v.last.seq - file.seq
	}
}

// claim notes what a head says about the records.
func (v *verifier) claim(h head, err error, who string) {
	switch {
	case err != nil:
		v.problem(0, "%s was changed: %v", who, err)
	case h.id != v.id:
		v.problem(0, "%s belongs to another database: this one was replaced", who)
	case h.seq > v.last.seq:
		v.problem(v.last.seq+1, "the end of the log is missing: %s says that there were %d records", who, h.seq)
	default:
		v.wanted[h.seq] = append(v.wanted[h.seq], claimed{h.hash, who})
	}
}

// chain reads every record in order.
func (v *verifier) chain(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT `+columns+` FROM audit NOT INDEXED ORDER BY seq`)
	if err != nil {
		return err
	}
	defer rows.Close()
	at := head{hash: noHash}
	for rows.Next() {
		var r row
		if err := rows.Scan(r.fields()...); err != nil {
			return err
		}
		v.r.Records++
		switch {
		case r.seq == at.seq+2:
			v.problem(r.seq-1, "it is missing")
		case r.seq != at.seq+1:
			v.problem(at.seq+1, "the records up to %d are missing or out of order", r.seq-1)
		case r.prev != at.hash:
			v.problem(r.seq, "it does not follow record %d: one of the two was replaced or moved", at.seq)
		}
		if r.sum(v.id) != r.hash {
			v.problem(r.seq, "it was changed")
		}
		for _, c := range v.wanted[r.seq] {
			if c.hash != r.hash {
				v.problem(r.seq, "it is not the one that %s was signed for", c.who)
			}
		}
		at = head{seq: r.seq, hash: r.hash}
	}
	return rows.Err()
}
