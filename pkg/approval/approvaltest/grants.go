// Package approvaltest holds the suites that every implementation of
// approval's interfaces passes.
package approvaltest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Grants runs the suite for approval.Grants. open returns an empty store of
// one session; it is called once for each test.
func Grants(t *testing.T, open func(t *testing.T) approval.Grants) {
	t.Run("lookup", func(t *testing.T) { grantsLookup(t, open) })
	t.Run("replace", func(t *testing.T) { grantsReplace(t, open) })
	t.Run("call", func(t *testing.T) { grantsCall(t, open) })
	t.Run("claim", func(t *testing.T) { grantsClaim(t, open) })
	t.Run("claim-all-or-none", func(t *testing.T) { grantsAllOrNone(t, open) })
	t.Run("claim-race", func(t *testing.T) { grantsRace(t, open) })
	t.Run("revoke", func(t *testing.T) { grantsRevoke(t, open) })
	t.Run("bad", func(t *testing.T) { grantsBad(t, open) })
}

const (
	callA = "call-a"
	callB = "call-b"
)

func grant(path string, write bool, call string, a permissions.Grant) approval.Grant {
	return approval.Grant{Path: path, Write: write, Call: call, Answer: a}
}

func put(t *testing.T, g approval.Grants, all ...approval.Grant) {
	t.Helper()
	for _, one := range all {
		if err := g.Put(context.Background(), one); err != nil {
			t.Fatalf("Put(%+v): %v", one, err)
		}
	}
}

func look(t *testing.T, g approval.Grants, path string, write bool, call string, want permissions.Grant) {
	t.Helper()
	if got := g.Lookup(path, write, call); got != want {
		t.Errorf("Lookup(%q, write=%v, %q) = %v, want %v", path, write, call, name(got), name(want))
	}
}

func claim(t *testing.T, g approval.Grants, call string, self bool, want bool, paths ...approval.Access) {
	t.Helper()
	got, err := g.Claim(context.Background(), call, paths, self)
	if err != nil {
		t.Fatalf("Claim(%q, %v): %v", call, paths, err)
	}
	if got != want {
		t.Errorf("Claim(%q, %v, self=%v) = %v, want %v", call, paths, self, got, want)
	}
}

func name(g permissions.Grant) string {
	switch g {
	case permissions.NoGrant:
		return "none"
	case permissions.GrantedOnce:
		return "once"
	case permissions.GrantedSession:
		return "session"
	case permissions.GrantDenied:
		return "denied"
	}
	return fmt.Sprintf("grant %d", g)
}

func read(path string) approval.Access  { return approval.Access{Path: path} }
func write(path string) approval.Access { return approval.Access{Path: path, Write: true} }

