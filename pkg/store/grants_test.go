package store

import (
	"path/filepath"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/approval/approvaltest"
)

func openTest(t testing.TB, opts ...Option) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "state", "mayi.db"), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestGrantsSuite(t *testing.T) {
	approvaltest.Grants(t, func(t *testing.T) approval.Grants { return openTest(t).Grants("s") })
}
