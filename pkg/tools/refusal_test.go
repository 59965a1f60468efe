package tools

import (
	"strings"
	"testing"

	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

func TestDenialTextNamesTheRuleOnce(t *testing.T) {
	rule := permissions.Rule{Text: "read(.env)", Source: permissions.Source{File: "/ws/.mayi/settings.json", Line: 7}}
	for _, reason := range []string{"reading .env is denied by read(.env)", "reading .env is denied"} {
		v := gate.Verdict{Decision: permissions.Decision{Reason: reason, Rules: []permissions.Rule{rule}}}
		got := denialText(v)
		wantText(t, "denial", got, "/ws/.mayi/settings.json:7", "read(.env)", "cannot be granted")
		if strings.Count(got, "read(.env)") != 1 {
			t.Errorf("%q", got)
		}
	}
}

// TestRefusalsShowWhatIsThere: text that an agent wrote cannot act on a
// terminal or hide in a refusal.
func TestRefusalsShowWhatIsThere(t *testing.T) {
	b := newBench(t)
	res := b.run(t, "cat /outside/\x1b[2K\u202ex")
	if strings.ContainsAny(res.ForUser, "\x1b\u202e") {
		t.Errorf("%q", res.ForUser)
	}
	wantText(t, "ForUser", res.ForUser, "⟨U+001B⟩", "⟨U+202E⟩")
}

// TestLongContentStaysOutOfTheRefusal: a file's new content is not repeated to
// the model.
func TestLongContentStaysOutOfTheRefusal(t *testing.T) {
	b := newBench(t)
	res := b.files(t).Execute(t.Context(), "write", map[string]any{"file_path": b.outside + "/f", "content": strings.Repeat("x", 100_000)})
	if !res.refused() || len(res.ForLLM) > 1000 {
		t.Errorf("%d bytes: %.300s", len(res.ForLLM), res.ForLLM)
	}
	ask := NewRequestPermissionTool(b.cache, WithSession(b.session))
	if q := ask.Execute(t.Context(), map[string]any{"path": b.outside + "/f"}); !q.Pending {
		t.Errorf("%+v", q)
	}
}
