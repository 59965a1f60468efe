// Package ledger keeps the record of a process that passes on many calls in a
// short time: what began is written before it begins, as everywhere, but the
// disk is waited for once for many of them.
package ledger

import (
	"context"
	"errors"
	"sync"
	"time"

	"mayi/internal/assembly"
	"mayi/pkg/gate"
	"mayi/pkg/journal"
	"mayi/pkg/journal/entry"
)

// syncEvery is how long written records may wait for the disk while calls end:
// so much of the record a loss of power can take, and the log then says so.
const syncEvery = 200 * time.Millisecond

// takeOverAt is the size of the journal, in bytes, from which the database is
// made to take it over.
const takeOverAt = 1 << 20

// Append returns a way of writing records into the journal beside the store in
// the file path, of which own is the store's own way; for assembly.Options. It is
// safe for concurrent use.
func Append(path string, own assembly.Appender) assembly.Appender {
	l := &ledger{light: journal.At(path), own: own}
	return l.append
}

type ledger struct {
	light *journal.Light
	own   assembly.Appender

	mu     sync.Mutex
	synced time.Time
}

func (l *ledger) append(ctx context.Context, r entry.Record) (entry.Record, error) {
	write := l.light.Append
	switch gate.Event(r.Event) {
	case gate.Began:
		write = l.light.Note
	case gate.Ended:
		// Nobody waits for the end of a call to be written.
		switch {
		case l.light.Pending() > takeOverAt:
			write = l.own
		case !l.due():
			write = l.light.Note
		}
	}
	written, err := write(ctx, r)
	if errors.Is(err, journal.ErrDatabase) {
		return l.own(ctx, r)
	}
	return written, err
}

// due reports whether the disk has to be waited for now, and notes that it is.
func (l *ledger) due() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.synced) < syncEvery {
		return false
	}
	l.synced = time.Now()
	return true
}
