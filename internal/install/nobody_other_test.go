//go:build !unix

package install_test

import "testing"

// asNobody is for systems that have a root.
func asNobody(t *testing.T, _ string) { t.Fatal("there is no other user here") }
