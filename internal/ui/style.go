// Package ui is how mayi looks on a terminal. Its rules: colour only where the
// output is a terminal and NO_COLOR is not set, and never as the only carrier
// of meaning; facts first, then why, then what can be done; nothing that an
// agent wrote is printed raw.
package ui

import (
	"os"

	"golang.org/x/term"

	"mayi/pkg/permissions"
)

// Style paints text, or leaves it as it is.
type Style struct{ Color bool }

// For returns the style for f under the environment's NO_COLOR and TERM.
func For(f *os.File, noColor bool) Style {
	return Style{Color: !noColor && f != nil && term.IsTerminal(int(f.Fd()))}
}

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold, Dim, Red, Green and Yellow paint text.
func (s Style) Bold(t string) string   { return s.paint("1", t) }
func (s Style) Dim(t string) string    { return s.paint("2", t) }
func (s Style) Red(t string) string    { return s.paint("31", t) }
func (s Style) Green(t string) string  { return s.paint("32", t) }
func (s Style) Yellow(t string) string { return s.paint("33", t) }

// Verdict paints a verdict's word in its colour.
func (s Style) Verdict(v permissions.Verdict) string {
	switch v {
	case permissions.Allow:
		return s.Green(v.String())
	case permissions.Ask:
		return s.Yellow(v.String())
	}
	return s.Red(permissions.Deny.String())
}
