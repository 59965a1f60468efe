// Package assembly puts the parts together: settings, the reading of shell
// commands, the gate, and the store behind it, which is opened only when
// something needs it.
package assembly

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
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
}

// App is the assembled whole.
type App struct {
	Config   config.Options
	Settings *config.Settings
	Gate     *gate.Gate
	// Store is opened by its first use.
	Store *store.DB
}

// Open puts the parts together. Broken settings are no error: they are a
// policy under which nothing runs, and App.Settings.Problems says why.
func Open(o Options) (*App, error) {
	settings := load(o.Config)
	base, err := extend(settings)
	if err != nil {
		return nil, err
	}
	app := &App{Config: settings.Options(), Settings: settings}
	if dir := app.Config.StateDir; dir != "" {
		app.Store = store.At(filepath.Join(dir, "mayi.db"))
	}
	options := gate.Options{
		Settings: settings, Analyzer: shell.New(base),
		Cwd: app.Config.Cwd, Home: app.Config.Home, User: app.Config.User, Env: o.Env,
		AnswerWithin: o.AnswerWithin,
		AddRule:      adder(o.Config),
		Grants:       o.Grants,
	}
	if options.Grants == nil && app.Store != nil {
		options.Grants = func(session string) approval.Grants { return app.Store.Grants(session) }
	}
	if !o.NoRecord && app.Store != nil {
		options.Recorder = recorder{app.Store.Audit()}
	}
	app.Gate, err = gate.New(options)
	return app, err
}

// load reads the settings; what is wrong with them is in the value.
func load(o config.Options) *config.Settings {
	s, _ := config.Load(o)
	return s
}

// extend adds the person's own entries to the knowledge base. An entry that
// cannot be used is a problem of the settings like any other.
func extend(s *config.Settings) (*knowledge.Base, error) {
	base := knowledge.Load()
	if len(s.Commands) == 0 {
		return base, nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Commands)) {
		more, err := base.Extend(map[string]json.RawMessage{name: s.Commands[name]})
		if err != nil {
			at := s.Sources["commands."+name]
			s.Problems = append(s.Problems, config.Problem{File: at.File, Line: at.Line, Col: at.Col, Text: err.Error(), Hint: "the format is described in pkg/shell/knowledge/README.md"})
			continue
		}
		base = more
	}
	return base, nil
}

// adder writes a rule that a person chose with "always".
func adder(o config.Options) func(context.Context, string, string) (*config.Settings, error) {
	return func(_ context.Context, layer, rule string) (*config.Settings, error) {
		if err := config.AddRuleTo(o, layer, permissions.ActionAllow, rule); err != nil {
			return nil, err
		}
		return load(o), nil
	}
}

// Close gives the store back, where it was opened.
func (a *App) Close() error {
	if a.Store == nil {
		return nil
	}
	return a.Store.Close()
}
