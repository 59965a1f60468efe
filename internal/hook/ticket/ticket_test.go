package ticket_test

import (
	"encoding/base32"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mayi/internal/hook/ticket"
	"mayi/pkg/gate"
	"mayi/pkg/journal"
	"mayi/pkg/permissions"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func issued(t *testing.T, dir string) ticket.Ticket {
	t.Helper()
	k := ticket.Ticket{
		ID: ticket.NewID(), Agent: "codex", Session: "codex:s", Text: "touch 'a\nb'", Line: "x", Dir: "/ws", Cwd: "/ws", Policy: "v", Begun: true, Number: 7,
		Expires: now.Add(ticket.Life).UnixNano(),
		Verdict: gate.Verdict{
			Decision: permissions.Decision{Verdict: permissions.Allow, Reason: "r", Risk: permissions.RiskHigh, Obligations: []string{permissions.Confine}},
			Request:  gate.Request{Session: "codex:s", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": "touch a"}, Confines: true},
			Call: permissions.Call{
				Shell: true, Command: "touch a", Parts: []permissions.Part{{Words: []permissions.Word{{Text: "touch", Known: true}}, Class: permissions.Wrapper, Opaque: permissions.OpaqueProgram, Span: permissions.Span{Start: 1, End: 2}}},
				Effects: []permissions.Effect{{Kind: permissions.FSWrite, Path: "/ws/a", Certainty: permissions.Exact, Origin: permissions.FromCommand, Grant: permissions.GrantedOnce, Sweep: permissions.AnyFiles,
					Place: permissions.Place{Zone: permissions.Inside, Real: "/ws/a", Below: []string{"/ws/a/b"}}}},
				Approved: permissions.GrantedSession,
			},
			Hash: "h", Policy: "v", Text: "touch a",
		},
	}
	if err := ticket.Put(dir, k); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestWhatIsKeptComesBack: the run is held to the decision as it was made.
func TestWhatIsKeptComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	for _, get := range []func(string, string, time.Time) (ticket.Ticket, error){ticket.Find, ticket.Claim} {
		got, err := get(dir, k.ID, now)
		if err != nil || !reflect.DeepEqual(got, k) {
			t.Errorf("%+v (%v), want %+v", got, err, k)
		}
	}
}

// TestNoneOfAnEarlierRunOfTheMachine: that a ticket was used may be lost with the
// power, so that none is good after it.
func TestNoneOfAnEarlierRunOfTheMachine(t *testing.T) {
	boot := journal.BootID()
	if boot == "" {
		t.Skip("runs of this machine cannot be told apart")
	}
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	list, err := filepath.Glob(filepath.Join(dir, "*-"+boot))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	earlier := strings.TrimSuffix(list[0], boot) + "00000000-0000-4000-8000-000000000000"
	if err := os.Rename(list[0], earlier); err != nil {
		t.Fatal(err)
	}
	for _, get := range []func(string, string, time.Time) (ticket.Ticket, error){ticket.Find, ticket.Claim} {
		if _, err := get(dir, k.ID, now); !errors.Is(err, ticket.ErrNone) {
			t.Errorf("it is still good: %v", err)
		}
	}
}

// TestOneClaim: of many at the same time exactly one has it.
func TestOneClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	for range 60 {
		k := issued(t, dir)
		start := make(chan struct{})
		var got atomic.Int32
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				<-start
				switch _, err := ticket.Claim(dir, k.ID, now); {
				case err == nil:
					got.Add(1)
				case !errors.Is(err, ticket.ErrNone):
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		if got.Load() != 1 {
			t.Fatalf("%d claims have it", got.Load())
		}
		if _, err := ticket.Find(dir, k.ID, now); !errors.Is(err, ticket.ErrNone) {
			t.Errorf("it is still there: %v", err)
		}
	}
}

func TestATicketEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	if _, err := ticket.Find(dir, k.ID, now.Add(ticket.Life)); !errors.Is(err, ticket.ErrNone) {
		t.Errorf("found after its end: %v", err)
	}
	if _, err := ticket.Claim(dir, k.ID, now.Add(ticket.Life)); !errors.Is(err, ticket.ErrNone) {
		t.Errorf("claimed after its end: %v", err)
	}
	left := issued(t, dir)
	ticket.Sweep(dir, time.Now())
	if _, err := ticket.Find(dir, left.ID, now); err != nil {
		t.Errorf("a fresh one was swept away: %v", err)
	}
	ticket.Sweep(dir, time.Now().Add(2*ticket.Life))
	if _, err := ticket.Find(dir, left.ID, now); !errors.Is(err, ticket.ErrNone) {
		t.Errorf("an old one is still there: %v", err)
	}
}

// book is the one file in dir.
func book(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d files (%v), want one", len(list), err)
	}
	return filepath.Join(dir, list[0].Name())
}

