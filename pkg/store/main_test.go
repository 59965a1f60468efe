package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/journal"
	"mayi/pkg/permissions"
)

// The test binary is a process that uses a store when this variable names
// what it does with the file in its first argument.
const jobVar = "MAYI_TEST_JOB"

func TestMain(m *testing.M) {
	job := os.Getenv(jobVar)
	if job == "" {
		os.Exit(m.Run())
	}
	if err := jobs(job, os.Args[1]); err != nil {
		fmt.Println("error:", err)
		for _, kind := range []error{ErrReadOnly, ErrFull, ErrCorrupt, ErrLocked, ErrNewer} {
			if errors.Is(err, kind) {
				fmt.Println("kind:", kind)
			}
		}
		os.Exit(1)
	}
}

func jobs(job, path string) error {
	ctx := context.Background()
	switch job {
	case "light": // until killed, saying each record that is kept
		for i := 0; ; i++ {
			if err := say(journal.At(path).Note(ctx, Record{Event: "refused", Text: fmt.Sprint("record ", i)})); err != nil {
				return err
			}
		}
	case "light-some":
		for range 40 {
			if _, err := journal.At(path).Note(ctx, Record{Event: "refused"}); err != nil {
				return err
			}
		}
		return nil
	}
	db, err := Open(path)
	if err != nil {
		return err
	}
	defer db.Close()
	switch job {
	case "claim": // wait for the starter to close the pipe, so that all claim at once
		os.Stdin.Read(make([]byte, 1))
		ok, err := db.Grants("s").Claim(ctx, "call", []approval.Access{{Path: "/desktop/a"}}, true)
		fmt.Println(ok)
		return err
	case "append": // until killed, saying each record that is kept
		for i := 0; ; i++ {
			if err := say(db.Audit().Append(ctx, Record{Event: "begin", Session: strconv.Itoa(os.Getpid()), Text: fmt.Sprint("record ", i)})); err != nil {
				return err
			}
		}
	case "append-some":
		for range 5 {
			if _, err := db.Audit().Append(ctx, Record{Event: "begin"}); err != nil {
				return err
			}
		}
		return nil
	case "write":
		if err := db.Grants("s").Put(ctx, approval.Grant{Path: "/a", Call: "c", Answer: permissions.GrantedSession}); err != nil {
			return err
		}
		_, err := db.Audit().Append(ctx, Record{Event: "begin"})
		return err
	case "fill":
		return fillDisk(ctx, db)
	case "take":
		a, ok, err := db.Questions().Take(ctx, "s", "c", "p")
		fmt.Println(ok, a.Choice)
		return err
	}
	return fmt.Errorf("no job %q", job)
}

func say(r Record, err error) error {
	if err == nil {
		fmt.Println(r.Seq, r.Hash)
	}
	return err
}

// fillDisk writes until there is no room, and checks what then holds.
func fillDisk(ctx context.Context, db *DB) error {
	var kept int64
	var full error
	for range 100_000 {
		r, err := db.Audit().Append(ctx, Record{Event: "begin", Text: strings.Repeat("x", 2000)})
		if err != nil {
			full = err
			break
		}
		kept = r.Seq
	}
	if full == nil {
		return errors.New("the disk never got full")
	}
	if err := db.Grants("s").Put(ctx, approval.Grant{Path: "/" + strings.Repeat("long/", 4000) + "x", Call: "c", Answer: permissions.GrantedSession}); err == nil {
		return errors.New("a grant was kept on a full disk")
	}
	db.Close()
	again := At(db.Path())
	defer again.Close()
	r, err := again.Audit().Verify(ctx, VerifyOptions{})
	if err != nil && !errors.Is(err, ErrFull) {
		return fmt.Errorf("verify: %w %v", err, r.Problems)
	}
	if err == nil && r.Records < kept {
		return fmt.Errorf("%d records are left of %d acknowledged ones", r.Records, kept)
	}
	fmt.Println("kept", kept)
	return full
}

// child returns the command for a job on the store in path.
func child(t testing.TB, job, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), jobVar+"="+job)
	return cmd
}
