//go:build unix

package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// A hundred processes claim one once grant: exactly one gets it.
func TestClaimAcrossProcesses(t *testing.T) {
	const processes = 100
	path := filepath.Join(t.TempDir(), "mayi.db")
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, g := range []approval.Grant{
		{Path: "/desktop", Call: "call", Answer: permissions.GrantedOnce}, {Call: "call", Answer: permissions.GrantedOnce},
	} {
		if err := db.Grants("s").Put(context.Background(), g); err != nil {
			t.Fatal(err)
		}
	}
	gate, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outs := make([]bytes.Buffer, processes)
	var wg sync.WaitGroup
	for i := range processes {
		cmd := child(t, "claim", path)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = gate, &outs[i], &outs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { cmd.Wait() })
	}
	gate.Close()
	release.Close()
	wg.Wait()
	counts := map[string]int{}
	for i := range outs {
		counts[strings.TrimSpace(outs[i].String())]++
	}
	if counts["true"] != 1 || counts["false"] != processes-1 {
		t.Errorf("claims: %v, want one true and %d false", counts, processes-1)
	}
}

// Processes that write records are killed in the middle, again and again. What
// they were told is kept is there, and the log is whole.
func TestKilledWritersLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	if out, err := child(t, "append-some", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kept := map[string]bool{}
	for round := range 8 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for i := range 4 {
			cmd := child(t, []string{"append", "light"}[i%2], path)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			after := rand.IntN(6)
			pause := time.Duration(rand.IntN(4000)) * time.Microsecond
			wg.Go(func() {
				defer cmd.Wait()
				lines := bufio.NewScanner(out)
				for n := 0; lines.Scan(); n++ {
					mu.Lock()
					if strings.HasPrefix(lines.Text(), "error") {
						t.Errorf("round %d: %s", round, lines.Text())
					} else {
						kept[lines.Text()] = true
					}
					mu.Unlock()
					if n == after {
						time.Sleep(pause)
						cmd.Process.Kill()
					}
				}
			})
		}
		wg.Wait()
		db, err := Open(path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		r, err := db.Audit().Verify(context.Background(), VerifyOptions{})
		if err != nil {
			t.Fatalf("round %d: %v %v", round, err, r.Problems)
		}
		have := map[string]bool{}
		for _, rec := range records(t, db, Query{}) {
			have[fmt.Sprint(rec.Seq, " ", rec.Hash)] = true
		}
		for line := range kept {
			if !have[line] {
				t.Errorf("round %d: the acknowledged record %s is lost", round, line)
			}
		}
		db.Close()
	}
	if len(kept) == 0 {
		t.Error("no record was ever acknowledged")
	}
}

// A thousand records from processes with and without the database are one log.
func TestBothSidesAcrossProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	var wg sync.WaitGroup
	light(t, path, 1)
	for i := range 44 {
		job := "light-some"
		if i%2 == 1 {
			job = "append-some"
		}
		cmd := child(t, job, path)
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	db := At(path)
	defer db.Close()
	const want = 1 + 22*40 + 22*5
	intact(t, db, want)
	if n := len(records(t, db, Query{})); n != want {
		t.Errorf("%d records, want %d", n, want)
	}
	intact(t, db, want)
}

func TestAppendAcrossProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "mayi.db")
	const processes = 12
	var wg sync.WaitGroup
	for range processes {
		cmd := child(t, "append-some", path)
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	intact(t, db, processes*5)
}

// An answer survives a restart, and another process uses it once.
func TestAnswersSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	q := approval.Question{ID: "1", Session: "s", Call: "c", Policy: "p", Owner: "ann", Expires: time.Now().Add(time.Hour)}
	if _, err := db.Questions().Put(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	db.Close()
	db, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Questions().Answer(context.Background(), "1", "ann", approval.Answer{Choice: approval.Once}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	for _, want := range []string{"true once", "false"} {
		out, err := child(t, "take", path).Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("took %q, %v; want %q", got, err, want)
		}
	}
}

// A process that is killed with the database open leaves it usable.
func TestAKilledProcessLeavesNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mayi.db")
	cmd := child(t, "append", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.ReadFull(out, make([]byte, 1))
	cmd.Process.Kill()
	cmd.Wait()
	if out, err := child(t, "write", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
