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

	"mayi/pkg/journal/entry"
)

// meddle runs SQL on the log as somebody would who can write the file: past
// the guards, which are put back so that they give nothing away.
func meddle(t testing.TB, db *DB, statements ...string) {
	t.Helper()
	var guards []string
	rows, err := db.sql.Query(`SELECT sql FROM sqlite_schema WHERE type = 'trigger'`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		guards = append(guards, s)
	}
	rows.Close()
	all := append([]string{`DROP TRIGGER audit_no_update`, `DROP TRIGGER audit_no_delete`}, statements...)
	for _, s := range append(all, guards...) {
		if _, err := db.sql.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// broken checks that Verify finds something, at record seq (0: anywhere).
func broken(t testing.TB, db *DB, seq int64) Report {
	t.Helper()
	r, err := db.Audit().Verify(context.Background(), VerifyOptions{})
	if !errors.Is(err, ErrTampered) {
		t.Fatalf("Verify = %v, want ErrTampered", err)
	}
	for _, p := range r.Problems {
		if seq == 0 || p.Seq == seq {
			return r
		}
	}
	t.Errorf("no finding about record %d: %v", seq, r.Problems)
	return r
}

// refusing checks that the log is not continued over the traces.
func refusing(t testing.TB, db *DB) {
	t.Helper()
	if _, err := db.Audit().Append(context.Background(), Record{Event: "begin"}); !errors.Is(err, ErrTampered) {
		t.Errorf("Append to a broken end = %v, want ErrTampered", err)
	}
}

func rehash(t testing.TB, db *DB, seq int64) string {
	t.Helper()
	var r entry.Row
	if err := db.sql.QueryRow(`SELECT `+columns+` FROM audit WHERE seq = ?`, seq).Scan(fields(&r)...); err != nil {
		t.Fatal(err)
	}
	id, _, err := lastRecord(context.Background(), db.sql)
	if err != nil {
		t.Fatal(err)
	}
	return r.Sum(id)
}

func TestTampering(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  []string
		seq     int64
		appends bool // the end is untouched: the log goes on
	}{
		{"edit a text", []string{`UPDATE audit SET text = 'ls' WHERE seq = 3`}, 3, true},
		{"edit a verdict", []string{`UPDATE audit SET verdict = 'deny' WHERE seq = 5`}, 5, true},
		{"edit the exit code", []string{`UPDATE audit SET exit = NULL WHERE seq = 2`}, 2, true},
		{"move text between columns", []string{`UPDATE audit SET tool = tool || substr(text, 1, 1), text = substr(text, 2) WHERE seq = 4`}, 4, true},
		{"edit a stored hash", []string{`UPDATE audit SET hash = '00' || substr(hash, 3) WHERE seq = 4`}, 4, true},
		{"delete one", []string{`DELETE FROM audit WHERE seq = 4`}, 4, true},
		{"delete the first", []string{`DELETE FROM audit WHERE seq = 1`}, 1, true},
		{"delete and close the gap", []string{`DELETE FROM audit WHERE seq = 4`,
			`UPDATE audit SET seq = -seq WHERE seq > 4`, `UPDATE audit SET seq = -seq - 1 WHERE seq < 0`}, 4, false},
		{"swap two", []string{`UPDATE audit SET seq = -3 WHERE seq = 3`, `UPDATE audit SET seq = 3 WHERE seq = 4`, `UPDATE audit SET seq = 4 WHERE seq = -3`}, 3, true},
		{"insert at the end", []string{`INSERT INTO audit SELECT seq + 1, time, event, about, session, caller, tool, text, effects, verdict,
			reason, rules, answered, outcome, exit, policy, call, hash, hash FROM audit WHERE seq = 8`}, 9, false},
		{"insert before the first", []string{`INSERT INTO audit SELECT 0, time, event, about, session, caller, tool, text, effects, verdict,
			reason, rules, answered, outcome, exit, policy, call, prev, hash FROM audit WHERE seq = 1`}, 0, true},
		{"cut off the last", []string{`DELETE FROM audit WHERE seq = 8`}, 8, false},
		{"cut off many", []string{`DELETE FROM audit WHERE seq > 2`}, 3, false},
		{"cut off all", []string{`DELETE FROM audit`}, 1, false},
		{"cut off all with the head", []string{`DELETE FROM audit`, `DELETE FROM audit_head`}, 1, false},
		{"remove the inner head", []string{`DELETE FROM audit_head`}, 0, true},
		{"change the inner head", []string{`UPDATE audit_head SET note = replace(note, char(10) || '8' || char(10), char(10) || '7' || char(10))`}, 0, false},
		{"another identity", []string{`UPDATE meta SET value = 'x' WHERE name = 'id'`}, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := openTest(t)
			fill(t, db, 8)
			intact(t, db, 8)
			meddle(t, db, tt.change...)
			broken(t, db, tt.seq)
			if !tt.appends {
				refusing(t, db)
			}
		})
	}
}

