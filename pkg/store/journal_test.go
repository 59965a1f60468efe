package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mayi/pkg/journal"
)

// light appends n records without the database.
func light(t testing.TB, path string, n int) {
	t.Helper()
	for i := range n {
		if _, err := journal.At(path).Note(context.Background(), Record{Event: "refused", Session: "s", Text: fmt.Sprintf("light %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestALogThatWasStartedWithoutADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "mayi.db")
	light(t, path, 3)
	db := At(path)
	defer db.Close()
	intact(t, db, 3)
	if db.Exists() {
		t.Error("verifying made a database")
	}
	got := records(t, db, Query{})
	if len(got) != 3 || got[2].Text != "light 2" || got[2].Seq != 3 {
		t.Errorf("records %+v", got)
	}
	intact(t, db, 3)
	fill(t, db, 2)
	light(t, path, 2)
	intact(t, db, 7)
	if got := records(t, db, Query{After: 5}); len(got) != 2 || got[0].Prev != records(t, db, Query{After: 4, Limit: 3})[0].Hash {
		t.Errorf("records %+v", got)
	}
}

func TestVerifySeesWhatIsPending(t *testing.T) {
	db := openTest(t)
	fill(t, db, 2)
	light(t, db.Path(), 3)
	r, err := db.Audit().Verify(context.Background(), VerifyOptions{})
	if err != nil || r.Records != 5 || r.Pending != 3 || r.Unconfirmed != 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
	// What it says can be kept elsewhere covers them, too.
	fill(t, db, 1)
	if r, err := db.Audit().Verify(context.Background(), VerifyOptions{Key: r.Key, Head: r.Head}); err != nil || r.Pending != 0 {
		t.Errorf("with the kept head: %+v, %v", r, err)
	}
}

// A database that was made for something else than the log takes over a log
// that others start meanwhile.
func TestADatabaseWithoutALogAdoptsOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	light(t, path, 2)
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	light(t, path, 1)
	intact(t, db, 3)
	fill(t, db, 1)
	intact(t, db, 4)
	// With a database there, the first record goes through it.
	other := openTest(t)
	if _, err := journal.At(other.Path()).Note(context.Background(), Record{Event: "refused"}); !errors.Is(err, journal.ErrDatabase) {
		t.Errorf("a log was started beside a database: %v", err)
	}
	fill(t, other, 1)
	light(t, other.Path(), 1)
	intact(t, other, 2)
}

func TestAGrownJournalIsEmptied(t *testing.T) {
	db := openTest(t)
	fill(t, db, 1)
	for range 20 {
		if _, err := journal.At(db.Path()).Note(context.Background(), Record{Event: "refused", Text: strings.Repeat("x ", 20_000)}); err != nil {
			t.Fatal(err)
		}
	}
	before := journal.At(db.Path()).Pending()
	fill(t, db, 1)
	if after := journal.At(db.Path()).Pending(); before < 500_000 || after != 0 {
		t.Errorf("the journal has %d bytes, and had %d", after, before)
	}
	light(t, db.Path(), 2)
	fill(t, db, 1)
	intact(t, db, 25)
}

// state is the log's files at one moment, to be put back as a crash leaves them.
type state map[string][]byte

func keep(t testing.TB, path string) state {
	s := state{}
	for _, end := range []string{".head", ".pending"} {
		s[end] = file(t, path+end)
	}
	return s
}

func (s state) back(t testing.TB, path string, ends ...string) {
	for _, end := range ends {
		write(t, path+end, s[end])
	}
}

func TestCrashesBetweenTheJournalAndTheDatabase(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, db *DB)
		want int64
	}{
		{"after the line, before the head", func(t *testing.T, db *DB) {
			light(t, db.Path(), 1)
			s := keep(t, db.Path())
			light(t, db.Path(), 1)
			s.back(t, db.Path(), ".head")
		}, 4},
		{"after the commit, before the head says so", func(t *testing.T, db *DB) {
			light(t, db.Path(), 2)
			s := keep(t, db.Path())
			records(t, db, Query{})
			s.back(t, db.Path(), ".head", ".pending")
		}, 4},
		{"the same, and then without the database", func(t *testing.T, db *DB) {
			light(t, db.Path(), 2)
			s := keep(t, db.Path())
			records(t, db, Query{})
			s.back(t, db.Path(), ".head", ".pending")
			light(t, db.Path(), 2)
		}, 6},
		{"after the journal was emptied, before the head says so", func(t *testing.T, db *DB) {
			light(t, db.Path(), 2)
			records(t, db, Query{})
			empty(t, db)
		}, 4},
		{"the same, and then without the database", func(t *testing.T, db *DB) {
			light(t, db.Path(), 2)
			records(t, db, Query{})
			empty(t, db)
			light(t, db.Path(), 2)
		}, 6},
		{"the journal is back that was emptied", func(t *testing.T, db *DB) {
			light(t, db.Path(), 2)
			records(t, db, Query{})
			s := keep(t, db.Path())
			empty(t, db)
			light(t, db.Path(), 1)
			records(t, db, Query{})
			s.back(t, db.Path(), ".pending")
		}, 5},
		{"within a line", func(t *testing.T, db *DB) {
			light(t, db.Path(), 2)
			write(t, db.Path()+".pending", append(file(t, db.Path()+".pending"), `{"seq":5,"ti`...))
		}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := openTest(t)
			fill(t, db, 2)
			tt.do(t, db)
			intact(t, db, tt.want)
			fill(t, db, 1)
			light(t, db.Path(), 1)
			intact(t, db, tt.want+2)
			if n := len(records(t, db, Query{})); int64(n) != tt.want+2 {
				t.Errorf("%d records, want %d", n, tt.want+2)
			}
			intact(t, db, tt.want+2)
		})
	}
}