func grantsLookup(t *testing.T, open func(t *testing.T) approval.Grants) {
	const (
		none    = permissions.NoGrant
		once    = permissions.GrantedOnce
		session = permissions.GrantedSession
		denied  = permissions.GrantDenied
	)
	for _, tt := range []struct {
		name   string
		grants []approval.Grant
		path   string
		write  bool
		call   string
		want   permissions.Grant
	}{
		{"empty", nil, "/desktop", false, callA, none},
		{"itself", []approval.Grant{grant("/desktop", false, callA, session)}, "/desktop", false, callB, session},
		{"below", []approval.Grant{grant("/desktop", false, callA, session)}, "/desktop/a/b", false, callB, session},
		{"no prefix of the name", []approval.Grant{grant("/desktop", false, callA, session)}, "/desktop2", false, callA, none},
		{"no prefix below", []approval.Grant{grant("/desktop", false, callA, session)}, "/desktop2/a", false, callA, none},
		{"not above", []approval.Grant{grant("/desktop/a", false, callA, session)}, "/desktop", false, callA, none},
		{"not beside", []approval.Grant{grant("/desktop/a", false, callA, session)}, "/desktop/b", false, callA, none},
		{"not canonical: dots", []approval.Grant{grant("/desktop", false, callA, session)}, "/desktop/../etc", false, callA, none},
		{"not canonical: slash", []approval.Grant{grant("/desktop", false, callA, session)}, "/desktop/", false, callA, none},
		{"not canonical: relative", []approval.Grant{grant("/desktop", false, callA, session)}, "desktop", false, callA, none},
		{"no path", []approval.Grant{grant("/desktop", false, callA, session)}, "", false, callA, none},
		{"case matters", []approval.Grant{grant("/desktop", false, callA, session)}, "/Desktop", false, callA, none},
		{"pattern characters are plain", []approval.Grant{grant("/d%", false, callA, session)}, "/desktop", false, callA, none},
		{"root", []approval.Grant{grant("/", false, callA, session)}, "/etc/passwd", false, callA, session},
		{"root itself", []approval.Grant{grant("/", false, callA, session)}, "/", false, callA, session},
		{"newline in a name", []approval.Grant{grant("/a\nb", false, callA, session)}, "/a\nb/c", false, callA, session},
		{"no UTF-8", []approval.Grant{grant("/a\xff", false, callA, session)}, "/a\xff/c", false, callA, session},
		{"other bytes, no UTF-8", []approval.Grant{grant("/a\xff", false, callA, session)}, "/a\xfe", false, callA, none},
		{"reading does not open writing", []approval.Grant{grant("/d", false, callA, session)}, "/d", true, callA, none},
		{"writing opens reading", []approval.Grant{grant("/d", true, callA, session)}, "/d/x", false, callA, session},
		{"once, its call", []approval.Grant{grant("/d", false, callA, once)}, "/d/x", false, callA, once},
		{"once, another call", []approval.Grant{grant("/d", false, callA, once)}, "/d/x", false, callB, none},
		{"once, no call given", []approval.Grant{grant("/d", false, callA, once)}, "/d/x", false, "", none},
		{"once by hand, any call", []approval.Grant{grant("/d", false, "", once)}, "/d/x", false, callB, once},
		{"once for reading is not for writing", []approval.Grant{grant("/d", false, callA, once)}, "/d", true, callA, none},
		{"once of two calls", []approval.Grant{grant("/d", false, callA, once), grant("/d", false, callB, once)}, "/d", false, callA, once},
		{"denied below", []approval.Grant{grant("/d", false, callA, denied)}, "/d/x/y", false, callB, denied},
		{"denied reading denies writing", []approval.Grant{grant("/d", false, callA, denied)}, "/d/x", true, callB, denied},
		{"denied writing leaves reading", []approval.Grant{grant("/d", true, callA, denied)}, "/d/x", false, callB, none},
		{"denied writing under a read grant", []approval.Grant{grant("/d", false, callA, session), grant("/d", true, callA, denied)}, "/d", false, callA, session},
		{"specific denial under a grant", []approval.Grant{grant("/d", false, callA, session), grant("/d/secret", false, callA, denied)}, "/d/secret/x", false, callA, denied},
		{"sibling of a denial", []approval.Grant{grant("/d", false, callA, session), grant("/d/secret", false, callA, denied)}, "/d/secret2", false, callA, session},
		{"specific grant under a denial", []approval.Grant{grant("/d", false, callA, denied), grant("/d/ok", false, callA, session)}, "/d/ok/x", false, callA, session},
		{"specific read grant does not write under a denial", []approval.Grant{grant("/d", false, callA, denied), grant("/d/ok", false, callA, session)}, "/d/ok/x", true, callA, denied},
		{"order of the answers does not matter", []approval.Grant{grant("/d/ok", false, callA, session), grant("/d", false, callA, denied)}, "/d/ok/x", false, callA, session},
		{"once under a session", []approval.Grant{grant("/d", false, callA, session), grant("/d/x", false, callA, once)}, "/d/x", false, callA, once},
		{"foreign once does not hide a session", []approval.Grant{grant("/d", false, callA, session), grant("/d/x", false, callA, once)}, "/d/x", false, callB, session},
		{"foreign once does not hide a denial", []approval.Grant{grant("/d", false, callA, denied), grant("/d/x", false, callA, once)}, "/d/x", false, callB, denied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := open(t)
			put(t, g, tt.grants...)
			look(t, g, tt.path, tt.write, tt.call, tt.want)
		})
	}
}

