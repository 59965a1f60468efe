// Package core puts together what every decision needs: the settings, the
// reading of shell commands and the gate. Where answers and records are kept is
// handed in, so that a process that decides one call opens no database.
package core

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
)

// Options say what to put together.
type Options struct {
	Config config.Options
	// Env is the environment that calls run in.
	Env map[string]string
	// AnswerWithin bounds how long a question stays open; 0 is the gate's own.
	AnswerWithin time.Duration
	// Keep returns what remembers and records under the state folder, "" where
	// there is none; nil: nothing is remembered, and nothing may be run.
	Keep func(stateDir string) Keeper
}

// Keeper remembers answers and records calls. Either may be nil, as in
// [gate.Options].
type Keeper struct {
	Grants   func(session string) approval.Grants
	Recorder gate.Recorder
}

// Core is the assembled middle.
type Core struct {
	Config   config.Options
	Settings *config.Settings
	Gate     *gate.Gate
}

// Open puts the parts together. Broken settings are no error: they are a
// policy under which nothing runs, and Settings.Problems says why.
func Open(o Options) (*Core, error) {
	settings := load(o.Config)
	base, err := extend(settings)
	if err != nil {
		return nil, err
	}
	c := &Core{Config: settings.Options(), Settings: settings}
	var keep Keeper
	if o.Keep != nil {
		keep = o.Keep(c.Config.StateDir)
	}
	c.Gate, err = gate.New(gate.Options{
		Settings: settings, Analyzer: shell.New(base),
		Cwd: c.Config.Cwd, Home: c.Config.Home, User: c.Config.User, Env: o.Env,
		AnswerWithin: o.AnswerWithin,
		AddRule:      adder(o.Config),
		Grants:       keep.Grants, Recorder: keep.Recorder,
	})
	return c, err
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
