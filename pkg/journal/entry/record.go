// Package entry holds what the audit log is made of: records, the masking of
// secrets in them, and the form that is hashed. It touches no file.
package entry

import "time"

// Record is one entry of the audit log. Appending fills in Seq, Prev and Hash,
// and Time where it is zero.
type Record struct {
	// Seq counts from 1 without gaps.
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	// Event says what happened: "decision", "begin", "end", "grant", …. About
	// is the Seq of the record that this one continues (the begin of an end),
	// or 0. The log itself writes [Lost].
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

// Lost is the event of the record that stands where records were lost with a
// loss of power; its text says how many.
const Lost = "lost"

// Effect is an effect as the log keeps it.
type Effect struct {
	Kind      string `json:"kind"`
	Path      string `json:"path,omitempty"`
	Host      string `json:"host,omitempty"`
	Program   string `json:"program,omitempty"`
	Certainty string `json:"certainty,omitempty"`
}
