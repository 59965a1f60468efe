package store

import (
	"mayi/pkg/journal/entry"
)

// Record is one entry of the audit log; see [entry.Record].
type Record = entry.Record

// Effect is an effect as the log keeps it.
type Effect = entry.Effect

// columns are the columns of a row, in the order of fields.
const columns = `seq, time, event, about, session, caller, tool, text, effects, verdict,
	reason, rules, answered, outcome, exit, policy, call, prev, hash`

// fields returns pointers into a row in the order of columns.
func fields(r *entry.Row) []any {
	return []any{&r.Seq, &r.Time, &r.Event, &r.About, &r.Session, &r.Caller, &r.Tool, &r.Text, &r.Effects, &r.Verdict,
		&r.Reason, &r.Rules, &r.Answered, &r.Outcome, &r.Exit, &r.Policy, &r.Call, &r.Prev, &r.Hash}
}

// deref turns the pointers of fields into values.
func deref(fields []any) []any {
	out := make([]any, len(fields))
	for i, f := range fields {
		switch p := f.(type) {
		case *string:
			out[i] = *p
		case *int64:
			out[i] = *p
		case **int64:
			if *p != nil {
				out[i] = **p
			}
		}
	}
	return out
}
