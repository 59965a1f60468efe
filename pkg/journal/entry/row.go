package entry

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Row is a record as it is kept: the hash covers these very texts.
type Row struct {
	Seq      int64  `json:"seq"`
	Time     int64  `json:"time"` // nanoseconds since 1970
	Event    string `json:"event"`
	About    int64  `json:"about,omitempty"`
	Session  string `json:"session,omitempty"`
	Caller   string `json:"caller,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Text     string `json:"text,omitempty"`
	Effects  string `json:"effects"` // a JSON array of Effect
	Verdict  string `json:"verdict,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Rules    string `json:"rules"` // a JSON array of texts
	Answered string `json:"answered,omitempty"`
	Outcome  string `json:"outcome,omitempty"`
	Exit     *int64 `json:"exit,omitempty"`
	Policy   string `json:"policy,omitempty"`
	Call     string `json:"call,omitempty"`
	Prev     string `json:"prev"`
	Hash     string `json:"hash"`

	// What Effects and Rules say, where it was read.
	effects []Effect
	rules   []string
	read    bool
}

// NoHash stands for the record before the first one.
const NoHash = "0000000000000000000000000000000000000000000000000000000000000000"

// maxText is how much of a text is kept, in bytes. A command beyond that is
// kept by its hash, and the record says how much is missing.
const maxText = 64 << 10

// NewRow brings a record into the form that is kept, with its secrets masked.
// [Row.Chain] gives it its place.
func NewRow(r Record, m *Masker) *Row {
	effects := make([]Effect, len(r.Effects))
	for i, e := range r.Effects {
		effects[i] = Effect{Kind: clean(e.Kind), Path: bounded(m, e.Path), Host: bounded(m, e.Host),
			Program: bounded(m, e.Program), Certainty: clean(e.Certainty)}
	}
	rules := make([]string, len(r.Rules))
	for i, s := range r.Rules {
		rules[i] = bounded(m, s)
	}
	out := &Row{
		Time: r.Time.UnixNano(), Event: clean(r.Event), About: r.About,
		Session: clean(r.Session), Caller: clean(r.Caller), Tool: clean(r.Tool), Text: bounded(m, r.Text),
		Effects: effectsText(effects), Verdict: clean(r.Verdict), Reason: bounded(m, r.Reason), Rules: textsText(rules),
		Answered: bounded(m, r.Answered), Outcome: bounded(m, r.Outcome), Policy: clean(r.Policy), Call: clean(r.Call),
		effects: effects, rules: rules, read: true,
	}
	if r.Exit != nil {
		n := int64(*r.Exit)
		out.Exit = &n
	}
	return out
}

// Chain makes the row the one that follows record seq, whose hash is prev, in
// the log with the identity id.
func (r *Row) Chain(id string, seq int64, prev string) {
	r.Seq, r.Prev = seq+1, prev
	r.Hash = r.Sum(id)
}

// Sum is the row's hash: over the log's identity and every field but the hash
// itself, each with its length, so that no two rows read the same.
func (r *Row) Sum(id string) string {
	b := make([]byte, 0, 512+len(r.Text)+len(r.Effects)+len(r.Rules))
	b = append(b, "mayi audit record 1\n"...)
	text := func(s string) {
		b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) }
	text(id)
	number(r.Seq)
	number(r.Time)
	number(r.About)
	for _, s := range []string{r.Event, r.Session, r.Caller, r.Tool, r.Text, r.Effects, r.Verdict,
		r.Reason, r.Rules, r.Answered, r.Outcome, r.Policy, r.Call, r.Prev} {
		text(s)
	}
	if r.Exit == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1)
		number(*r.Exit)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Record is the way back from [NewRow].
func (r *Row) Record() (Record, error) {
	out := Record{Seq: r.Seq, Time: time.Unix(0, r.Time), Event: r.Event, About: r.About, Session: r.Session,
		Caller: r.Caller, Tool: r.Tool, Text: r.Text, Verdict: r.Verdict, Reason: r.Reason, Answered: r.Answered,
		Outcome: r.Outcome, Policy: r.Policy, Call: r.Call, Prev: r.Prev, Hash: r.Hash}
	if r.Exit != nil {
		n := int(*r.Exit)
		out.Exit = &n
	}
	if r.read {
		out.Effects, out.Rules = r.effects, r.rules
		return out, nil
	}
	if err := json.Unmarshal([]byte(r.Effects), &out.Effects); err != nil {
		return out, err
	}
	return out, json.Unmarshal([]byte(r.Rules), &out.Rules)
}

// bounded masks a text and cuts it at maxText, saying so.
func bounded(m *Masker, s string) string {
	kept, rest := cutText(s, maxText)
	kept = clean(m.Mask(kept))
	if rest != "" {
		kept += fmt.Sprintf("… %d more bytes", len(rest))
	}
	return kept
}
