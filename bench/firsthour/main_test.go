package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTheFirstHour: with the starting policy a person is asked less than by each
// agent that asks about commands or edits at all, nothing of an everyday session
// is refused, and the documentation says what was measured.
func TestTheFirstHour(t *testing.T) {
	rows, err := measure()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.calls < 150 {
			t.Fatalf("only %d calls", r.calls)
		}
		if r.denied > 0 {
			t.Errorf("%s: %d calls are refused:\n%s", r.title, r.denied, strings.Join(r.reasons, "\n"))
		}
		asksNothing := r.name == "opencode" || r.name == "picoclaw"
		if !asksNothing && r.with >= r.alone {
			t.Errorf("%s asks %d times by itself, mayi %d times:\n%s", r.title, r.alone, r.with, strings.Join(r.reasons, "\n"))
		}
	}
	page, err := os.ReadFile("../../docs/first-hour.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table(rows)) {
		t.Errorf("docs/first-hour.md does not hold this table:\n%s", table(rows))
	}
	// What mayi asks about and Codex does not is named there, each with why.
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == "codex" })
	for _, call := range rows[i].more {
		kind, what, _ := strings.Cut(call, " ")
		if kind == "shell" {
			what = "`" + strings.ReplaceAll(what, "|", `\|`) + "`"
		}
		if !strings.Contains(string(page), what) {
			t.Errorf("docs/first-hour.md does not say why mayi asks about %s", call)
		}
	}
}