func TestTamperingWithTheHashMendedToo(t *testing.T) {
	db := openTest(t)
	fill(t, db, 6)
	meddle(t, db, `UPDATE audit SET text = 'ls' WHERE seq = 3`)
	meddle(t, db, `UPDATE audit SET hash = '`+rehash(t, db, 3)+`' WHERE seq = 3`)
	broken(t, db, 4)
	// The whole chain mended to its end: the signed heads do not fit.
	for seq := int64(4); seq <= 6; seq++ {
		meddle(t, db, fmt.Sprintf(`UPDATE audit SET prev = (SELECT hash FROM audit WHERE seq = %d) WHERE seq = %d`, seq-1, seq))
		meddle(t, db, fmt.Sprintf(`UPDATE audit SET hash = '%s' WHERE seq = %d`, rehash(t, db, seq), seq))
	}
	broken(t, db, 6)
	refusing(t, db)
}

// A record that is chained as it should be, but that nobody signed for.
func TestARecordSlippedInAtTheEnd(t *testing.T) {
	db := openTest(t)
	fill(t, db, 4)
	meddle(t, db, `INSERT INTO audit SELECT seq + 1, time, event, about, session, caller, tool, 'rm -rf /', effects, verdict,
		reason, rules, answered, outcome, exit, policy, call, hash, '' FROM audit WHERE seq = 4`)
	meddle(t, db, `UPDATE audit SET hash = '`+rehash(t, db, 5)+`' WHERE seq = 5`)
	r := broken(t, db, 5)
	if len(r.Problems) != 2 || r.Problems[0].Seq != 5 || !strings.Contains(r.Problems[1].Text, "without a signature") {
		t.Errorf("findings %v, want that the head file does not know it and that the signature is missing", r.Problems)
	}
	refusing(t, db)
}

func TestTamperingWithTheFiles(t *testing.T) {
	setup := func(t *testing.T) (*DB, map[string][]byte) {
		db := openTest(t)
		fill(t, db, 3)
		files := map[string][]byte{}
		inside, err := storedHead(context.Background(), db.sql)
		if err != nil {
			t.Fatal(err)
		}
		files["inside"] = []byte(inside)
		for _, f := range []string{db.Path() + ".head", db.Path() + ".key", db.Path() + ".pending"} {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			files[f] = data
		}
		fill(t, db, 2)
		return db, files
	}
	t.Run("no head", func(t *testing.T) {
		db, _ := setup(t)
		os.Remove(db.Path() + ".head")
		broken(t, db, 0)
		refusing(t, db)
	})
	t.Run("no key", func(t *testing.T) {
		db, _ := setup(t)
		os.Remove(db.Path() + ".key")
		broken(t, db, 0)
		other := At(db.Path())
		defer other.Close()
		refusing(t, other)
	})
	t.Run("everything but the key", func(t *testing.T) {
		db, _ := setup(t)
		db.Close()
		for _, end := range []string{"", "-wal", "-shm", ".head"} {
			os.Remove(db.Path() + end)
		}
		gone := At(db.Path())
		defer gone.Close()
		broken(t, gone, 0)
		refusing(t, gone)
	})
	t.Run("a new database", func(t *testing.T) {
		db, _ := setup(t)
		db.Close()
		for _, end := range []string{"", "-wal", "-shm"} {
			os.Remove(db.Path() + end)
		}
		fresh := At(db.Path())
		defer fresh.Close()
		broken(t, fresh, 0)
		refusing(t, fresh)
		broken(t, fresh, 0)
	})
	t.Run("another log's key", func(t *testing.T) {
		db, _ := setup(t)
		_, files := setup(t)
		for f, data := range files {
			if strings.HasSuffix(f, ".key") {
				os.WriteFile(db.Path()+".key", data, 0o600)
			}
		}
		broken(t, db, 0)
		other := At(db.Path())
		defer other.Close()
		refusing(t, other)
	})
	t.Run("any byte of the head", func(t *testing.T) {
		db, _ := setup(t)
		good, err := os.ReadFile(db.Path() + ".head")
		if err != nil {
			t.Fatal(err)
		}
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 1
			os.WriteFile(db.Path()+".head", bad, 0o600)
			broken(t, db, 0)
		}
		refusing(t, db)
		os.WriteFile(db.Path()+".head", good, 0o600)
		intact(t, db, 5)
	})
	t.Run("an older copy of the database", func(t *testing.T) {
		db := openTest(t)
		fill(t, db, 3)
		old := filepath.Join(t.TempDir(), "old.db")
		if _, err := db.sql.Exec(`VACUUM INTO ?`, old); err != nil {
			t.Fatal(err)
		}
		fill(t, db, 2)
		db.Close()
		data, err := os.ReadFile(old)
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(db.Path(), data, 0o600)
		rolled := At(db.Path())
		defer rolled.Close()
		broken(t, rolled, 4)
		refusing(t, rolled)
	})
	t.Run("rolled back as a whole, found with what was kept elsewhere", func(t *testing.T) {
		db, files := setup(t)
		kept, err := db.Audit().Verify(context.Background(), VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Audit().Verify(context.Background(), VerifyOptions{Key: kept.Key, Head: kept.Head}); err != nil {
			t.Errorf("the kept head does not verify: %v", err)
		}
		meddle(t, db, `DELETE FROM audit WHERE seq > 3`, `UPDATE audit_head SET note = '`+string(files["inside"])+`'`)
		for _, end := range []string{".head", ".pending"} {
			os.WriteFile(db.Path()+end, files[db.Path()+end], 0o600)
		}
		intact(t, db, 3) // its own files alone cannot tell
		for name, o := range map[string]VerifyOptions{"head": {Head: kept.Head}, "key": {Key: "mayi+00000000+x"}} {
			if _, err := db.Audit().Verify(context.Background(), o); !errors.Is(err, ErrTampered) {
				t.Errorf("with the kept %s: %v", name, err)
			}
		}
	})
}

