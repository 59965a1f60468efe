package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"mayi/pkg/approval"
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
			r, err := db.Audit().Append(ctx, Record{Event: "begin", Session: strconv.Itoa(os.Getpid()), Text: fmt.Sprint("record ", i)})
			if err != nil {
				return err
			}
			fmt.Println(r.Seq, r.Hash)
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

// child returns the command for a job on the store in path.
func child(t testing.TB, job, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), jobVar+"="+job)
	return cmd
}
