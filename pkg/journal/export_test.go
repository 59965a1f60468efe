package journal

import "testing"

// Reboot makes the log one that was last written in an earlier run of the machine.
func Reboot(t *testing.T, path string) { reboot(t, path) }
