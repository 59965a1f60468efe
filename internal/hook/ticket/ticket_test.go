package ticket_test

import (
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
	"mayi/pkg/permissions"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func issued(t *testing.T, dir string) ticket.Ticket {
	t.Helper()
	k := ticket.Ticket{
		ID: ticket.NewID(), Agent: "codex", Session: "codex:s", Text: "touch 'a\nb'", Line: "x", Dir: "/ws", Cwd: "/ws", Policy: "v", Begun: true, Number: 7,
		Expires: now.Add(ticket.Life),
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

// TestOneClaim: of many at the same time exactly one has it, and nothing stays.
func TestOneClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	var got atomic.Int32
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			switch _, err := ticket.Claim(dir, k.ID, now); {
			case err == nil:
				got.Add(1)
			case !errors.Is(err, ticket.ErrNone):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got.Load() != 1 {
		t.Errorf("%d claims have it", got.Load())
	}
	if _, err := ticket.Find(dir, k.ID, now); !errors.Is(err, ticket.ErrNone) {
		t.Errorf("it is still there: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d files are left (%v)", len(left), err)
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

// TestNoOtherFileIsATicket: a name leads nowhere but to one.
func TestNoOtherFileIsATicket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), strings.Repeat("A", 26)), []byte(`{"id":"`+strings.Repeat("A", 26)+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", ".", "..", "../" + strings.Repeat("A", 26), k.ID + "/", k.ID + ".used", strings.ToLower(k.ID), k.ID[:19], strings.Repeat("A", 65), strings.Repeat("A", 26)} {
		if _, err := ticket.Claim(dir, id, now); !errors.Is(err, ticket.ErrNone) {
			t.Errorf("%q: %v", id, err)
		}
	}
	// What was copied to another name is not that other's.
	other := strings.Repeat("B", 26)
	data, err := os.ReadFile(filepath.Join(dir, k.ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, other), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ticket.Claim(dir, other, now); !errors.Is(err, ticket.ErrNone) {
		t.Errorf("a copy under another name: %v", err)
	}
}

func TestOnlyThePersonReadsThem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tickets")
	k := issued(t, dir)
	for name, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, k.ID): 0o600} {
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
