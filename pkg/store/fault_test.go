//go:build linux

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// told checks that an error names the kind, the file and a way out.
func told(t *testing.T, err, kind error, path string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want %v", err, kind)
		return
	}
	var e *Error
	if !errors.As(err, &e) || e.Mend == "" || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), e.Mend) {
		t.Errorf("the error does not say where and how to mend it: %v", err)
	}
}

// closed checks that nothing counts as granted in a store that cannot be read.
func closed(t *testing.T, db *DB) {
	t.Helper()
	g := db.Grants("s")
	if got := g.Lookup("/a/b", false, "c"); got != permissions.GrantDenied {
		t.Errorf("Lookup in a broken store = %d, want a denial", got)
	}
	if got := g.LookupCall("c"); got != permissions.GrantDenied {
		t.Errorf("LookupCall in a broken store = %d, want a denial", got)
	}
	if ok, err := g.Claim(context.Background(), "c", []approval.Access{{Path: "/a"}}, false); ok || err == nil {
		t.Errorf("Claim in a broken store = %v, %v", ok, err)
	}
	if _, ok, err := db.Questions().Take(context.Background(), "s", "c", "p"); ok || err == nil {
		t.Errorf("Take from a broken store = %v, %v", ok, err)
	}
	if _, err := db.Audit().Append(context.Background(), Record{Event: "begin"}); err == nil {
		t.Error("Append to a broken store succeeded")
	}
	if _, err := db.Audit().Verify(context.Background(), VerifyOptions{}); err == nil {
		t.Error("Verify of a broken store succeeded")
	}
	for _, err := range db.Audit().Records(context.Background(), Query{}) {
		if err == nil {
			t.Error("Records of a broken store gave one")
		}
	}
}

func TestCorruptFiles(t *testing.T) {
	for name, data := range map[string][]byte{
		"text":              []byte(strings.Repeat("this is no database\n", 100)),
		"short":             []byte("SQLite"),
		"only the header":   []byte("SQLite format 3\x00" + strings.Repeat("\x00", 84)),
		"garbage behind it": []byte("SQLite format 3\x00" + strings.Repeat("\xff", 8000)),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mayi.db")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path)
			told(t, err, ErrCorrupt, path)
			closed(t, At(path))
			if got, err := os.ReadFile(path); err != nil || string(got) != string(data) {
				t.Errorf("the damaged file was changed: %v", err)
			}
		})
	}
}

