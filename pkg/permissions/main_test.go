package permissions

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes the property tests look at more cases than rapid's default
// and leave no files behind; -rapid.checks overrides it.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "600", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
