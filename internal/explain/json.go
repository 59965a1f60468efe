package explain

import (
	"mayi/internal/wire"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Tree is what [Text] draws, for programs.
type Tree struct {
	Call     string        `json:"call"`
	Decision wire.Decision `json:"decision"`
	Parts    []Part        `json:"parts"`
	// Unread is what could not be read in the call as a whole.
	Unread []string `json:"unread,omitempty"`
}

// Part is one command of the call. Parent is an index in Tree.Parts, or -1.
type Part struct {
	Words   []string      `json:"words"`
	Class   string        `json:"class"`
	Parent  int           `json:"parent"`
	Via     string        `json:"via,omitempty"`
	Effects []wire.Effect `json:"effects"`
	Reasons []wire.Reason `json:"reasons,omitempty"`
	Rules   []wire.Rule   `json:"rules,omitempty"`
	Unread  []string      `json:"unread,omitempty"`
	// Proof says what shows that the part only reads, where the call is allowed
	// for that reason.
	Proof string `json:"proof,omitempty"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// JSON is the explanation of v as a value.
func JSON(v gate.Verdict) Tree {
	t := Tree{Call: v.Text, Decision: wire.FromVerdict("", v), Parts: []Part{}}
	for _, u := range v.Call.Unread {
		t.Unread = append(t.Unread, u.Why)
	}
	for i, p := range v.Call.Parts {
		out := Part{Class: class(p.Class), Parent: p.Parent, Via: p.Via, Effects: []wire.Effect{}, Proof: proof(v, i), Start: p.Span.Start, End: p.Span.End}
		for _, w := range p.Words {
			out.Words = append(out.Words, w.Text)
		}
		for _, e := range v.Call.Effects {
			if e.Part == i {
				out.Effects = append(out.Effects, wire.FromEffect(e))
			}
		}
		for _, r := range v.Reasons {
			if r.Part == i {
				out.Reasons = append(out.Reasons, wire.Reason{Decision: r.Verdict.String(), Code: r.Code, Text: r.Text})
				if r.Rule != nil {
					out.Rules = append(out.Rules, wire.FromRule(*r.Rule))
				}
			}
		}
		for _, u := range p.Unread {
			out.Unread = append(out.Unread, u.Why)
		}
		t.Parts = append(t.Parts, out)
	}
	return t
}

func class(c permissions.Class) string {
	switch c {
	case permissions.Free:
		return "free"
	case permissions.Wrapper:
		return "wrapper"
	case permissions.Function:
		return "function"
	}
	return "program"
}