func TestDamageInTheMiddleIsFound(t *testing.T) {
	db := openTest(t)
	fill(t, db, 200)
	if _, err := db.sql.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	db.Close()
	data, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 2; i < len(data)/2+4096; i++ {
		data[i] ^= 0x55
	}
	if err := os.WriteFile(db.Path(), data, 0o600); err != nil {
		t.Fatal(err)
	}
	again := At(db.Path())
	defer again.Close()
	if r, err := again.Audit().Verify(context.Background(), VerifyOptions{}); !errors.Is(err, ErrTampered) && !errors.Is(err, ErrCorrupt) {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}

func TestForeignAndNewerDatabases(t *testing.T) {
	make := func(t *testing.T, statements ...string) string {
		path := filepath.Join(t.TempDir(), "other.db")
		pool, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		for _, s := range statements {
			if _, err := pool.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	path := make(t, `CREATE TABLE notes (text)`)
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "another program's database") || !strings.Contains(err.Error(), "name another file") {
		t.Errorf("another program's database: %v", err)
	}
	closed(t, At(path))
	path = make(t, `PRAGMA user_version = 1`)
	if _, err := Open(path); err == nil {
		t.Error("a version without our mark was accepted")
	}
	path = make(t, fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d; CREATE TABLE x (y)`, applicationID, len(schemas())+1))
	_, err := Open(path)
	told(t, err, ErrNewer, path)
	closed(t, At(path))
}

func TestMigrationOfAnEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fill(t, db, 1)
	intact(t, db, 1)
}

func TestLockedDatabase(t *testing.T) {
	db := openTest(t)
	if err := db.Grants("s").Put(context.Background(), approval.Grant{Path: "/a", Call: "c", Answer: permissions.GrantedOnce}); err != nil {
		t.Fatal(err)
	}
	holder, err := db.sql.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	other := At(db.Path(), WithBusyTimeout(20*time.Millisecond))
	defer other.Close()
	ok, err := other.Grants("s").Claim(context.Background(), "c", []approval.Access{{Path: "/a"}}, false)
	if ok {
		t.Error("claimed under another's lock")
	}
	told(t, err, ErrLocked, db.Path())
	_, err = other.Audit().Append(context.Background(), Record{Event: "begin"})
	told(t, err, ErrLocked, db.Path())
	// Reading goes on.
	if got := other.Grants("s").Lookup("/a", false, "c"); got != permissions.GrantedOnce {
		t.Errorf("Lookup beside a writer = %d", got)
	}
	holder.Rollback()
	if ok, err := other.Grants("s").Claim(context.Background(), "c", []approval.Access{{Path: "/a"}}, false); !ok || err != nil {
		t.Errorf("after the lock was gone: %v, %v", ok, err)
	}
}

func TestPathsThatAreNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil {
		t.Error("a directory was opened")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "mayi.db")); err == nil {
		t.Error("a file was taken for a directory")
	}
	closed(t, At(filepath.Join(file, "mayi.db")))
	if _, err := Open("/dev/null"); err == nil || !strings.Contains(err.Error(), "device") {
		t.Errorf("/dev/null: %v", err)
	}
	if err := os.Symlink("nowhere/at/all", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "dangling")); err == nil {
		t.Error("a dangling link was opened")
	}
	odd := filepath.Join(dir, "a b?c%20d#e;f")
	db, err := Open(filepath.Join(odd, "m?x=1&y#z.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fill(t, db, 1)
	if list, err := os.ReadDir(odd); err != nil || len(list) < 3 {
		t.Errorf("the files are not where they were named: %v %v", list, err)
	}
}

func TestOnlyTheOwnerCanRead(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "state", "mayi.db")
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, 1)
	list, err := filepath.Glob(path + "*")
	if err != nil || len(list) < 5 { // database, -wal, -shm, .head, .key
		t.Fatalf("files: %v, %v", list, err)
	}
	for _, f := range append(list, filepath.Dir(path)) {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", f, info.Mode())
		}
	}
	db.Close()
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	db, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("an open file was left open to others: %v", info.Mode())
	}
}

// asNobody lets the child run without root's power over permissions.
func asNobody(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	bin := filepath.Join("/tmp", fmt.Sprintf("mayi-store-test-%d", os.Getpid()))
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin, data, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(bin) })
	cmd.Path, cmd.Dir = bin, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mayi-store-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := publicDir(t)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "mayi.db"), filepath.Join(dir, "state", "mayi.db")} {
		cmd := child(t, "write", path)
		asNobody(t, cmd)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "kind: "+ErrReadOnly.Error()) || !strings.Contains(string(out), path) {
			t.Errorf("%v: %s", err, out)
		}
	}
}

func TestReadOnlyFile(t *testing.T) {
	dir := publicDir(t)
	path := filepath.Join(dir, "mayi.db")
	if out, err := child(t, "write", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "write", path)
	asNobody(t, cmd)
	if os.Getuid() != 0 {
		// The owner may open it again, and does.
		t.Skip("this needs a file of somebody else's: run as root")
	}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "kind: "+ErrReadOnly.Error()) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestFullDisk(t *testing.T) {
	limits := map[string]func(t *testing.T, dir string) (prefix []string){
		"file size limit": func(*testing.T, string) []string { return []string{"sh", "-c", `ulimit -f 400; exec "$0" "$@"`} },
		"small file system": func(t *testing.T, dir string) []string {
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=600k"); err != nil {
				t.Skipf("no small file system can be mounted: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(dir, 0); err != nil {
					t.Error(err)
				}
			})
			return nil
		},
	}
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			dir := publicDir(t)
			prefix := limit(t, dir)
			path := filepath.Join(dir, "mayi.db")
			cmd := child(t, "fill", path)
			if prefix != nil {
				args := append(prefix[1:], cmd.Args...)
				env := cmd.Env
				cmd = exec.Command(prefix[0], args...)
				cmd.Env = env
			}
			out, err := cmd.CombinedOutput()
			text := string(out)
			if err == nil || !strings.Contains(text, "kind: "+ErrFull.Error()) || !strings.Contains(text, "free some space") {
				t.Errorf("%v: %s", err, text)
			}
			if !strings.Contains(text, "kept ") || strings.Contains(text, "kept 0\n") {
				t.Errorf("nothing was kept before the disk was full: %s", text)
			}
			// With room again the log goes on where it was.
			if name == "file size limit" {
				db, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				fill(t, db, 1)
				if r, err := db.Audit().Verify(context.Background(), VerifyOptions{}); err != nil {
					t.Errorf("%v %v", err, r.Problems)
				}
			}
		})
	}
}