// Any single edit of any column of any record, any deletion and any swap is
// found.
func TestPropertyAnyEditIsFound(t *testing.T) {
	db := openTest(t)
	const n = 12
	fill(t, db, n)
	texts := []string{"event", "session", "caller", "tool", "text", "effects", "verdict", "reason", "rules",
		"answered", "outcome", "policy", "call", "prev", "hash"}
	numbers := []string{"time", "about", "exit", "seq"}
	rapid.Check(t, func(rt *rapid.T) {
		save(t, db)
		defer restore(t, db)
		seq := rapid.IntRange(1, n).Draw(rt, "seq")
		var change string
		var args []any
		switch rapid.SampledFrom([]string{"text", "number", "delete", "swap", "head"}).Draw(rt, "how") {
		case "text":
			col := rapid.SampledFrom(texts).Draw(rt, "column")
			change = fmt.Sprintf(`UPDATE audit SET %s = ?1 WHERE seq = %d AND %[1]s <> ?1`, col, seq)
			args = []any{rapid.String().Draw(rt, "value")}
			if rapid.Bool().Draw(rt, "by one character") {
				change = fmt.Sprintf(`UPDATE audit SET %s = %[1]s || ?1 WHERE seq = %d AND ?1 <> ''`, col, seq)
			}
		case "number":
			col := rapid.SampledFrom(numbers).Draw(rt, "column")
			change = fmt.Sprintf(`UPDATE OR IGNORE audit SET %s = ?1 WHERE seq = %d AND %[1]s IS NOT ?1`, col, seq)
			args = []any{rapid.Int64().Draw(rt, "value")}
		case "delete":
			to := rapid.IntRange(seq, n).Draw(rt, "to")
			change = fmt.Sprintf(`DELETE FROM audit WHERE seq BETWEEN %d AND %d`, seq, to)
		case "swap":
			with := rapid.IntRange(1, n).Draw(rt, "with")
			if with == seq {
				rt.Skip("the same record")
			}
			change = fmt.Sprintf(`UPDATE audit SET seq = CASE seq WHEN %d THEN -1 ELSE -2 END WHERE seq IN (%[1]d, %d);
				UPDATE audit SET seq = CASE seq WHEN -1 THEN %[2]d ELSE %[1]d END WHERE seq < 0`, seq, with)
		case "head":
			change, args = `UPDATE audit_head SET note = ?1 WHERE note <> ?1`, []any{rapid.String().Draw(rt, "value")}
		}
		result, err := db.sql.Exec(change, args...)
		if err != nil {
			rt.Fatalf("%s: %v", change, err)
		}
		if changed, _ := result.RowsAffected(); changed == 0 {
			rt.Skip("nothing was changed")
		}
		if r, err := db.Audit().Verify(context.Background(), VerifyOptions{}); !errors.Is(err, ErrTampered) {
			rt.Fatalf("not found after %s %v: %v %v", change, args, r, err)
		}
	})
}

// save keeps a copy of the log and takes the guards away; restore brings it back.
func save(t testing.TB, db *DB) {
	t.Helper()
	runSQL(t, db, `CREATE TABLE IF NOT EXISTS saved AS SELECT * FROM audit`, `CREATE TABLE IF NOT EXISTS saved_head AS SELECT * FROM audit_head`,
		`DROP TRIGGER IF EXISTS audit_no_update`, `DROP TRIGGER IF EXISTS audit_no_delete`)
}

func restore(t testing.TB, db *DB) {
	t.Helper()
	runSQL(t, db, `DELETE FROM audit`, `INSERT INTO audit SELECT * FROM saved`, `DELETE FROM audit_head`, `INSERT INTO audit_head SELECT * FROM saved_head`)
	intact(t, db, 12)
}

func runSQL(t testing.TB, db *DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.sql.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
