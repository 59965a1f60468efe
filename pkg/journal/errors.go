package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// What can be wrong with the log's files, for errors.Is.
var (
	// ErrReadOnly: the file or its directory cannot be written.
	ErrReadOnly = errors.New("it cannot be written")
	// ErrFull: the disk is full, or a quota or file size limit is reached.
	ErrFull = errors.New("the disk is full")
	// ErrLocked: another process holds the file for too long.
	ErrLocked = errors.New("another process holds it locked")
	// ErrTampered: the audit log is not as it was written.
	ErrTampered = errors.New("the audit log was tampered with")
	// ErrDatabase: only who opens the database can tell how the log goes on.
	// Nothing is wrong yet; let the database's side append.
	ErrDatabase = errors.New("the log can only be continued with its database")
)

// Tampered is an error that wraps [ErrTampered] and says what was found.
func Tampered(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrTampered, fmt.Errorf(format, args...))
}

// Error is a fault of the store or of the log's files beside it.
type Error struct {
	// What was being done, and Path the database file.
	What, Path string
	// Kind is one of the package's Err values or of the store's, or nil.
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

// Classify returns which of the package's Err values an error is, or nil.
func Classify(err error) error {
	for _, kind := range []error{ErrReadOnly, ErrFull, ErrLocked, ErrTampered, ErrDatabase} {
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
	return nil
}

// Mend says what a person can do about an error of that kind with the database
// in the file path, "" where nothing is known.
func Mend(kind error, path string) string {
	switch kind {
	case ErrReadOnly:
		return "make " + filepath.Dir(path) + " and the file writable for you, or name another place for mayi's state (XDG_STATE_HOME)"
	case ErrFull:
		return "free some space there, or raise the quota or file size limit, and try again"
	case ErrLocked:
		return "end the process that holds it (fuser " + path + "* names it) and try again"
	case ErrTampered:
		return "see what is wrong with: mayi log --verify; to begin a new log, put the files aside (mv " + path + "* SOMEWHERE)"
	case ErrDatabase:
		return "run mayi log --verify, which opens it"
	}
	return ""
}

// explain turns an error into one for people; nil and a caller's giving up stay
// what they are.
func explain(what, path string, err error) error {
	var done *Error
	if err == nil || errors.As(err, &done) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := Classify(err)
	return &Error{What: what, Path: path, Kind: kind, Mend: Mend(kind, path), Err: err}
}
