//go:build !linux

package journal

import "os"

// syncData makes what was written to f survive a loss of power.
func syncData(f *os.File) error { return f.Sync() }

// BootID is "": it cannot be told here, so that every record is synced.
func BootID() string { return "" }
