package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHasDashed(t *testing.T) {
	dir := t.TempDir()
	if HasDashed(dir) {
		t.Error("an empty folder has a dashed name")
	}
	for _, name := range []string{"a-b", ".-x", "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if HasDashed(dir) {
		t.Error("a dash inside a name counts")
	}
	if err := os.WriteFile(filepath.Join(dir, "--output=x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if !HasDashed(dir) {
		t.Error("a dashed name is not seen")
	}
	for _, where := range []string{filepath.Join(dir, "missing"), "relative", filepath.Join(dir, "x"), ""} {
		if !HasDashed(where) {
			t.Errorf("%q cannot be looked at and counts as free of dashed names", where)
		}
	}
}
