package sandbox

import (
	"os"
	"testing"
)

// The test program is its own helper.
func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}
