//go:build !linux

package tools

// frontOf cannot be found out here, so that all input counts as read by some
// program that is not the session's own shell.
func frontOf(*shellSession, string) front { return front{name: "the session's program"} }

func bytesRead(int) (uint64, bool) { return 0, false }
