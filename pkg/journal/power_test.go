package journal

import (
	"bytes"
	"context"
	"testing"

	"mayi/pkg/journal/entry"
)

// reboot makes the head one that was written in an earlier run of the machine.
func reboot(t *testing.T, path string) {
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
	if s.Boot != "" {
		s.Boot = "an earlier run"
	}
	if err := h.put(s, false); err != nil {
		t.Fatal(err)
	}
}

func cutLines(t *testing.T, path string, n int, rest string) {
	t.Helper()
	text := read(t, lineFile(path))
	for range n {
		text = text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1]
	}
	put(t, lineFile(path), append(text, rest...))
}

func keep(t *testing.T, path string, durable bool) {
	t.Helper()
	l := At(path)
	f := l.Note
	if durable {
		f = l.Append
	}
	if _, err := f(context.Background(), entry.Record{Event: "e"}); err != nil {
		t.Fatal(err)
	}
}

func TestALossOfPower(t *testing.T) {
	if BootID() == "" {
		t.Skip("runs of this machine cannot be told apart: every record is synced")
	}
	for _, tt := range []struct {
		name     string
		durable  []bool
		cut      int
		rest     string
		rebooted bool
		ok       bool
		lost     bool
	}{
		{"what was not synced may go", []bool{true, false, false}, 2, "", true, true, true},
		{"half of it", []bool{true, false, false}, 1, "", true, true, true},
		{"with a torn line", []bool{true, false, false}, 1, `{"seq":3`, true, true, true},
		{"with zeros", []bool{true, false, false}, 2, "\x00\x00\x00\n\x00\x00", true, true, true},
		{"nothing is lost", []bool{true, false, false}, 0, "", true, true, false},
		{"what was synced is missed", []bool{true, false, true}, 1, "", true, false, false},
		{"so is what came before it", []bool{true, true, false}, 2, "", true, false, false},
		{"without a new start of the machine", []bool{true, false, false}, 1, "", false, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := fresh(t)
			for _, d := range tt.durable {
				keep(t, path, d)
			}
			if tt.rebooted {
				reboot(t, path)
			}
			cutLines(t, path, tt.cut, tt.rest)
			if !tt.ok {
				refused(t, path, ErrTampered)
				return
			}
			left := len(tt.durable) - tt.cut
			keep(t, path, false)
			keep(t, path, false)
			got := lines(t, path)
			want := left + 2
			if tt.lost {
				want++
				if got[left] == "" || got[left][:4] != entry.Lost {
					t.Errorf("the loss is not recorded: %q", got)
				}
			}
			if len(got) != want {
				t.Errorf("records %q, want %d", got, want)
			}
		})
	}
}

// A record that has to survive makes those before it survive, too; one that
// does not have to leaves the mark where it was.
func TestHowFarItIsSynced(t *testing.T) {
	if BootID() == "" {
		t.Skip("runs of this machine cannot be told apart: every record is synced")
	}
	path := fresh(t)
	for i, tt := range []struct {
		durable bool
		synced  int64
	}{{false, 0}, {false, 0}, {true, 3}, {false, 3}, {false, 3}, {true, 6}} {
		keep(t, path, tt.durable)
		h, err := Hold(context.Background(), path, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		s, err := h.State()
		h.Close()
		if err != nil || s.Synced != tt.synced || s.Seq != int64(i+1) || (s.Boot == "") != tt.durable {
			t.Errorf("after record %d: %+v, %v; want synced up to %d", i+1, s, err, tt.synced)
		}
	}
	keep(t, path, false)
	reboot(t, path)
	keep(t, path, false)
	h, err := Hold(context.Background(), path, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if s, err := h.State(); err != nil || s.Synced != 7 {
		t.Errorf("what survived the last run does not count as synced: %+v, %v", s, err)
	}
}