func grantsReplace(t *testing.T, open func(t *testing.T) approval.Grants) {
	ctx := context.Background()
	g := open(t)
	put(t, g, grant("/d", false, callA, permissions.GrantedSession), grant("/d", false, callA, permissions.GrantDenied))
	look(t, g, "/d/x", false, callA, permissions.GrantDenied)
	put(t, g, grant("/d", false, callA, permissions.GrantedSession))
	look(t, g, "/d/x", false, callA, permissions.GrantedSession)
	put(t, g, grant("/d", false, callB, permissions.GrantedOnce))
	look(t, g, "/d/x", false, callA, permissions.NoGrant)
	look(t, g, "/d/x", false, callB, permissions.GrantedOnce)
	// A no to reading takes back what opened reading, writing included; a yes
	// to writing takes back the no to reading.
	put(t, g, grant("/w", true, callA, permissions.GrantedSession), grant("/w", false, callA, permissions.GrantDenied))
	look(t, g, "/w", false, callA, permissions.GrantDenied)
	look(t, g, "/w", true, callA, permissions.GrantDenied)
	put(t, g, grant("/w", true, callA, permissions.GrantedSession))
	look(t, g, "/w", false, callA, permissions.GrantedSession)
	look(t, g, "/w", true, callA, permissions.GrantedSession)
	// A denial takes the once grants of every call with it.
	put(t, g, grant("/o", false, callA, permissions.GrantedOnce), grant("/o", false, callB, permissions.GrantDenied),
		grant("/o", false, callB, permissions.GrantedSession))
	claim(t, g, callA, false, true, read("/o"))
	list, err := g.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range list {
		got = append(got, one.Path+" "+name(one.Answer))
	}
	if want := "[/d once /w session /o session]"; fmt.Sprint(got) != want {
		t.Errorf("List = %v, want %v", got, want)
	}
}

func grantsCall(t *testing.T, open func(t *testing.T) approval.Grants) {
	g := open(t)
	lookCall := func(call string, want permissions.Grant) {
		t.Helper()
		if got := g.LookupCall(call); got != want {
			t.Errorf("LookupCall(%q) = %v, want %v", call, name(got), name(want))
		}
	}
	lookCall(callA, permissions.NoGrant)
	lookCall("", permissions.NoGrant)
	put(t, g, grant("", false, callA, permissions.GrantedOnce))
	lookCall(callA, permissions.GrantedOnce)
	lookCall(callB, permissions.NoGrant)
	look(t, g, "/d", false, callA, permissions.NoGrant)
	claim(t, g, callB, true, false)
	claim(t, g, callA, true, true)
	lookCall(callA, permissions.NoGrant)
	claim(t, g, callA, true, false)
	put(t, g, grant("", false, callA, permissions.GrantedSession))
	lookCall(callA, permissions.GrantedSession)
	put(t, g, grant("", false, callA, permissions.GrantDenied))
	lookCall(callA, permissions.GrantDenied)
	claim(t, g, callA, true, false)
}

func grantsClaim(t *testing.T, open func(t *testing.T) approval.Grants) {
	g := open(t)
	claim(t, g, callA, false, true) // nothing to consume
	claim(t, g, callA, false, false, read("/d"))
	put(t, g, grant("/d", false, callA, permissions.GrantedOnce))
	claim(t, g, callB, false, false, read("/d"))
	claim(t, g, callA, false, false, write("/d"))
	claim(t, g, callA, false, true, read("/d/a"), read("/d/b")) // one grant covers both
	look(t, g, "/d", false, callA, permissions.NoGrant)
	claim(t, g, callA, false, false, read("/d/a"))
	// Answered again, it counts again.
	put(t, g, grant("/d", false, callA, permissions.GrantedOnce))
	claim(t, g, callA, false, true, read("/d"))
	// Denied between the decision and the run.
	put(t, g, grant("/e", false, callA, permissions.GrantedOnce), grant("/e", false, callA, permissions.GrantDenied))
	claim(t, g, callA, false, false, read("/e"))
	// Widened between the decision and the run.
	put(t, g, grant("/f", false, callA, permissions.GrantedOnce), grant("/f", false, callA, permissions.GrantedSession))
	claim(t, g, callA, false, true, read("/f"))
	look(t, g, "/f", false, callA, permissions.GrantedSession)
}

