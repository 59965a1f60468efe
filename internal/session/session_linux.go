package session

import (
	"fmt"

	"golang.org/x/sys/unix"

	"mayi/internal/proc"
	"mayi/pkg/journal"
)

// terminal names the session leader and the moment that it was started at.
func terminal() string {
	sid, err := unix.Getsid(0)
	if err != nil || sid <= 0 {
		return ""
	}
	leader, err := proc.Read(sid)
	boot := journal.BootID()
	if err != nil || len(boot) < 8 {
		return ""
	}
	return fmt.Sprintf("terminal-%s-%d-%d", boot[:8], sid, leader.Started)
}
