// Package journal keeps the audit log going without its database: records go
// into a file beside it, in the same chain, and the database takes them over
// when it is next opened. It also tells, without opening the database, whether
// a session has answers in there. It is for processes that live for a few
// milliseconds.
//
// Beside a database PATH stand PATH.head (the log's end, and the lock that all
// writers take), PATH.key, PATH.pending (records that the database may not hold
// yet) and PATH.sessions (a mark for each session with answers).
package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"
	"time"

	"mayi/pkg/journal/entry"
)

// Light is the store as far as it goes without its database. Safe for
// concurrent use, also by several processes.
type Light struct {
	path   string
	wait   time.Duration
	masker func() *entry.Masker
}

// At returns the light side of the store in the file path. It touches nothing.
func At(path string) *Light {
	return &Light{path: path, wait: 10 * time.Second, masker: sync.OnceValue(entry.NewMasker)}
}

// Append writes r and returns it as it was written. When it returns, a loss of
// power cannot take the record, and its removal would be found; on an error the
// action that it is about must not run. An error that wraps [ErrDatabase] means
// that the store's own Append would do it.
func (l *Light) Append(ctx context.Context, r entry.Record) (entry.Record, error) {
	return l.write(ctx, r, true)
}

// Note is Append for a record about what changed nothing (a reading, a
// decision, a refusal): it survives the end of the process, but a loss of power
// may take it, which the log then says.
func (l *Light) Note(ctx context.Context, r entry.Record) (entry.Record, error) {
	return l.write(ctx, r, false)
}

func (l *Light) write(ctx context.Context, r entry.Record, durable bool) (entry.Record, error) {
	if r.Event == "" {
		return r, errors.New("store: a record needs an event")
	}
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	row := entry.NewRow(r, l.masker())
	if err := l.append(ctx, row, durable); err != nil {
		return r, explain("write a record beside", l.path, err)
	}
	return row.Record()
}

func (l *Light) append(ctx context.Context, row *entry.Row, durable bool) error {
	h, err := Hold(ctx, l.path, l.wait, true)
	if err != nil {
		return err
	}
	defer h.Close()
	if err := ctx.Err(); err != nil {
		return err
	}
	there := exists(l.path)
	if h.Fresh() {
		if there {
			return ErrDatabase // it may hold records whose key was removed
		}
		if err := h.Start(rand.Text()); err != nil {
			return err
		}
	}
	if err := h.Resume(there); err != nil {
		return err
	}
	_, err = h.Append(row, durable)
	return err
}

// Pending is how many bytes the journal has, to tell when it is worth a
// process's while to open the database and let it take them over.
func (l *Light) Pending() int64 {
	info, err := os.Lstat(lineFile(l.path))
	if err != nil {
		return 0
	}
	return info.Size()
}

// MayRemember reports whether the session may have answers in the database.
// Only false says something: there are none, and nothing has to be opened.
func (l *Light) MayRemember(session string) bool {
	return exists(l.path) && NewMarks(l.path).May(session)
}