func grantsAllOrNone(t *testing.T, open func(t *testing.T) approval.Grants) {
	g := open(t)
	put(t, g, grant("/a", false, callA, permissions.GrantedOnce), grant("", false, callA, permissions.GrantedOnce))
	claim(t, g, callA, true, false, read("/a"), read("/b"))
	look(t, g, "/a", false, callA, permissions.GrantedOnce)
	if got := g.LookupCall(callA); got != permissions.GrantedOnce {
		t.Errorf("a failed claim consumed the call's grant: %v", name(got))
	}
	put(t, g, grant("/b", true, callA, permissions.GrantedOnce))
	claim(t, g, callA, true, true, read("/a"), write("/b"))
	look(t, g, "/a", false, callA, permissions.NoGrant)
	look(t, g, "/b", true, callA, permissions.NoGrant)
	claim(t, g, callA, true, false)
}

func grantsRace(t *testing.T, open func(t *testing.T) approval.Grants) {
	g := open(t)
	put(t, g, grant("/a", false, callA, permissions.GrantedOnce), grant("/b", true, callA, permissions.GrantedOnce))
	var won atomic.Int32
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range 1000 {
		wg.Go(func() {
			<-start
			ok, err := g.Claim(context.Background(), callA, []approval.Access{read("/a/x"), write("/b")}, false)
			if err != nil {
				t.Errorf("Claim: %v", err)
			}
			if ok {
				won.Add(1)
			}
		})
	}
	close(start)
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 1000 claims won, want exactly 1", won.Load())
	}
}

func grantsRevoke(t *testing.T, open func(t *testing.T) approval.Grants) {
	ctx := context.Background()
	g := open(t)
	put(t, g,
		grant("/d", false, callA, permissions.GrantedSession), grant("/d", true, callA, permissions.GrantDenied),
		grant("/d/x", false, callA, permissions.GrantedSession), grant("/", false, callA, permissions.GrantDenied))
	if err := g.Revoke(ctx, "/d"); err != nil {
		t.Fatal(err)
	}
	look(t, g, "/d", false, callA, permissions.GrantDenied) // what is above counts again
	look(t, g, "/d/x", false, callA, permissions.GrantedSession)
	if err := g.Revoke(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	look(t, g, "/d", false, callA, permissions.NoGrant)
	if err := g.Revoke(ctx, "/nothing"); err != nil {
		t.Errorf("revoking what is not there: %v", err)
	}
	list, err := g.List(ctx)
	if err != nil || len(list) != 1 || list[0].Path != "/d/x" {
		t.Errorf("List = %v, %v; want /d/x alone", list, err)
	}
}

func grantsBad(t *testing.T, open func(t *testing.T) approval.Grants) {
	g := open(t)
	for _, bad := range []approval.Grant{
		grant("/d", false, callA, permissions.NoGrant),
		grant("/d", false, callA, permissions.Grant(99)),
		grant("", false, "", permissions.GrantedSession),
		grant("d", false, callA, permissions.GrantedSession),
		grant("/d/", false, callA, permissions.GrantedSession),
		grant("/d/../e", false, callA, permissions.GrantedSession),
		grant("/d\x00", false, callA, permissions.GrantedSession),
		{Session: "some other session", Path: "/d", Call: callA, Answer: permissions.GrantedSession},
	} {
		if err := g.Put(context.Background(), bad); err == nil {
			t.Errorf("Put(%+v) succeeded", bad)
		}
	}
	look(t, g, "/d", false, callA, permissions.NoGrant)
}
