package record_test

import (
	"context"
	"testing"

	"mayi/internal/record"
	"mayi/pkg/gate"
	"mayi/pkg/journal/entry"
	"mayi/pkg/permissions"
)

// TestWhatMustSurvive: the record of what changes something is appended, all
// else noted, and so is the beginning of what another process runs.
func TestWhatMustSurvive(t *testing.T) {
	effect := func(k permissions.Kind) permissions.Call {
		return permissions.Call{Effects: []permissions.Effect{{Kind: permissions.Read}, {Kind: k}}}
	}
	for _, c := range []struct {
		what string
		r    gate.Record
		want string
	}{
		{"a refusal", gate.Record{Event: gate.Refused, Verdict: gate.Verdict{Call: effect(permissions.FSWrite)}}, "noted"},
		{"an end", gate.Record{Event: gate.Ended, Verdict: gate.Verdict{Call: effect(permissions.FSWrite)}}, "noted"},
		{"a question left to another", gate.Record{Event: gate.HandedOver, Verdict: gate.Verdict{Call: effect(permissions.FSWrite)}}, "noted"},
		{"an answer", gate.Record{Event: gate.Answered, Verdict: gate.Verdict{Call: effect(permissions.Read)}}, "appended"},
		{"something else", gate.Record{Event: "x"}, "appended"},
		{"reading begins", gate.Record{Event: gate.Began, Verdict: gate.Verdict{Call: effect(permissions.NetRead)}}, "noted"},
		{"writing begins", gate.Record{Event: gate.Began, Verdict: gate.Verdict{Call: effect(permissions.FSWrite)}}, "appended"},
		{"what is not declared begins", gate.Record{Event: gate.Began, Verdict: gate.Verdict{Call: effect(permissions.Undeclared)}}, "appended"},
		{"what cannot be read begins", gate.Record{Event: gate.Began, Verdict: gate.Verdict{Call: permissions.Call{Unread: []permissions.Unread{{Why: "x"}}}}}, "appended"},
		{"writing begins elsewhere", gate.Record{Event: gate.Began, Apart: true, Verdict: gate.Verdict{Call: effect(permissions.FSWrite)}}, "noted"},
	} {
		got := ""
		write := func(how string) func(context.Context, entry.Record) (entry.Record, error) {
			return func(_ context.Context, r entry.Record) (entry.Record, error) {
				got, r.Seq = how, 7
				return r, nil
			}
		}
		rec := record.Recorder{Append: write("appended"), Note: write("noted")}
		if n, err := rec.Record(context.Background(), c.r); err != nil || n != 7 || got != c.want {
			t.Errorf("%s is %s as %d (%v), want %s", c.what, got, n, err, c.want)
		}
		rec.Note = nil
		if _, err := rec.Record(context.Background(), c.r); err != nil || got != "appended" {
			t.Errorf("%s without a way to note it: %s (%v)", c.what, got, err)
		}
	}
}
