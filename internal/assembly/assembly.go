// Package assembly is the core with the store behind it, which is opened only
// when something needs it.
package assembly

import (
	"context"
	"path/filepath"
	"time"

	"mayi/internal/core"
	"mayi/internal/record"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/journal/entry"
	"mayi/pkg/store"
)

// Options say what to put together.
type Options struct {
	Config config.Options
	// Env is the environment that calls run in.
	Env map[string]string
	// AnswerWithin bounds how long a question stays open; 0 is the gate's own.
	AnswerWithin time.Duration
	// Grants replaces the store's grants, nil for those.
	Grants func(session string) approval.Grants
	// NoRecord: nothing will be run, so that nothing has to be recorded.
	NoRecord bool
	// Append replaces the store's own way of writing a record: it is handed that
	// way and the path of the store's file. nil is the store's own.
	Append func(path string, own Appender) Appender
}

// Appender writes one entry of the audit log; see store.Audit.Append.
type Appender = func(context.Context, entry.Record) (entry.Record, error)

// App is the assembled whole.
type App struct {
	*core.Core
	// Store is opened by its first use; nil where there is no state folder.
	Store *store.DB
}

// Open puts the parts together. Broken settings are no error: they are a
// policy under which nothing runs, and App.Settings.Problems says why.
func Open(o Options) (*App, error) {
	app := &App{}
	keep := func(stateDir string) core.Keeper {
		k := core.Keeper{Grants: o.Grants}
		if stateDir == "" {
			return k
		}
		app.Store = store.At(filepath.Join(stateDir, "mayi.db"))
		if k.Grants == nil {
			k.Grants = func(session string) approval.Grants { return app.Store.Grants(session) }
		}
		if !o.NoRecord {
			own := app.Store.Audit().Append
			if o.Append != nil {
				own = o.Append(filepath.Join(stateDir, "mayi.db"), own)
			}
			k.Recorder = record.Recorder{Append: own}
		}
		return k
	}
	var err error
	app.Core, err = core.Open(core.Options{Config: o.Config, Env: o.Env, AnswerWithin: o.AnswerWithin, Keep: keep})
	return app, err
}

// Close gives the store back, where it was opened.
func (a *App) Close() error {
	if a.Store == nil {
		return nil
	}
	return a.Store.Close()
}
