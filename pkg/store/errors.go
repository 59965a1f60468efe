package store

import (
	"context"
	"errors"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"mayi/pkg/approval"
	"mayi/pkg/journal"
)

// What can be wrong with a store, for errors.Is.
var (
	// ErrReadOnly: the file or its directory cannot be written.
	ErrReadOnly = journal.ErrReadOnly
	// ErrFull: the disk is full, or a quota or file size limit is reached.
	ErrFull = journal.ErrFull
	// ErrLocked: another process holds the file for too long.
	ErrLocked = journal.ErrLocked
	// ErrTampered: the audit log is not as it was written.
	ErrTampered = journal.ErrTampered
	// ErrCorrupt: the file is damaged or no database.
	ErrCorrupt = errors.New("the file is damaged or no database")
	// ErrNewer: the file was written by a newer mayi.
	ErrNewer = errors.New("it was written by a newer mayi")

	errForeign = errors.New("it is another program's database")
)

// explain turns an error into one for people: what was done, to which file,
// what is wrong, how to mend it. nil stays nil.
func (db *DB) explain(what string, err error) error {
	if err == nil {
		return nil
	}
	var done *Error
	if errors.As(err, &done) || passed(err) {
		return err
	}
	kind := classify(err)
	return &Error{What: what, Path: db.path, Kind: kind, Mend: mend(kind, err, db.path), Err: err}
}

// passed lists errors that are answers, not faults of the store.
func passed(err error) bool {
	return errors.Is(err, approval.ErrNoQuestion) || errors.Is(err, approval.ErrNotOwner) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Error is a fault of the store.
type Error = journal.Error

func classify(err error) error {
	for _, kind := range []error{ErrCorrupt, ErrNewer} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	if kind := journal.Classify(err); kind != nil {
		return kind
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() {
	case lib.SQLITE_IOERR_WRITE, lib.SQLITE_IOERR_SHMSIZE, lib.SQLITE_IOERR_TRUNCATE:
		// SQLite says no more than "I/O error" where a limit on the file's
		// size, a quota or a full disk stops it.
		return ErrFull
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		return ErrReadOnly
	case lib.SQLITE_FULL:
		return ErrFull
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return ErrCorrupt
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return ErrLocked
	}
	return nil
}

func mend(kind, err error, path string) string {
	if errors.Is(err, errForeign) {
		return "name another file for mayi's state"
	}
	switch kind {
	case ErrCorrupt:
		return "put the files aside (mv " + path + "* SOMEWHERE) or restore a copy; a new one is made at the next start"
	case ErrNewer:
		return "upgrade mayi, or name another file for its state"
	}
	return journal.Mend(kind, path)
}
