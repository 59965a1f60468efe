package e2e

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// limits are the ways in which an installed hook says how long it may take.
var limits = []*regexp.Regexp{
	regexp.MustCompile(`("timeout(?:Sec)?": ?)(\d+)()`),
	regexp.MustCompile(`(const patience = )(\d+)()`), // milliseconds, in opencode's plugin
	regexp.MustCompile(`(\btimeout (?:-\S+ )*)(\d+)( )`),
}

// shorten makes the installed limits a few seconds, so that a test does not
// have to wait for as long as a person may take to answer.
func (w *world) shorten() {
	w.t.Helper()
	short := map[string]string{limits[0].String(): "8", limits[1].String(): "5000", limits[2].String(): "5"}
	count := 0
	for path, text := range files(w.t, w.home) {
		if strings.Contains(path, "/state/") || !strings.Contains(text, "mayi") {
			continue
		}
		was := text
		for _, limit := range limits {
			text = limit.ReplaceAllStringFunc(text, func(found string) string {
				m := limit.FindStringSubmatch(found)
				to := short[limit.String()]
				if n, err := strconv.Atoi(m[2]); err == nil && n >= 1000 && len(to) < 4 {
					to += "000"
				}
				return m[1] + to + m[3]
			})
		}
		if text != was {
			must(w.t, os.WriteFile(path, []byte(text), 0o644))
			count++
		}
	}
	if count == 0 {
		w.t.Fatal("the installed hook has no limit")
	}
	if w.agent.name != codex.name {
		return
	}
	// Codex trusts an entry as it was installed; one with another limit it
	// would skip.
	trusting := *w.agent
	trusting.args = func(w *world) []string {
		return slices.Insert(codex.args(w), 1, "--dangerously-bypass-hook-trust")
	}
	w.agent = &trusting
}