// TestNoOtherNameIsATicket: a name leads nowhere but to one.
func TestNoOtherNameIsATicket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	for _, id := range []string{"", ".", "..", "../" + strings.Repeat("A", 26), k.ID + "/", k.ID + " ", "\n+" + k.ID, strings.ToLower(k.ID), k.ID[:19], k.ID[:25], k.ID[1:], k.ID + "A", strings.Repeat("A", 65), strings.Repeat("A", 26)} {
		if _, err := ticket.Claim(dir, id, now); !errors.Is(err, ticket.ErrNone) {
			t.Errorf("%q: %v", id, err)
		}
		if _, err := ticket.Find(dir, id, now); !errors.Is(err, ticket.ErrNone) {
			t.Errorf("%q is found: %v", id, err)
		}
	}
	// What stands behind another name is not that other's.
	data, err := os.ReadFile(book(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("B", 26)
	if err := os.WriteFile(book(t, dir), []byte(strings.Replace(string(data), k.ID, other, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ticket.Claim(dir, other, now); !errors.Is(err, ticket.ErrNone) {
		t.Errorf("a copy under another name: %v", err)
	}
}

// TestACommandIsNoLine: whatever a command says, it is no ticket.
func TestACommandIsNoLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	data, err := os.ReadFile(book(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Repeat("C", 26)
	text := strings.Replace(string(data), k.ID, forged, 1)
	k.ID, k.Text, k.Line = ticket.NewID(), text, text
	k.Verdict.Request.Input = map[string]any{"command": text}
	if err := ticket.Put(dir, k); err != nil {
		t.Fatal(err)
	}
	if _, err := ticket.Claim(dir, forged, now); !errors.Is(err, ticket.ErrNone) {
		t.Errorf("a ticket was made by a command: %v", err)
	}
	if got, err := ticket.Claim(dir, k.ID, now); err != nil || got.Text != text {
		t.Errorf("%v", err)
	}
}

// TestWhatWasCutShort takes no other ticket along, and is none.
func TestWhatWasCutShort(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	data, err := os.ReadFile(book(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(data)-1; cut += 7 {
		if err := os.WriteFile(book(t, dir), data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ticket.Claim(dir, k.ID, now); err == nil {
			t.Fatalf("claimed with the first %d bytes of %d", cut, len(data))
		}
		next := issued(t, dir)
		if got, err := ticket.Claim(dir, next.ID, now); err != nil || !reflect.DeepEqual(got, next) {
			t.Fatalf("the one after %d bytes: %v", cut, err)
		}
		if _, err := ticket.Claim(dir, k.ID, now); err == nil {
			t.Fatalf("claimed with the first %d bytes and another one behind them", cut)
		}
	}
}

// TestFromOneFileToTheNext: tickets that end in different files are found all
// their life, from whichever file.
func TestFromOneFileToTheNext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	for at := now; at.Before(now.Add(2 * ticket.Life)); at = at.Add(ticket.Life / 5) {
		k := ticket.Ticket{ID: ticket.NewID(), Expires: at.Add(ticket.Life).UnixNano()}
		if err := ticket.Put(dir, k); err != nil {
			t.Fatal(err)
		}
		for _, later := range []time.Duration{0, ticket.Life / 2, ticket.Life - 1} {
			if _, err := ticket.Find(dir, k.ID, at.Add(later)); err != nil {
				t.Errorf("issued at %s, looked for %s later: %v", at, later, err)
			}
		}
		if _, err := ticket.Claim(dir, k.ID, at.Add(ticket.Life-1)); err != nil {
			t.Errorf("claimed in the last moment: %v", err)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) < 2 {
		t.Errorf("all in one file: %v (%v)", list, err)
	}
}

// TestNothingIsUsedUpWhereNothingCanBeWritten: as inside another sandbox.
func TestNothingIsUsedUpWhereNothingCanBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere; internal/hook/confined tries it in a sandbox")
	}
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	if err := os.Chmod(book(t, dir), 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := ticket.Claim(dir, k.ID, now); !errors.Is(err, ticket.ErrReadOnly) {
		t.Errorf("%v", err)
	}
}

func TestOnlyThePersonReadsThem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	issued(t, dir)
	for name, want := range map[string]os.FileMode{dir: 0o700, book(t, dir): 0o600} {
		if st, err := os.Stat(name); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v (%v)", name, st.Mode(), err)
		}
	}
}

// TestNamesCannotBeGuessed: each is new, and long.
func TestNamesCannotBeGuessed(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := ticket.NewID()
		if seen[id] || len(id) < 26 {
			t.Fatalf("%q", id)
		}
		seen[id] = true
	}
}

// TestEveryBitOfANameChanges: none is fixed, whichever way the bytes come.
func TestEveryBitOfANameChanges(t *testing.T) {
	var ones, zeros [16]byte
	for range 300 {
		b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(ticket.NewID())
		if err != nil || len(b) != len(ones) {
			t.Fatalf("%x (%v)", b, err)
		}
		for i := range b {
			ones[i] |= b[i]
			zeros[i] |= ^b[i]
		}
	}
	for i := range ones {
		if ones[i] != 0xff || zeros[i] != 0xff {
			t.Errorf("byte %d: ever one %08b, ever zero %08b", i, ones[i], zeros[i])
		}
	}
}
