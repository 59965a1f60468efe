package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

func TestSessions(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	db := openTest(t, WithClock(func() time.Time { return now }))
	ctx := context.Background()
	grant := func(session, path string) {
		t.Helper()
		if err := db.Grants(session).Put(ctx, approval.Grant{Path: path, Call: "c", Answer: permissions.GrantedSession}); err != nil {
			t.Fatal(err)
		}
	}
	names := func() string {
		t.Helper()
		list, err := db.Sessions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var out string
		for _, s := range list {
			out += fmt.Sprintf("%s/%s/%d ", s.ID, s.Owner, s.Grants)
		}
		return out
	}
	if err := db.StartSession(ctx, Session{ID: "a", Owner: "ann", Expires: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second)
	grant("a", "/x")
	grant("a", "/y")
	grant("b", "/x")
	if got := names(); got != "a/ann/2 b//1 " {
		t.Errorf("sessions %q", got)
	}
	// Nothing leaks from one session to another.
	if got := db.Grants("b").Lookup("/y", false, "c"); got != permissions.NoGrant {
		t.Errorf("session b sees what a was granted: %d", got)
	}
	if got := db.Grants("").Lookup("/x", false, "c"); got != permissions.NoGrant {
		t.Errorf("the nameless session sees grants: %d", got)
	}
	// An expired session's grants do not count.
	now = now.Add(2 * time.Hour)
	if got := db.Grants("a").Lookup("/x", false, "c"); got != permissions.NoGrant {
		t.Errorf("a grant outlived its session: %d", got)
	}
	if list, err := db.Grants("a").List(ctx); err != nil || len(list) != 0 {
		t.Errorf("List = %v, %v", list, err)
	}
	if got := names(); got != "b//1 " {
		t.Errorf("sessions %q", got)
	}
	// It counts again when the session is prolonged.
	if err := db.StartSession(ctx, Session{ID: "a", Owner: "ann", Expires: now.Add(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	if got := db.Grants("a").Lookup("/x", false, "c"); got != permissions.GrantedSession {
		t.Errorf("a prolonged session lost its grant: %d", got)
	}
	now = now.Add(2 * time.Minute)
	if err := db.Prune(ctx, now); err != nil {
		t.Fatal(err)
	}
	if err := db.StartSession(ctx, Session{ID: "a", Owner: "ann"}); err != nil {
		t.Fatal(err)
	}
	if got := db.Grants("a").Lookup("/x", false, "c"); got != permissions.NoGrant {
		t.Errorf("a pruned grant came back: %d", got)
	}
	if err := db.EndSession(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if got := db.Grants("b").Lookup("/x", false, "c"); got != permissions.NoGrant {
		t.Errorf("a grant outlived the end of its session: %d", got)
	}
	if got := names(); got != "a/ann/0 " {
		t.Errorf("sessions %q", got)
	}
}

func TestRevokeCall(t *testing.T) {
	g := openTest(t).Grants("s")
	ctx := context.Background()
	if err := g.Put(ctx, approval.Grant{Call: "c", Answer: permissions.GrantedSession}); err != nil {
		t.Fatal(err)
	}
	if err := g.RevokeCall(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	if got := g.LookupCall("c"); got != permissions.NoGrant {
		t.Errorf("LookupCall = %d", got)
	}
}
