package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/journal"
	"mayi/pkg/permissions"
)

func remember(t testing.TB, db *DB, session, path string, answer permissions.Grant) {
	t.Helper()
	if err := db.Grants(session).Put(context.Background(), approval.Grant{Path: path, Call: "c", Answer: answer}); err != nil {
		t.Fatal(err)
	}
}

// marked checks what can be told without the database.
func marked(t testing.TB, db *DB, session string, want bool) {
	t.Helper()
	if got := journal.At(db.Path()).MayRemember(session); got != want {
		t.Errorf("MayRemember(%q) = %v, want %v", session, got, want)
	}
}

// canTell skips where database files cannot be told apart.
func canTell(t testing.TB, db *DB) {
	t.Helper()
	if !journal.NewMarks(db.Path()).Complete() {
		t.Skip("database files cannot be told apart here, so that the database is always opened")
	}
}

func TestWhatCanBeToldWithoutTheDatabase(t *testing.T) {
	db := openTest(t)
	canTell(t, db)
	ctx := context.Background()
	marked(t, db, "s", false)
	remember(t, db, "s", "/a", permissions.GrantedSession)
	remember(t, db, "denied", "/a", permissions.GrantDenied)
	marked(t, db, "s", true)
	marked(t, db, "denied", true)
	marked(t, db, "other", false)
	if err := db.EndSession(ctx, "s"); err != nil {
		t.Fatal(err)
	}
	marked(t, db, "s", false)
	marked(t, db, "denied", true)
	if err := db.StartSession(ctx, Session{ID: "denied", Expires: time.Now().Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := db.Prune(ctx, time.Now()); err != nil {
		t.Fatal(err)
	}
	marked(t, db, "denied", false)
	// An answer that was used up counts no more.
	remember(t, db, "once", "/a", permissions.GrantedOnce)
	if ok, err := db.Grants("once").Claim(ctx, "c", []approval.Access{{Path: "/a"}}, false); !ok || err != nil {
		t.Fatal(ok, err)
	}
	marked(t, db, "once", true)
	if err := db.Prune(ctx, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	marked(t, db, "once", false)
}

// Whatever answers there are, and however they came there, a mark is never
// missing.
func TestMarksOfCopiedDatabases(t *testing.T) {
	db := openTest(t)
	canTell(t, db)
	remember(t, db, "s", "/a", permissions.GrantDenied)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if _, err := db.sql.Exec(`VACUUM INTO ?`, copied); err != nil {
		t.Fatal(err)
	}
	if err := db.EndSession(context.Background(), "s"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	marked(t, db, "s", false)
	for _, end := range []string{"", "-wal", "-shm"} {
		os.Remove(db.Path() + end)
	}
	write(t, db.Path(), file(t, copied))
	marked(t, db, "s", true) // unknown: the database has to be asked
	marked(t, db, "other", true)
	again, err := Open(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	marked(t, db, "s", true)
	marked(t, db, "other", false)
	if got := again.Grants("s").Lookup("/a", false, "c"); got != permissions.GrantDenied {
		t.Errorf("the restored answer is %d", got)
	}
}

// While sessions end and remember again, nobody is told that a session has no
// answers while it has one.
func TestMarksUnderConcurrentEnds(t *testing.T) {
	db := openTest(t)
	canTell(t, db)
	other := At(db.Path())
	defer other.Close()
	ctx := context.Background()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := other.EndSession(ctx, "s"); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 60 {
		remember(t, db, "s", fmt.Sprint("/", i), permissions.GrantDenied)
		may := journal.At(db.Path()).MayRemember("s")
		list, err := db.Grants("s").List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 && !may {
			t.Fatal("there is an answer, but no mark")
		}
	}
	close(stop)
	wg.Wait()
	remember(t, db, "s", "/last", permissions.GrantDenied)
	marked(t, db, "s", true)
}

func TestAMarkThatCannotBeMadeIsAnAnswerThatIsNotKept(t *testing.T) {
	db := openTest(t)
	canTell(t, db)
	if err := os.RemoveAll(db.Path() + ".sessions"); err != nil {
		t.Fatal(err)
	}
	write(t, db.Path()+".sessions", nil)
	if err := db.Grants("s").Put(context.Background(), approval.Grant{Path: "/a", Call: "c", Answer: permissions.GrantDenied}); err == nil {
		t.Error("an answer was kept without a mark")
	}
	if got := db.Grants("s").Lookup("/a", false, "c"); got != permissions.NoGrant {
		t.Errorf("Lookup = %d", got)
	}
	marked(t, db, "s", true)
}

// older makes a database as mayi made it before there was a journal: n records,
// the head file with one less, and an answer of a session.
func older(t testing.TB, path string, n int) {
	t.Helper()
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ctx := context.Background()
	run := func(q string, args ...any) {
		if _, err := pool.ExecContext(ctx, q, args...); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	run(schemas()[0])
	run(`INSERT INTO meta VALUES ('id', 'OLDLOG')`)
	run(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1", applicationID))
	run(`INSERT INTO sessions VALUES ('s', '', 0, ?)`, int64(never))
	run(`INSERT INTO grants (session, path, write, call, answer, at) VALUES ('s', '/a', 0, 'c', ?, 0)`, int(permissions.GrantDenied))
	private, key := testKey(t)
	at := head{id: "OLDLOG", hash: zeroHash}
	for i := range n {
		r := testRow(i)
		r.Chain(at.id, at.seq, at.hash)
		tx, err := pool.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := insert(ctx, tx, r); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		write(t, path+".head", []byte(signed(t, key, at)))
		at.seq, at.hash = r.Seq, r.Hash
	}
	run(`INSERT INTO audit_head VALUES (1, ?)`, signed(t, key, at))
	write(t, path+".key", []byte(private+"\n"))
}

func TestADatabaseOfAnOlderMayi(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	older(t, path, 3)
	db := At(path)
	defer db.Close()
	if !journal.At(path).MayRemember("s") || !journal.At(path).MayRemember("other") {
		t.Error("nobody has marked its sessions, and still a mark is missed")
	}
	if _, err := journal.At(path).Note(context.Background(), Record{Event: "refused"}); err == nil {
		t.Error("its log was continued without it")
	}
	r, err := db.Audit().Verify(context.Background(), VerifyOptions{})
	if err != nil || r.Records != 3 || r.Unconfirmed != 1 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
	fill(t, db, 1)
	light(t, path, 1)
	intact(t, db, 5)
	marked(t, db, "s", true)
	canTell(t, db)
	marked(t, db, "other", false)
}

func TestTamperingWithTheHeadOfAnOlderMayi(t *testing.T) {
	for name, do := range map[string]func(path string){
		"no head": func(path string) { os.Remove(path + ".head") },
		"another's head": func(path string) {
			write(t, path+".head", []byte("mayi audit log\nOTHER\n2\n"+zeroHash+"\n\n— mayi x\n"))
		},
		"no key": func(path string) { os.Remove(path + ".key") },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mayi.db")
			older(t, path, 3)
			do(path)
			db := At(path)
			defer db.Close()
			broken(t, db, 0)
			refusing(t, db)
			broken(t, db, 0)
		})
	}
}
