package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/pkg/journal/entry"
)

func ptr[T any](v T) *T { return &v }

// fill writes n records and fails the test where one is not written.
func fill(t testing.TB, db *DB, n int) {
	t.Helper()
	for i := range n {
		r := Record{Event: "begin", Session: "s", Caller: "run", Tool: "bash", Text: fmt.Sprintf("echo %d", i),
			Effects: []Effect{{Kind: "exec", Program: "echo", Certainty: "exact"}}, Verdict: "allow",
			Reason: "a rule allows it", Rules: []string{"command(echo)"}, Policy: "p1", Call: fmt.Sprintf("c%d", i)}
		if i%2 == 1 {
			r.Event, r.About, r.Outcome, r.Exit = "end", int64(i), "exit 0", ptr(0)
		}
		if _, err := db.Audit().Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func records(t testing.TB, db *DB, q Query) []Record {
	t.Helper()
	var list []Record
	for r, err := range db.Audit().Records(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func intact(t testing.TB, db *DB, n int64) {
	t.Helper()
	r, err := db.Audit().Verify(context.Background(), VerifyOptions{})
	if err != nil {
		t.Fatalf("Verify: %v\n%v", err, r.Problems)
	}
	if r.Records != n {
		t.Errorf("Verify counted %d records, want %d", r.Records, n)
	}
}

func TestAuditKeepsWhatItWasGiven(t *testing.T) {
	db := openTest(t)
	at := time.Date(2026, 5, 4, 3, 2, 1, 7, time.UTC)
	in := Record{Time: at, Event: "end", About: 3, Session: "s", Caller: "chat", Tool: "bash", Text: "rm 'a\nb'",
		Effects: []Effect{{Kind: "fs_write", Path: "/ws/a", Certainty: "exact"}}, Verdict: "allow", Reason: "why",
		Rules: []string{"command(rm)", "write(/ws/a)"}, Answered: "once by ann", Outcome: "exit 2", Exit: ptr(2), Policy: "p", Call: "c"}
	out, err := db.Audit().Append(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if out.Seq != 1 || out.Prev != entry.NoHash || len(out.Hash) != 64 {
		t.Errorf("the record was chained as %d after %s: %s", out.Seq, out.Prev, out.Hash)
	}
	got := records(t, db, Query{})
	if len(got) != 1 {
		t.Fatalf("%d records, want 1", len(got))
	}
	in.Seq, in.Prev, in.Hash, in.Time = 1, out.Prev, out.Hash, got[0].Time
	if !got[0].Time.Equal(at) {
		t.Errorf("time %v, want %v", got[0].Time, at)
	}
	if a, b := fmt.Sprintf("%+v", show(got[0])), fmt.Sprintf("%+v", show(in)); a != b {
		t.Errorf("read back\n%s\nwant\n%s", a, b)
	}
	intact(t, db, 1)
}

// show flattens the pointer, so that two records can be compared as text.
func show(r Record) string {
	exit := "none"
	if r.Exit != nil {
		exit = fmt.Sprint(*r.Exit)
	}
	r.Exit = nil
	return fmt.Sprintf("%+v exit %s", r, exit)
}

func TestAuditMasksBeforeItWrites(t *testing.T) {
	db := openTest(t)
	const secret = "hunter2hunter2"
	_, err := db.Audit().Append(context.Background(), Record{Event: "begin", Text: "mysql --password=" + secret,
		Reason: "the part TOKEN=" + secret + " has no rule", Outcome: "token: " + secret, Answered: "password=" + secret,
		Effects: []Effect{{Kind: "net_read", Path: "/tmp/x?token=" + secret, Host: "api_key=" + secret, Program: "https://u:" + secret + "@h"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Dir(db.Path()), func(f string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(f)
		if strings.Contains(string(data), secret) {
			t.Errorf("the secret is in %s", f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAuditKeepsBytesThatAreNoText(t *testing.T) {
	db := openTest(t)
	for _, text := range []string{"a\x00b", "\xff\xfe", "", "ok \u202e", strings.Repeat("x", 1<<20)} {
		if _, err := db.Audit().Append(context.Background(), Record{Event: "begin", Text: text, Session: text[:min(len(text), 9)]}); err != nil {
			t.Fatalf("%.20q: %v", text, err)
		}
	}
	intact(t, db, 5)
	if got := records(t, db, Query{})[0].Text; got != `a\x00b` {
		t.Errorf("NUL was kept as %q", got)
	}
}

func TestAuditQuery(t *testing.T) {
	db := openTest(t)
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, r := range []Record{
		{Session: "a", Tool: "bash", Verdict: "allow", Call: "1"}, {Session: "b", Tool: "read", Verdict: "deny", Call: "2"},
		{Session: "a", Tool: "read", Verdict: "allow", Call: "3"}, {Session: "b", Tool: "bash", Verdict: "ask", Call: "1"},
	} {
		r.Event, r.Time = "decision", base.Add(time.Duration(i)*time.Hour)
		if _, err := db.Audit().Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		q    Query
		want string
	}{
		{Query{}, "[1 2 3 4]"},
		{Query{Session: "a"}, "[1 3]"},
		{Query{Tool: "bash", Session: "b"}, "[4]"},
		{Query{Verdict: "deny"}, "[2]"},
		{Query{Call: "1"}, "[1 4]"},
		{Query{Event: "begin"}, "[]"},
		{Query{Limit: 2}, "[3 4]"},
		{Query{After: 2}, "[3 4]"},
		{Query{After: 1, Limit: 1, Session: "a"}, "[3]"},
		{Query{Since: base.Add(time.Hour), Until: base.Add(3 * time.Hour)}, "[2 3]"},
		{Query{Session: "' OR 1=1 --"}, "[]"},
	} {
		got := []int64{}
		for _, r := range records(t, db, tt.q) {
			got = append(got, r.Seq)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%+v: %v, want %s", tt.q, got, tt.want)
		}
	}
}

func TestAuditIsAppendOnly(t *testing.T) {
	db := openTest(t)
	fill(t, db, 2)
	for _, q := range []string{`UPDATE audit SET text = 'x' WHERE seq = 1`, `DELETE FROM audit`} {
		if _, err := db.sql.Exec(q); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", q, err)
		}
	}
	intact(t, db, 2)
}

func TestAuditConcurrentAppendsKeepOneChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			db, err := Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			for range each {
				if _, err := db.Audit().Append(context.Background(), Record{Event: "begin"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	intact(t, db, writers*each)
}

func TestAuditNeedsAnEvent(t *testing.T) {
	if _, err := openTest(t).Audit().Append(context.Background(), Record{Text: "x"}); err == nil {
		t.Error("a record without an event was written")
	}
}

func TestVerifyOfNothing(t *testing.T) {
	db := At(filepath.Join(t.TempDir(), "none", "mayi.db"))
	intact(t, db, 0)
	if db.Exists() {
		t.Error("verifying made a database")
	}
	intact(t, openTest(t), 0)
}

func TestAnAbandonedCallerKeepsTheRecordConfirmed(t *testing.T) {
	db := openTest(t)
	fill(t, db, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.Audit().Append(ctx, Record{Event: "begin"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Append with a cancelled context: %v", err)
	}
	intact(t, db, 1)
}
