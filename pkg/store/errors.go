package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"mayi/pkg/approval"
)

// What can be wrong with a store, for errors.Is.
var (
	// ErrReadOnly: the file or its directory cannot be written.
	ErrReadOnly = errors.New("it cannot be written")
	// ErrFull: the disk is full, or a quota or file size limit is reached.
	ErrFull = errors.New("the disk is full")
	// ErrCorrupt: the file is damaged or no database.
	ErrCorrupt = errors.New("the file is damaged or no database")
	// ErrLocked: another process holds the file for too long.
	ErrLocked = errors.New("another process holds it locked")
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
type Error struct {
	// What was being done, and Path the database file.
	What, Path string
	// Kind is one of the package's Err values, or nil.
	Kind error
	// Mend says what the person can do.
	Mend string
	// Err is the cause.
	Err error
}

// Error returns all of it in one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("store: %s %s: ", e.What, e.Path)
	if e.Kind != nil && !errors.Is(e.Err, e.Kind) {
		s += e.Kind.Error() + ": "
	}
	s += e.Err.Error()
	if e.Mend != "" {
		s += "; " + e.Mend
	}
	return s
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Kind == nil {
		return []error{e.Err}
	}
	return []error{e.Kind, e.Err}
}

func classify(err error) error {
	for _, kind := range []error{ErrReadOnly, ErrFull, ErrCorrupt, ErrLocked, ErrNewer, ErrTampered} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ErrReadOnly
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return ErrFull
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
	case ErrReadOnly:
		return "make " + filepath.Dir(path) + " and the file writable for you, or name another place for mayi's state"
	case ErrFull:
		return "free some space there, or raise the quota or file size limit, and try again"
	case ErrCorrupt:
		return "put the files aside (mv " + path + "* SOMEWHERE) or restore a copy; a new one is made at the next start"
	case ErrLocked:
		return "end the process that holds it (fuser " + path + " names it) and try again"
	case ErrTampered:
		return "see what is wrong with: mayi log --verify; to begin a new log, put the files aside (mv " + path + "* SOMEWHERE)"
	case ErrNewer:
		return "upgrade mayi, or name another file for its state"
	}
	return ""
}
