package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Record is one entry of the audit log. Append fills in Seq, Prev and Hash,
// and Time where it is zero.
type Record struct {
	// Seq counts from 1 without gaps.
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	// Event says what happened: "decision", "begin", "end", "grant", …. About
	// is the Seq of the record that this one continues (the begin of an end),
	// or 0.
	Event string `json:"event"`
	About int64  `json:"about,omitempty"`

	Session string `json:"session,omitempty"`
	Caller  string `json:"caller,omitempty"`
	Tool    string `json:"tool,omitempty"`
	// Text is the call on one line. Secrets in it, in Reason, Outcome and the
	// effects are masked before they are written.
	Text    string   `json:"text,omitempty"`
	Effects []Effect `json:"effects,omitempty"`
	Verdict string   `json:"verdict,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	// Rules are the rules that determined the verdict, as text.
	Rules []string `json:"rules,omitempty"`
	// Answered says what a person answered, and who.
	Answered string `json:"answered,omitempty"`
	// Outcome and Exit say how the call ended; Exit is nil where there is no
	// exit code.
	Outcome string `json:"outcome,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
	// Policy is the policy's version, Call the hash of the exact call.
	Policy string `json:"policy,omitempty"`
	Call   string `json:"call,omitempty"`

	// Prev and Hash chain the records: SHA-256 in hexadecimal.
	Prev string `json:"prev"`
	Hash string `json:"hash"`
}

// Effect is an effect as the log keeps it.
type Effect struct {
	Kind      string `json:"kind"`
	Path      string `json:"path,omitempty"`
	Host      string `json:"host,omitempty"`
	Program   string `json:"program,omitempty"`
	Certainty string `json:"certainty,omitempty"`
}

// row is a record as it stands in the table: the hash covers these very texts.
type row struct {
	seq, time, about                                     int64
	event, session, caller, tool, text, effects, verdict string
	reason, rules, answered, outcome, policy, call, prev string
	exit                                                 *int64
	hash                                                 string
}

const columns = `seq, time, event, about, session, caller, tool, text, effects, verdict,
	reason, rules, answered, outcome, exit, policy, call, prev, hash`

// fields returns pointers in the order of columns.
func (r *row) fields() []any {
	return []any{&r.seq, &r.time, &r.event, &r.about, &r.session, &r.caller, &r.tool, &r.text, &r.effects, &r.verdict,
		&r.reason, &r.rules, &r.answered, &r.outcome, &r.exit, &r.policy, &r.call, &r.prev, &r.hash}
}

// sum is the record's hash: over the database's identity and every column but
// the hash itself, each with its length, so that no two rows read the same.
func (r *row) sum(id string) string {
	var b bytes.Buffer
	b.WriteString("mayi audit record 1\n")
	text := func(s string) {
		b.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		b.WriteString(s)
	}
	number := func(n int64) { b.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) }
	text(id)
	number(r.seq)
	number(r.time)
	number(r.about)
	for _, s := range []string{r.event, r.session, r.caller, r.tool, r.text, r.effects, r.verdict,
		r.reason, r.rules, r.answered, r.outcome, r.policy, r.call, r.prev} {
		text(s)
	}
	if r.exit == nil {
		b.WriteByte(0)
	} else {
		b.WriteByte(1)
		number(*r.exit)
	}
	h := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(h[:])
}

// maxText is how much of a text is kept. A command beyond that is kept by its
// hash, and the record says how much is missing.
const maxText = 64 << 10

// bounded masks a text and cuts it at maxText, saying so.
func bounded(m *Masker, s string) string {
	kept, rest := cutText(s, maxText)
	kept = clean(m.Mask(kept))
	if rest != "" {
		kept += fmt.Sprintf("… %d more bytes", len(rest))
	}
	return kept
}

// newRow brings a record into the form of the table, with its secrets masked.
func newRow(r Record, m *Masker) (*row, error) {
	effects := make([]Effect, len(r.Effects))
	for i, e := range r.Effects {
		effects[i] = Effect{Kind: clean(e.Kind), Path: bounded(m, e.Path), Host: bounded(m, e.Host),
			Program: bounded(m, e.Program), Certainty: clean(e.Certainty)}
	}
	rules := make([]string, len(r.Rules))
	for i, s := range r.Rules {
		rules[i] = bounded(m, s)
	}
	effectText, err := json.Marshal(effects)
	if err != nil {
		return nil, err
	}
	ruleText, err := json.Marshal(rules)
	if err != nil {
		return nil, err
	}
	out := &row{
		time: r.Time.UnixNano(), event: clean(r.Event), about: r.About,
		session: clean(r.Session), caller: clean(r.Caller), tool: clean(r.Tool), text: bounded(m, r.Text),
		effects: string(effectText), verdict: clean(r.Verdict), reason: bounded(m, r.Reason), rules: string(ruleText),
		answered: bounded(m, r.Answered), outcome: bounded(m, r.Outcome), policy: clean(r.Policy), call: clean(r.Call),
	}
	if r.Exit != nil {
		n := int64(*r.Exit)
		out.exit = &n
	}
	return out, nil
}

// record is the way back.
func (r *row) record() (Record, error) {
	out := Record{Seq: r.seq, Time: time.Unix(0, r.time), Event: r.event, About: r.about, Session: r.session,
		Caller: r.caller, Tool: r.tool, Text: r.text, Verdict: r.verdict, Reason: r.reason, Answered: r.answered,
		Outcome: r.outcome, Policy: r.policy, Call: r.call, Prev: r.prev, Hash: r.hash}
	if r.exit != nil {
		n := int(*r.exit)
		out.Exit = &n
	}
	if err := json.Unmarshal([]byte(r.effects), &out.Effects); err != nil {
		return out, err
	}
	return out, json.Unmarshal([]byte(r.rules), &out.Rules)
}

// clean makes s a text that the database gives back as it was written.
func clean(s string) string {
	if strings.Contains(s, "\x00") || !utf8.ValidString(s) {
		return strings.ReplaceAll(visibleBytes(s), "\x00", `\x00`)
	}
	return s
}
