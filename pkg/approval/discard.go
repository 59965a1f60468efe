package approval

import "os"

// DiscardInput throws away what was typed at the terminal f and not yet read, an
// unfinished line included. Whoever shows questions in a conversation ([Chat])
// calls it before a question appears, so that what was typed before does not
// answer it.
func DiscardInput(f *os.File) error { return flushInput(f) }
