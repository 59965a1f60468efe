package journal

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mayi/pkg/journal/entry"
)

func synced(t *testing.T, path string) int64 {
	t.Helper()
	h, err := Hold(context.Background(), path, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s, err := h.State()
	if err != nil {
		t.Fatal(err)
	}
	return s.Synced
}

// TestSettle: what was noted is then as safe as what was appended, and nothing
// is settled that is not there.
func TestSettle(t *testing.T) {
	if BootID() == "" {
		t.Skip("runs of this machine cannot be told apart: every record is synced")
	}
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "mayi.db")
	if err := At(path).Settle(ctx, 1); err == nil {
		t.Error("a record was settled before there was a log")
	}
	keep(t, path, true)
	keep(t, path, false)
	keep(t, path, false)
	if got := synced(t, path); got != 1 {
		t.Fatalf("synced up to %d", got)
	}
	for _, n := range []int64{-1, 0, 4} {
		if err := At(path).Settle(ctx, n); err == nil {
			t.Errorf("record %d was settled", n)
		}
	}
	if err := At(path).Settle(ctx, 1); err != nil || synced(t, path) != 1 {
		t.Errorf("what was appended: %v, synced up to %d", err, synced(t, path))
	}
	if err := At(path).Settle(ctx, 2); err != nil || synced(t, path) != 3 {
		t.Errorf("what was noted: %v, synced up to %d", err, synced(t, path))
	}
	// From here on a missing record is missed, also after a loss of power.
	keep(t, path, false)
	reboot(t, path)
	cutLines(t, path, 2, "")
	if _, err := At(path).Append(ctx, entry.Record{Event: "e"}); err == nil {
		t.Error("the removal of a settled record is not found")
	}
}

// TestNothingIsSettledAfterALossOfPower: the record may be gone, and the action
// must not run.
func TestNothingIsSettledAfterALossOfPower(t *testing.T) {
	if BootID() == "" {
		t.Skip("runs of this machine cannot be told apart: every record is synced")
	}
	for _, cut := range []int{0, 1, 2} {
		path := filepath.Join(t.TempDir(), "mayi.db")
		keep(t, path, true)
		keep(t, path, false)
		keep(t, path, false)
		cutLines(t, path, cut, "")
		reboot(t, path)
		if err := At(path).Settle(context.Background(), 3); err == nil {
			t.Errorf("settled, with %d lines gone", cut)
		}
		if err := At(path).Settle(context.Background(), 1); cut == 0 && err != nil {
			t.Errorf("what was synced before: %v", err)
		}
	}
}

// TestSettleChangesNothingElse: the log goes on where it was.
func TestSettleChangesNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	keep(t, path, false)
	before, err := os.ReadFile(lineFile(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := At(path).Settle(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(lineFile(path)); err != nil || string(after) != string(before) {
		t.Errorf("the journal was changed (%v)", err)
	}
	keep(t, path, true)
}
