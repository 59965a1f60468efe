package entry

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func drawRecord(rt *rapid.T) Record {
	text := func(name string) string {
		if rapid.Bool().Draw(rt, name+" is bytes") {
			return string(rapid.SliceOf(rapid.Byte()).Draw(rt, name))
		}
		return rapid.String().Draw(rt, name)
	}
	r := Record{Time: time.Unix(0, rapid.Int64().Draw(rt, "time")), Event: text("event"), About: rapid.Int64().Draw(rt, "about"),
		Session: text("session"), Caller: text("caller"), Tool: text("tool"), Text: text("text"), Verdict: text("verdict"),
		Reason: text("reason"), Answered: text("answered"), Outcome: text("outcome"), Policy: text("policy"), Call: text("call")}
	for range rapid.IntRange(0, 3).Draw(rt, "effects") {
		r.Effects = append(r.Effects, Effect{Kind: text("kind"), Path: text("path"), Host: text("host"), Program: text("program"), Certainty: text("certainty")})
	}
	for range rapid.IntRange(0, 3).Draw(rt, "rules") {
		r.Rules = append(r.Rules, text("rule"))
	}
	if rapid.Bool().Draw(rt, "has exit") {
		n := rapid.Int().Draw(rt, "exit")
		r.Exit = &n
	}
	return r
}

// What is written by hand is what the general decoder reads.
func TestPropertyARowIsReadAsItWasWritten(t *testing.T) {
	m := NewMasker()
	rapid.Check(t, func(rt *rapid.T) {
		row := NewRow(drawRecord(rt), m)
		row.Chain("ID", rapid.Int64Range(0, 1<<40).Draw(rt, "seq"), NoHash)
		line := row.AppendJSON(nil)
		for _, c := range line {
			if c < 0x20 {
				rt.Fatalf("a control character in the line: %q", line)
			}
		}
		var back Row
		if err := json.Unmarshal(line, &back); err != nil {
			rt.Fatalf("%v: %s", err, line)
		}
		if back.Sum("ID") != row.Hash || back.Hash != row.Hash {
			rt.Fatalf("read back\n%+v\nwant\n%+v", back, *row)
		}
		want, err := row.Record()
		if err != nil {
			rt.Fatal(err)
		}
		got, err := back.Record()
		if err != nil {
			rt.Fatalf("%v: %s %s", err, back.Effects, back.Rules)
		}
		if len(want.Effects)+len(got.Effects) == 0 {
			want.Effects, got.Effects = nil, nil
		}
		if len(want.Rules)+len(got.Rules) == 0 {
			want.Rules, got.Rules = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("read back\n%+v\nwant\n%+v", got, want)
		}
	})
}

// Every field counts: moving text from one to the next gives another hash.
func TestTheHashCoversEveryField(t *testing.T) {
	exit := int64(0)
	base := Row{Seq: 1, Time: 2, About: 3, Effects: "[]", Rules: "[]", Prev: NoHash}
	seen := map[string]string{base.Sum("id"): "the row itself", base.Sum("other"): "identity"}
	change := func(name string, set func(r *Row)) {
		r := base
		set(&r)
		if other, ok := seen[r.Sum("id")]; ok {
			t.Errorf("%s gives the hash of %s", name, other)
		}
		seen[r.Sum("id")] = name
	}
	v := reflect.TypeOf(base)
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.IsExported() || f.Name == "Hash" {
			continue
		}
		change(f.Name, func(r *Row) {
			switch field := reflect.ValueOf(r).Elem().Field(i); field.Kind() {
			case reflect.String:
				field.SetString(field.String() + "x")
			case reflect.Int64:
				field.SetInt(field.Int() + 100)
			default:
				field.Set(reflect.ValueOf(&exit))
			}
		})
	}
}
