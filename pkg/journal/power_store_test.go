package journal_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mayi/pkg/journal"
	"mayi/pkg/store"
)

// With the database there, too, the log says what a loss of power took: until
// the next record Verify does, then a record of its own.
func TestTheDatabaseAfterALossOfPower(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/random/boot_id"); err != nil {
		t.Skip("runs of this machine cannot be told apart: every record is synced")
	}
	for _, byLight := range []bool{false, true} {
		ctx := context.Background()
		path := filepath.Join(t.TempDir(), "mayi.db")
		db, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		write := func(f func(context.Context, store.Record) (store.Record, error), event string) {
			t.Helper()
			if _, err := f(ctx, store.Record{Event: event}); err != nil {
				t.Fatal(err)
			}
		}
		write(db.Audit().Append, "first")
		for range 3 {
			write(journal.At(path).Note, "gone")
		}
		lines, err := os.ReadFile(path + ".pending")
		if err != nil {
			t.Fatal(err)
		}
		all := bytes.SplitAfter(lines, []byte("\n"))
		if err := os.WriteFile(path+".pending", bytes.Join(all[:2], nil), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Audit().Verify(ctx, store.VerifyOptions{}); !errors.Is(err, store.ErrTampered) {
			t.Errorf("in the same run of the machine: %v", err)
		}
		journal.Reboot(t, path)
		if r, err := db.Audit().Verify(ctx, store.VerifyOptions{}); err != nil || r.Records != 2 || r.Lost != 2 {
			t.Errorf("Verify = %+v, %v", r, err)
		}
		if byLight {
			write(journal.At(path).Note, "next")
		} else {
			write(db.Audit().Append, "next")
		}
		var events string
		for r, err := range db.Audit().Records(ctx, store.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			events += r.Event + " "
		}
		if events != "first gone lost next " {
			t.Errorf("the log is %q", events)
		}
		if r, err := db.Audit().Verify(ctx, store.VerifyOptions{}); err != nil || r.Records != 4 || r.Lost != 0 {
			t.Errorf("Verify = %+v, %v", r, err)
		}
	}
}
