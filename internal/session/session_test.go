package session

import (
	"regexp"
	"testing"
)

// TestTheNameTellsSessionsApart: the boot, the leader and its start are in it, so
// that a number that is used again is another session.
func TestTheNameTellsSessionsApart(t *testing.T) {
	name := Terminal()
	if name == "" {
		t.Skip("this system does not say which session a process is in")
	}
	if !regexp.MustCompile(`^terminal-[0-9a-f]{8}-[1-9][0-9]*-[1-9][0-9]*$`).MatchString(name) {
		t.Errorf("the name %q lacks boot, leader or start", name)
	}
	if again := Terminal(); again != name {
		t.Errorf("%q, then %q", name, again)
	}
}
