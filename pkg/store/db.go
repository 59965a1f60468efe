// Package store keeps what outlives a process: the answers of sessions, open
// questions, and the audit log, in one SQLite file.
//
// A [DB] made by [At] touches nothing until it is needed. Several processes
// may share a file. Every error says what failed, where, and how to mend it;
// on an error nothing counts as granted.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// DB is a store. Safe for concurrent use.
type DB struct {
	path string
	now  func() time.Time
	busy time.Duration

	mu     sync.Mutex
	sql    *sql.DB
	closed bool
	// write lets one goroutine of this process write at a time: waiting here
	// is cheaper and fairer than in SQLite's busy loop.
	write chan struct{}
	audit *Audit
}

// Option sets how a store works.
type Option func(*DB)

// WithBusyTimeout sets how long a write waits for another process (10 s).
func WithBusyTimeout(d time.Duration) Option { return func(db *DB) { db.busy = d } }

// WithClock sets the clock that stamps and expires.
func WithClock(now func() time.Time) Option { return func(db *DB) { db.now = now } }

// At returns the store in the file path without touching the disk: it is
// opened, and made where it does not exist, when something needs it.
func At(path string, opts ...Option) *DB {
	db := &DB{path: path, now: time.Now, busy: 10 * time.Second, write: make(chan struct{}, 1)}
	db.audit = newAudit(db)
	for _, o := range opts {
		o(db)
	}
	return db
}

// Open opens the store in the file path, making it where it does not exist:
// its directory for the owner only (0700), the file too (0600).
func Open(path string, opts ...Option) (*DB, error) {
	db := At(path, opts...)
	if _, err := db.open(context.Background()); err != nil {
		return nil, err
	}
	return db, nil
}

// Path is the file's name.
func (db *DB) Path() string { return db.path }

// Exists reports whether there is a file to open, without opening it.
func (db *DB) Exists() bool {
	_, err := os.Lstat(db.path)
	return !errors.Is(err, os.ErrNotExist)
}

// Close closes the store. It can be called again.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.closed = true
	if db.sql == nil {
		return nil
	}
	err := db.sql.Close()
	db.sql = nil
	return db.explain("close", err)
}

// open returns the connections, opening them at the first need. A failed
// attempt is tried again at the next.
func (db *DB) open(ctx context.Context) (*sql.DB, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, fmt.Errorf("store: %s was closed", db.path)
	}
	if db.sql != nil {
		return db.sql, nil
	}
	if err := prepareFile(db.path); err != nil {
		return nil, db.explain("open", err)
	}
	pool, err := db.connect(ctx)
	// Where several processes turn a new file into a database at once, SQLite
	// does not wait as it does otherwise.
	for deadline := time.Now().Add(db.busy); errors.Is(classify(err), ErrLocked) && time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return nil, db.explain("open", err)
		case <-time.After(5 * time.Millisecond):
		}
		pool, err = db.connect(ctx)
	}
	if err != nil {
		return nil, db.explain("open", err)
	}
	db.sql = pool
	return pool, nil
}

// connect makes the connections and brings the database up to date.
func (db *DB) connect(ctx context.Context) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", db.dsn())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(4)
	pool.SetMaxIdleConns(4)
	err = migrate(ctx, pool)
	if err == nil {
		err = mark(ctx, pool, db.path)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// dsn asks for what every connection needs. synchronous FULL: what was
// committed survives a loss of power, which the audit promises.
func (db *DB) dsn() string {
	path, err := filepath.Abs(db.path)
	if err != nil {
		path = db.path
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	q := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", db.busy.Milliseconds()),
		"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)",
	}, "_txlock": {"immediate"}}
	return u.String() + "?" + q.Encode()
}

// update runs f in a transaction that has the right to write from its start,
// so that what f reads cannot change before it writes.
func (db *DB) update(ctx context.Context, what string, f func(tx *sql.Tx) error) error {
	pool, err := db.open(ctx)
	if err != nil {
		return err
	}
	select {
	case db.write <- struct{}{}:
		defer func() { <-db.write }()
	case <-ctx.Done():
		return fmt.Errorf("store: %s: %w", what, ctx.Err())
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return db.explain(what, err)
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return db.explain(what, err)
	}
	return db.explain(what, tx.Commit())
}
