//go:build !linux

package session

// terminal: when the session leader started is read from Linux's /proc only, and
// a number alone can be another session's tomorrow.
func terminal() string { return "" }
