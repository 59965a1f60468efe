// Package wire is the JSON of a request and a decision, as `mayi check
// --jsonl` and every --json speak it. It translates and decides nothing.
package wire

import (
	"path"

	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Decision is one decision on the wire.
type Decision struct {
	ID          string   `json:"id,omitempty"`
	Decision    string   `json:"decision"`
	Reason      string   `json:"reason"`
	Risk        string   `json:"risk"`
	Promptable  bool     `json:"promptable"`
	Effects     []Effect `json:"effects"`
	Rules       []Rule   `json:"rules"`
	Suggestions []string `json:"suggestions"`
	Obligations []string `json:"obligations"`
	// Reasons are all findings, strictest first; Reason is the first.
	Reasons []Reason `json:"reasons,omitempty"`
	// Needs is what a person would have to grant.
	Needs []Need `json:"needs,omitempty"`
}

// Effect is one effect on the wire: Path, Host or Program is its target.
type Effect struct {
	Kind      string `json:"kind"`
	Path      string `json:"path,omitempty"`
	Host      string `json:"host,omitempty"`
	Program   string `json:"program,omitempty"`
	Certainty string `json:"certainty"`
	// Name is the path as the call wrote it, where it leads elsewhere.
	Name      string `json:"name,omitempty"`
	Place     string `json:"place,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
	Protected string `json:"protected,omitempty"`
	Why       string `json:"why,omitempty"`
	// Start and End are the position in the command, in bytes.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
}

// Rule is a rule with the place that it was written in.
type Rule struct {
	Rule   string `json:"rule"`
	Action string `json:"action,omitempty"`
	Layer  string `json:"layer,omitempty"`
	File   string `json:"file"`
	Line   int    `json:"line"`
}

// Reason is one finding of the decision.
type Reason struct {
	Decision string `json:"decision"`
	Code     string `json:"code"`
	Text     string `json:"text"`
}

// Need is one thing that a person would have to grant.
type Need struct {
	What    string `json:"what"`
	Path    string `json:"path,omitempty"`
	Access  string `json:"access,omitempty"`
	Command string `json:"command,omitempty"`
}

// FromVerdict translates v. Lists are empty, never null.
func FromVerdict(id string, v gate.Verdict) Decision {
	d := Decision{
		ID: id, Decision: v.Verdict.String(), Reason: v.Reason, Risk: string(v.Risk), Promptable: v.Promptable,
		Effects: []Effect{}, Rules: []Rule{}, Suggestions: []string{}, Obligations: append([]string{}, v.Obligations...),
	}
	for _, e := range v.Call.Effects {
		d.Effects = append(d.Effects, FromEffect(e))
	}
	for _, r := range v.Rules {
		d.Rules = append(d.Rules, FromRule(r))
	}
	for _, s := range v.Suggestions {
		d.Suggestions = append(d.Suggestions, s.Text)
	}
	for _, r := range v.Reasons {
		d.Reasons = append(d.Reasons, Reason{Decision: r.Verdict.String(), Code: r.Code, Text: r.Text})
	}
	for _, n := range v.Needs {
		need := Need{What: n.What, Path: n.Path, Command: n.Command}
		if n.Path != "" {
			need.Access = n.Access.String()
		}
		d.Needs = append(d.Needs, need)
	}
	return d
}

// FromEffect translates e. The path is where the name leads; a glob keeps its
// pattern, since it leads to many places.
func FromEffect(e permissions.Effect) Effect {
	out := Effect{
		Kind: e.Kind.String(), Host: e.Host, Program: e.Program, Certainty: e.Certainty.String(),
		Recursive: e.Recursive, Protected: e.Place.Protected, Why: e.Why, Start: e.Span.Start, End: e.Span.End,
	}
	if e.Path == "" {
		return out
	}
	out.Path = e.Place.Real
	if e.Glob || out.Path == "" {
		out.Path = path.Clean(e.Path)
	}
	if out.Path != e.Path {
		out.Name = e.Path
	}
	out.Place = Place(e.Place)
	return out
}

// Place puts the side of the boundary into a word.
func Place(p permissions.Place) string {
	switch {
	case p.Own:
		return "mayi"
	case p.Zone == permissions.Inside:
		return "inside"
	case p.Zone == permissions.Device:
		return "device"
	}
	return "outside"
}

// FromRule translates r.
func FromRule(r permissions.Rule) Rule {
	return Rule{Rule: r.Text, Action: r.Action.String(), Layer: r.Source.Layer, File: r.Source.File, Line: r.Source.Line}
}

// Source is where an entry was written.
type Source struct {
	Layer string `json:"layer"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Col   int    `json:"col,omitempty"`
}
