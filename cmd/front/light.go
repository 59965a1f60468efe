//go:build linux

package main

import (
	"path/filepath"

	"mayi/internal/core"
	"mayi/internal/record"
	"mayi/pkg/journal"
)

// takeOverAt is the size of the journal, in bytes, from which the engine is left
// to do the work, which makes the database take the journal over.
const takeOverAt = 1 << 20

// light keeps the record without the database. The returned ok is false where
// the session may have answers in there, which only the engine can read, or
// where the journal has become long.
func light(session string) (keep func(stateDir string) core.Keeper, ok func() bool) {
	known := true
	keep = func(stateDir string) core.Keeper {
		if stateDir == "" {
			known = false
			return core.Keeper{}
		}
		l := journal.At(filepath.Join(stateDir, "mayi.db"))
		known = (session == "" || !l.MayRemember(session)) && l.Pending() < takeOverAt
		return core.Keeper{Recorder: record.Recorder{Append: l.Append, Note: l.Note}}
	}
	return keep, func() bool { return known }
}
