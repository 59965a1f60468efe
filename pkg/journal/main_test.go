package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mayi/pkg/journal/entry"
)

// jobVar names what the test binary does as a process of its own.
const jobVar = "MAYI_JOURNAL_JOB"

func TestMain(m *testing.M) {
	if os.Getenv(jobVar) != "fill" {
		os.Exit(m.Run())
	}
	kept := int64(0)
	for l := At(os.Args[1]); ; {
		r, err := l.Note(context.Background(), entry.Record{Event: "refused", Text: strings.Repeat("x", 2000)})
		if err != nil {
			fmt.Println("kept", kept, "full", errors.Is(err, ErrFull), err)
			return
		}
		kept = r.Seq
	}
}

func fresh(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "state", "mayi.db")
}

// write appends n records, every third of them durably.
func write(t testing.TB, path string, n int) entry.Record {
	t.Helper()
	var last entry.Record
	for i := range n {
		l := At(path)
		f := l.Note
		if i%3 == 2 {
			f = l.Append
		}
		r, err := f(context.Background(), entry.Record{Event: "begin", Session: "s", Text: fmt.Sprint("echo ", i), Rules: []string{"command(echo)"}})
		if err != nil {
			t.Fatal(err)
		}
		last = r
	}
	return last
}

// lines checks that the files hold a whole log, and returns its records' texts.
func lines(t testing.TB, path string) []string {
	t.Helper()
	h, err := Hold(context.Background(), path, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var list []string
	err = h.Replay(End{Hash: entry.NoHash}, func(r *entry.Row) error { list = append(list, r.Event+" "+r.Text); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// refused checks that nothing is appended, and that the error says what kind.
func refused(t testing.TB, path string, kind error) {
	t.Helper()
	_, err := At(path).Note(context.Background(), entry.Record{Event: "refused"})
	if !errors.Is(err, kind) {
		t.Errorf("Note = %v, want %v", err, kind)
		return
	}
	var e *Error
	if !errors.As(err, &e) || e.Mend == "" || !strings.Contains(err.Error(), path) {
		t.Errorf("the error does not say where and how to mend it: %v", err)
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func put(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
