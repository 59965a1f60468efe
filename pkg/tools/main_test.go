package tools

import (
	"os"
	"testing"

	"mayi/pkg/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main() // does not return in a helper of the sandbox
	os.Exit(m.Run())
}
