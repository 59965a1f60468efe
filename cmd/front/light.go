package main

import (
	"path/filepath"

	"mayi/internal/core"
	"mayi/internal/record"
	"mayi/pkg/journal"
)

// light keeps the record without the database. The returned ok is false where
// the session may have answers in there, which only the engine can read.
func light(session string) (keep func(stateDir string) core.Keeper, ok func() bool) {
	known := true
	keep = func(stateDir string) core.Keeper {
		if stateDir == "" {
			known = false
			return core.Keeper{}
		}
		l := journal.At(filepath.Join(stateDir, "mayi.db"))
		known = session == "" || !l.MayRemember(session)
		return core.Keeper{Recorder: record.Recorder{Append: l.Append, Note: l.Note}}
	}
	return keep, func() bool { return known }
}