// cut splits the journal into its lines.
func cut(data []byte) [][]byte {
	return bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

func TestTamperingWithTheJournal(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(lines [][]byte) [][]byte
		seq  int64
	}{
		{"edit a text", func(l [][]byte) [][]byte {
			l[1] = bytes.Replace(l[1], []byte("light 1"), []byte("light 7"), 1)
			return l
		}, 6},
		{"edit the last", func(l [][]byte) [][]byte {
			l[3] = bytes.Replace(l[3], []byte("light 3"), []byte("light 7"), 1)
			return l
		}, 8},
		{"a space more", func(l [][]byte) [][]byte { l[1] = append([]byte(" "), l[1]...); return l }, 6},
		{"a code in capitals", func(l [][]byte) [][]byte {
			l[2] = append(l[2][:len(l[2])-65:len(l[2])-65], bytes.ToUpper(l[2][len(l[2])-65:])...)
			return l
		}, 7},
		{"delete one", func(l [][]byte) [][]byte { return append(l[:1:1], l[2:]...) }, 6},
		{"delete the first", func(l [][]byte) [][]byte { return l[1:] }, 5},
		{"swap two", func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }, 6},
		{"repeat one", func(l [][]byte) [][]byte { return append(l, l[1]) }, 9},
		{"cut off the last", func(l [][]byte) [][]byte { return l[:3] }, 8},
		{"cut off all", func(l [][]byte) [][]byte { return nil }, 5},
		{"cut within the last", func(l [][]byte) [][]byte { l[3] = l[3][:len(l[3])-1]; return l }, 8},
		{"an empty line", func(l [][]byte) [][]byte { return append(l[:2:2], append([][]byte{[]byte("\n")}, l[2:]...)...) }, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := openTest(t)
			fill(t, db, 4)
			empty(t, db)
			light(t, db.Path(), 4)
			intact(t, db, 8)
			name := db.Path() + ".pending"
			lines := cut(file(t, name))
			if len(lines) != 4 {
				t.Fatalf("%d lines", len(lines))
			}
			lines[3] = append(lines[3], '\n')
			write(t, name, bytes.Join(tt.do(lines), nil))
			broken(t, db, tt.seq)
			refusing(t, db)
			broken(t, db, tt.seq)
			// What the database has can still be read, and then it says so.
			var n int
			var last error
			for _, err := range db.Audit().Records(context.Background(), Query{}) {
				if last = err; err == nil {
					n++
				}
			}
			if n != 4 || !errors.Is(last, ErrTampered) {
				t.Errorf("read %d records, then %v", n, last)
			}
		})
	}
}

// empty empties a journal that was taken over, as growth does.
func empty(t testing.TB, db *DB) {
	t.Helper()
	if err := os.Truncate(db.Path()+".pending", 0); err != nil {
		t.Fatal(err)
	}
}

func TestFilesOfALogWithAJournalThatGo(t *testing.T) {
	for _, ends := range []string{".pending", ".head", ".key", ".head .pending", ".head .key", ".head .key .pending", "db", "db .head", "db .pending", "db .head .key"} {
		t.Run(ends, func(t *testing.T) {
			db := openTest(t)
			fill(t, db, 2)
			empty(t, db)
			light(t, db.Path(), 2)
			db.Close()
			for _, end := range strings.Fields(ends) {
				if end == "db" {
					os.Remove(db.Path() + "-wal")
					os.Remove(db.Path() + "-shm")
					end = ""
				}
				os.Remove(db.Path() + end)
			}
			again := At(db.Path())
			defer again.Close()
			broken(t, again, 0)
			if _, err := journal.At(db.Path()).Note(context.Background(), Record{Event: "refused"}); err == nil {
				t.Error("the log goes on without the database")
			}
			refusing(t, again)
			broken(t, again, 0)
		})
	}
}

// A head that was put back to an earlier one, with the journal cut to fit, is
// found by what the database knows.
func TestAnOlderHead(t *testing.T) {
	db := openTest(t)
	fill(t, db, 1)
	light(t, db.Path(), 1)
	s := keep(t, db.Path())
	fill(t, db, 2)
	s.back(t, db.Path(), ".head", ".pending")
	broken(t, db, 3)
	refusing(t, db)
}

