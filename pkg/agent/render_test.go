package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func render(o TextOptions, events ...Event) string {
	var b strings.Builder
	r := NewTextRenderer(&b, o)
	for _, ev := range events {
		r.Render(ev)
	}
	return b.String()
}

func TestText(t *testing.T) {
	got := render(TextOptions{Prompt: "> "},
		Event{Kind: Ready},
		Event{Kind: Text, Text: "Hel"}, Event{Kind: Text, Text: "lo there\nand"}, Event{Kind: Text, Text: " so on"},
		Event{Kind: Calling, Tool: "exec", Args: map[string]any{"command": "ls /desktop", "timeout": 3}},
		Event{Kind: Question, Text: "The agent wants to run:\n  │ ls /desktop\nonce, session or no: "},
		Event{Kind: Returned, Result: Result{ForLLM: "a\tb\r\nc\n"}},
		Event{Kind: Returned, Result: Result{ForLLM: "for the model", ForUser: "for you", IsError: true}},
		Event{Kind: Returned},
		Event{Kind: Calling, Tool: "read", Text: `{"bro`},
		Event{Kind: Calling, Tool: "request_permission", Args: map[string]any{"path": "/desktop", "command": "ls /desktop"}},
		Event{Kind: Calling, Tool: "exec", Args: map[string]any{"action": "poll", "sessionId": "s1"}},
		Event{Kind: Notice, Text: "busy"},
		Event{Kind: TurnEnded},
		Event{Kind: TurnEnded, Err: context.Canceled},
		Event{Kind: TurnEnded, Err: errors.New("no key")})
	want := `>   Hello there
  and so on
→ exec ls /desktop timeout=3
The agent wants to run:
  │ ls /desktop
once, session or no:   a    b
  c
✗ for you
  (no output)
→ read {"bro
→ request_permission ls /desktop path="/desktop"
→ exec poll sessionId="s1"
· busy
· interrupted
✗ no key
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestColor(t *testing.T) {
	ev := Event{Kind: TurnEnded, Err: errors.New("x")}
	if got := render(TextOptions{}, ev); strings.Contains(got, "\x1b") {
		t.Errorf("colour without being told: %q", got)
	}
	if got := render(TextOptions{Color: true}, ev); !strings.Contains(got, "\x1b[31m✗ x\x1b[0m") {
		t.Errorf("no colour: %q", got)
	}
}

func TestPreviewSaysWhatIsLeftOut(t *testing.T) {
	got := render(TextOptions{}, Event{Kind: Returned, Result: Result{ForLLM: strings.Repeat("line\n", 100)}})
	if strings.Count(got, "\n") != previewLines+1 || !strings.Contains(got, "60 more lines") {
		t.Errorf("got %q", got)
	}
	got = render(TextOptions{}, Event{Kind: Returned, Result: Result{ForLLM: strings.Repeat("é", previewText+5)}})
	if !strings.Contains(got, "5 more characters") {
		t.Errorf("got %q", got[len(got)-60:])
	}
	got = render(TextOptions{}, Event{Kind: Calling, Tool: "exec", Args: map[string]any{"command": strings.Repeat("x", callText)}})
	if !strings.Contains(got, "more characters") {
		t.Errorf("got %q", got[len(got)-60:])
	}
}

// foreign are the events that carry what a model or a tool wrote.
func foreign(s string) []Event {
	return []Event{
		{Kind: Text, Text: s},
		{Kind: Calling, Tool: "exec", Args: map[string]any{"command": s, "other": s}},
		{Kind: Calling, Tool: s, Text: s},
		{Kind: Returned, Result: Result{ForLLM: s}},
		{Kind: Returned, Result: Result{ForLLM: "x", ForUser: s, IsError: true}},
		{Kind: Notice, Text: s},
		{Kind: TurnEnded, Err: errors.New(s)},
	}
}

// TestForeignTextCannotSteer holds that nothing foreign reaches the terminal as
// a control character, and none of its lines begins at the left edge, where
// mayi's own lines are.
func TestForeignTextCannotSteer(t *testing.T) {
	bad := []string{"\x1b[2J", "\x1b]52;c;x\a", "\r", "\b", "\x00", "\u202e", "\u200b", "\u009b31m", "\xff", "\ufeff"}
	piece := rapid.OneOf(rapid.SampledFrom(bad), rapid.SampledFrom([]string{"\n", "The agent wants to run:", "a", " ", "\t", "é", "раypal"}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(rt, "text"), "")
		for _, ev := range append(foreign(s), Event{Kind: Text}) {
			got := render(TextOptions{}, ev, Event{Kind: TurnEnded})
			for _, r := range got {
				if r != '\n' && r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b' || r == '\ufeff' || r == '\ufffd' && !strings.ContainsRune(s, '\ufffd') {
					rt.Fatalf("%s event: %U reaches the terminal: %q", ev.Kind, r, got)
				}
			}
			for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
				own := strings.HasPrefix(line, "→ ") || strings.HasPrefix(line, "✗ ") || strings.HasPrefix(line, "· ")
				if line != "" && !strings.HasPrefix(line, gutter) && !(i == 0 && own) {
					rt.Fatalf("%s event: line %d begins at the edge: %q", ev.Kind, i, got)
				}
			}
		}
	})
}

// TestSplitsDoNotMatter holds that a text looks the same however it was cut on
// its way; a look-alike letter is judged by its whole word.
func TestSplitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"hello", "р", "аypal", " ", "\n", "\t", "ok.", "⟨", "日本", "\r\n"}), 0, 12).Draw(rt, "text"), "")
		whole := render(TextOptions{}, Event{Kind: Text, Text: s}, Event{Kind: TurnEnded})
		var events []Event
		for runes := []rune(s); len(runes) > 0; {
			n := rapid.IntRange(1, len(runes)).Draw(rt, "cut")
			events = append(events, Event{Kind: Text, Text: string(runes[:n])})
			runes = runes[n:]
		}
		if got := render(TextOptions{}, append(events, Event{Kind: TurnEnded})...); got != whole {
			rt.Fatalf("in pieces %q, whole %q", got, whole)
		}
	})
}

func TestJSONEvents(t *testing.T) {
	var b strings.Builder
	r := NewJSONRenderer(&b)
	r.Render(Event{Kind: Calling, Tool: "exec", Args: map[string]any{"command": "ls\x1b"}})
	r.Render(Event{Kind: Returned, Tool: "exec", Result: Result{ForLLM: "x", IsError: true}})
	r.Render(Event{Kind: TurnEnded, Err: errors.New("boom")})
	want := []string{
		`{"event":"call","tool":"exec","args":{"command":"ls\u001b"}}`,
		`{"event":"result","tool":"exec","for_llm":"x","is_error":true}`,
		`{"event":"end","error":"boom"}`,
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines: %s", len(lines), b.String())
	}
	for i, l := range lines {
		if l != want[i] || !json.Valid([]byte(l)) {
			t.Errorf("line %d: %s, want %s", i, l, want[i])
		}
	}
}
