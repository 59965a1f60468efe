// Package session names the session that a command line belongs to.
package session

// Terminal names the terminal session of this process: the session leader and
// when it started, so that a process number that is used again is another
// session. "" where that cannot be found out; such a caller has a session of
// its own that remembers nothing.
func Terminal() string { return terminal() }