// Writers of both sides in any order, with readers in between, make one log.
func TestPropertyAnyInterleavingVerifies(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(t.TempDir(), fmt.Sprint("case", rapid.Uint64().Draw(rt, "name")), "mayi.db")
		defer os.RemoveAll(filepath.Dir(path))
		db := At(path)
		defer func() { db.Close() }()
		n := int64(0)
		for _, step := range rapid.SliceOfN(rapid.SampledFrom([]string{"note", "append", "database", "read", "verify", "reopen"}), 1, 14).Draw(rt, "steps") {
			r := Record{Event: "begin", Text: rapid.String().Draw(rt, "text")}
			var got Record
			var err error
			switch step {
			case "note":
				got, err = journal.At(path).Note(context.Background(), r)
			case "append":
				got, err = journal.At(path).Append(context.Background(), r)
			case "database":
				got, err = db.Audit().Append(context.Background(), r)
			case "read":
				seq := int64(0)
				for r, err := range db.Audit().Records(context.Background(), Query{}) {
					if seq++; err != nil || r.Seq != seq {
						rt.Fatalf("record %d: %+v %v", seq, r, err)
					}
				}
				if seq != n {
					rt.Fatalf("read %d records, want %d", seq, n)
				}
				continue
			case "reopen":
				db.Close()
				db = At(path)
				continue
			}
			if step != "verify" {
				if n++; err != nil || got.Seq != n {
					rt.Fatalf("%s: %+v, %v; want record %d", step, got, err, n)
				}
				continue
			}
			verified(rt, db, n)
		}
		verified(rt, db, n)
	})
}

func verified(rt *rapid.T, db *DB, n int64) {
	r, err := db.Audit().Verify(context.Background(), VerifyOptions{})
	if err != nil || r.Records != n || r.Unconfirmed+r.Lost != 0 {
		rt.Fatalf("%+v, %v; want %d records", r, err, n)
	}
}

// Any byte of the journal or the head that is changed, and any column of the
// database, is found.
func TestPropertyAnyChangedByteIsFound(t *testing.T) {
	db := openTest(t)
	fill(t, db, 3)
	light(t, db.Path(), 3)
	records(t, db, Query{}) // taken over, but still in the journal
	light(t, db.Path(), 6)
	runSQL(t, db, `DROP TRIGGER audit_no_update`, `DROP TRIGGER audit_no_delete`)
	files := map[string][]byte{".head": file(t, db.Path()+".head"), ".pending": file(t, db.Path()+".pending")}
	intact(t, db, 12)
	rapid.Check(t, func(rt *rapid.T) {
		end := rapid.SampledFrom([]string{".head", ".pending"}).Draw(rt, "file")
		good := files[end]
		bad := bytes.Clone(good)
		at := rapid.IntRange(0, len(good)-1).Draw(rt, "byte")
		switch rapid.SampledFrom([]string{"change", "remove", "insert", "cut"}).Draw(rt, "how") {
		case "change":
			bad[at] ^= byte(rapid.IntRange(1, 255).Draw(rt, "bits"))
		case "remove":
			bad = append(bad[:at], bad[at+1:]...)
		case "insert":
			bad = append(bad[:at], append([]byte{rapid.Byte().Draw(rt, "new")}, good[at:]...)...)
		case "cut":
			bad = bad[:at]
		}
		if bytes.Equal(bad, good) {
			rt.Skip("nothing was changed")
		}
		write(t, db.Path()+end, bad)
		defer write(t, db.Path()+end, good)
		if r, err := db.Audit().Verify(context.Background(), VerifyOptions{}); !errors.Is(err, ErrTampered) {
			rt.Fatalf("not found: %+v, %v", r, err)
		}
	})
	intact(t, db, 12)
	rapid.Check(t, func(rt *rapid.T) {
		seq := rapid.IntRange(1, 6).Draw(rt, "seq")
		col := rapid.SampledFrom([]string{"event", "session", "text", "effects", "verdict", "reason", "rules", "prev", "hash"}).Draw(rt, "column")
		var old string
		if err := db.sql.QueryRow(`SELECT `+col+` FROM audit WHERE seq = ?`, seq).Scan(&old); err != nil {
			rt.Fatal(err)
		}
		set := func(s string) {
			if _, err := db.sql.Exec(`UPDATE audit SET `+col+` = ? WHERE seq = ?`, s, seq); err != nil {
				rt.Fatal(err)
			}
		}
		text := []byte(old)
		if len(text) == 0 {
			text = []byte("x")
		} else {
			text[rapid.IntRange(0, len(text)-1).Draw(rt, "byte")] ^= 1
		}
		set(string(text))
		defer set(old)
		if r, err := db.Audit().Verify(context.Background(), VerifyOptions{}); !errors.Is(err, ErrTampered) {
			rt.Fatalf("not found: %+v, %v", r, err)
		}
	})
	intact(t, db, 12)
}
