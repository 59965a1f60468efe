package sandbox

import (
	"context"
	"strings"
	"testing"

	"mayi/pkg/permissions"
)

// TestAnswered: what the call named and a rule means is answered, for that rule and
// that kind of access; nothing that is only like it is.
func TestAnswered(t *testing.T) {
	read, write := permissions.Read, permissions.FSWrite
	s := Spec{
		AskRead:  []Pattern{{Glob: "/ws/keys", Why: "read(keys)"}, {Glob: "**/*.pem", Why: "read(*.pem)"}},
		AskWrite: []Pattern{{Glob: "/ws/keys", Why: "write(keys)"}},
	}
	at := func(kind permissions.Kind, real string, below ...string) permissions.Effect {
		return permissions.Effect{Kind: kind, Certainty: permissions.Exact, Glob: strings.Contains(real, "*"), Place: permissions.Place{Real: real, Below: below}}
	}
	for _, c := range []struct {
		effect     permissions.Effect
		path, rule string
		op         Op
		answered   bool
	}{
		{at(read, "/ws/keys/a"), "/ws/keys/a", "read(keys)", OpRead, true},
		{at(read, "/ws/keys/a"), "/ws/keys/a/b", "read(keys)", OpRead, true},
		{at(read, "/ws/keys/a"), "/ws/keys/A", "read(keys)", OpRead, false},
		{at(read, "/ws/KEYS/a"), "/ws/KEYS/a", "read(keys)", OpRead, false},
		{at(read, "/ws/keys/a"), "/ws/keys/ab", "read(keys)", OpRead, false},
		{at(read, "/ws/keys/a"), "/ws/keys", "read(keys)", OpRead, false},
		{at(read, "/ws/keys/a"), "/ws/keys/a", "write(keys)", OpWrite, false},
		{at(read, "/ws/keys/a.pem"), "/ws/keys/a.pem", "read(*.pem)", OpRead, true},
		{at(read, "/ws/keys"), "/ws/keys/a.pem", "read(*.pem)", OpRead, false},
		{at(read, "/ws/keys", "/ws/keys/a.pem"), "/ws/keys/b.pem", "read(*.pem)", OpRead, true},
		{at(read, "/ws/other"), "/ws/other/a.pem", "read(*.pem)", OpRead, false},
		{at(write, "/ws/keys/a"), "/ws/keys/a", "write(keys)", OpWrite, true},
		{at(write, "/ws/keys/a"), "/ws/keys/a", "write(keys)", OpDelete, true},
		{at(write, "/ws/keys/a"), "/ws/keys/a", "read(keys)", OpRead, false},
		{at(permissions.Exec, "/ws/keys/run"), "/ws/keys/run", "read(keys)", OpRun, true},
		{at(permissions.NetRead, "/ws/keys/a"), "/ws/keys/a", "read(keys)", OpRead, false},
		{at(read, "/ws/keys/*"), "/ws/keys/a", "read(keys)", OpRead, true},
		{at(read, "/ws/keys/*"), "/ws/keys/.a", "read(keys)", OpRead, false},
		{at(read, "/ws/keys/*"), "/ws/keys", "read(keys)", OpRead, true},
		{at(read, "/ws/keys/*"), "/ws", "read(keys)", OpRead, false},
		{at(read, "/ws/keys/*.x"), "/ws/keys/a.y", "read(keys)", OpRead, false},
		{at(write, "/ws/keys/*"), "/ws/keys", "write(keys)", OpWrite, false},
		{at(read, ""), "/ws/keys/a", "read(keys)", OpRead, false},
	} {
		if got := s.AnsweredBy([]permissions.Effect{c.effect}, Access{Op: c.op, Path: c.path, Asks: c.rule}); got != c.answered {
			t.Errorf("%s %s names %s %s for %s: %v", c.effect.Kind, c.effect.Place.Real, c.op, c.path, c.rule, got)
		}
	}
	unknown := at(read, "/ws/keys/a")
	unknown.Certainty = permissions.Unknown
	own := at(write, "/ws/keys/a")
	own.Place.Own = true
	for _, e := range []permissions.Effect{unknown, own} {
		if len(s.answers([]permissions.Effect{e})) > 0 {
			t.Errorf("%+v answers something", e)
		}
	}
}

// TestASessionAnswerIsForTheRuleThatWasTold: without a store, a job remembers what a
// person said, and no more than that.
func TestASessionAnswerIsForTheRuleThatWasTold(t *testing.T) {
	asked := 0
	c := Command{Ask: func(context.Context, Access) Answer { asked++; return Session }}
	a := newAsks(context.Background(), &c, func(f func()) { f() }, func(Violation) {})
	for i, x := range []struct {
		access Access
		asked  int
	}{
		{Access{Op: OpWrite, Path: "/srv"}, 1},
		{Access{Op: OpWrite, Path: "/srv/a"}, 1},
		{Access{Op: OpWrite, Path: "/srv/keys", Asks: "write(keys)"}, 2},
		{Access{Op: OpWrite, Path: "/srv/keys/a", Asks: "write(keys)"}, 2},
		{Access{Op: OpWrite, Path: "/srv/keys/a", Asks: "write(a)"}, 3},
		{Access{Op: OpWrite, Path: "/srv/.git/config", Rule: "**/.git/config"}, 4},
	} {
		if !a.ask(context.Background(), x.access) || asked != x.asked {
			t.Errorf("%d: asked %d times, wanted %d", i, asked, x.asked)
		}
	}
}

// TestWordsOfARuleThatAsks: what was tried, which rule, how to grant it.
func TestWordsOfARuleThatAsks(t *testing.T) {
	a := Access{Op: OpWrite, Path: "/ws/infra/x", Program: "sh", Asks: "write(infra/**)"}
	for asked, want := range map[bool]string{
		false: `sh tried to write to "/ws/infra/x", which write(infra/**) says to ask about, and nobody answered; to grant it, run the command again where a person can answer (in a terminal, or with mayi approvals)`,
		true:  `sh tried to write to "/ws/infra/x", which write(infra/**) says to ask about, and it was not granted`,
	} {
		if got := violation(a, asked).Text; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestSeatbeltAsksNobody: what would be asked about is closed, but for what was
// asked about with the command.
func TestSeatbeltAsksNobody(t *testing.T) {
	s := Spec{
		Dir: "/ws", Write: []string{"/ws"},
		AskRead:  []Pattern{{Glob: "**/[k-z]*.p", Why: "read([k-z]*.p)"}},
		AskWrite: []Pattern{{Glob: `/w\*/a`, Why: `write(/w\*/a)`}, {Glob: "/ws/b", Why: "write(b)"}},
		Answered: []Answered{{Glob: "/ws/b/x y", Write: true, Rule: "write(b)"}, {Glob: "/ws/b/*", Write: true, Rule: "write(b)"}, {Glob: "/ws/a.p", Rule: "read(other)"}},
	}
	text := Seatbelt(s, 0)
	for _, want := range []string{
		`(deny file-read-data file-write-unlink (regex #"^(/[^/]+)*/[^/][^/]*\.[pP](/|$)"))`,
		`(deny file-write* (regex #"^/[wW]\*/[aA](/|$)"))`,
		`(deny file-write* (require-all (regex #"^/[wW][sS]/[bB](/|$)") (require-not (subpath "/ws/b/x y"))))`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}
