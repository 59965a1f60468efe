package hook_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"

	"mayi/internal/hook"
)

// TestBadInputIsDenied: whatever comes in that is no call is answered so that
// the program does not run it.
func TestBadInputIsDenied(t *testing.T) {
	for name, prog := range programs() {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, everyday)
			good := payload(name, "touch a")
			bad := map[string]string{
				"empty": "", "blank": " \n\t", "no JSON": "touch a", "null": "null", "a list": "[]", "a number": "7", "a text": `"touch a"`,
				"truncated":      good[:len(good)/2],
				"one byte short": good[:len(good)-1],
				"text after":     good + " and more",
				"two objects":    good + "\n" + good,
				"text before":    "hello " + good,
				"an empty one":   "{}",
				"no UTF-8":       strings.Replace(good, "touch a", "touch \xff\xfe", 1),
				"a key twice":    strings.Replace(good, "{", `{"cwd":"/tmp",`, 1),
				"below twice":    strings.Replace(good, `"command":`, `"command":"rm x","command":`, 1),
				"10 MB":          strings.Replace(good, "touch a", "touch "+strings.Repeat("a", 10<<20), 1),
				"10 MB of noise": strings.Repeat("x", 10<<20),
				"deep":           `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
				"gone":           strings.Replace(good, `"/ws"`, `"/ws/gone"`, -1),
				"a file":         strings.Replace(good, `"/ws"`, `"/ws/file"`, -1),
				"relative":       strings.Replace(good, `"/ws"`, `"ws"`, -1),
				"no command":     strings.Replace(good, `"command":"touch a"`, `"comand":"touch a"`, 1),
			}
			maps.Copy(bad, map[string]string{
				"a mark before":        "\ufeff" + good,
				"UTF-16":               wide(good),
				"a NUL behind":         good + "\x00",
				"NULs only":            strings.Repeat("\x00", 4096),
				"a NUL":                strings.Replace(good, "touch a", "touch a\\u0000b", 1),
				"a NUL and more":       strings.Replace(good, "touch a", "touch a\\u0000; rm a", 1),
				"a NUL in the folder":  strings.Replace(good, `"/ws"`, `"/ws\u0000"`, -1),
				"a line in the folder": strings.Replace(good, `"/ws"`, `"/ws\n"`, -1),
				"a long folder":        strings.Replace(good, `"/ws"`, `"/ws/`+strings.Repeat("a/", 5000)+`"`, -1),
				"a long name":          strings.Replace(good, `"/ws"`, `"/ws/`+strings.Repeat("a", 5000)+`"`, -1),
				"a loop":               strings.Replace(good, `"/ws"`, `"/ws/loop"`, -1),
				"a huge number":        strings.Replace(good, `"touch a"`, "1e999999999", 1),
				"a long number":        strings.Replace(good, `"touch a"`, strings.Repeat("9", 100_000), 1),
				"a wrong number":       strings.Replace(good, `"touch a"`, "0123", 1),
				"no number":            strings.Replace(good, `"touch a"`, "NaN", 1),
				"half a character":     strings.Replace(good, "touch a", "rm \\ud800", 1),
				"an open text":         strings.Replace(good, `touch a"`, `touch a`, 1),
				"a line in a text":     strings.Replace(good, "touch a", "touch\na", 1),
				"a comment":            strings.Replace(good, "{", "{/* */", 1),
				"a comma too many":     strings.Replace(good, `"}`, `",}`, 1),
				"many keys":            strings.Replace(good, "{", "{"+numbered(20_000), 1),
				"deep below":           strings.Replace(good, `"touch a"`, strings.Repeat(`{"a":`, 20_000)+"1"+strings.Repeat("}", 20_000), 1),
				"other case below":     strings.Replace(good, `"command":"touch a"`, `"command":"touch a","Command":"rm a"`, 1),
			})
			for _, field := range prog.needs {
				if i := strings.Index(good, `"`+field+`":`); i >= 0 && !optional(field) && field != "event" && field != "hook_event_name" {
					bad[field+" in capitals"] = strings.Replace(good, `"`+field+`":`, `"`+strings.ToUpper(field)+`":`, 1)
					bad[field+" twice, once in capitals"] = strings.Replace(good, "{", `{"`+strings.ToUpper(field)+`":"x",`, 1)
				}
			}
			if err := os.Symlink("loop", p.space+"/loop"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p.space+"/file", nil, 0o644); err != nil {
				t.Fatal(err)
			}
			for _, wrong := range []string{"7", "true", "[]", "null", `["touch a"]`, `{"a":1}`} {
				bad["the command is "+wrong] = strings.Replace(good, `"touch a"`, wrong, 1)
			}
			for _, field := range prog.needs {
				for _, wrong := range []string{"", "null", "7", "true", "[1]", `{"a":1}`} {
					if (wrong == "" || wrong == "null") && (optional(field) || field == "hook_event_name" || field == "event") {
						continue // may be left out: nothing is remembered; the event is the only one
					}
					if field == "toolArgs" && wrong == `{"a":1}` {
						continue
					}
					if text, ok := change(t, good, field, wrong); ok {
						bad[field+" is "+wrong] = text
					}
				}
			}
			if name == "cursor" {
				// There the folder may be empty, and then it is the workspace's.
				delete(bad, "gone")
				bad["gone"] = strings.Replace(good, `"cwd":"/ws"`, `"cwd":"/ws/gone"`, 1)
			}
			for what, text := range bad {
				stdout, stderr, code := p.run(t, name, text)
				if !judge(t, name, stdout, stderr, code) {
					t.Errorf("%s: the call runs: %.200q answered %.300q %q exit %d", what, text, stdout, stderr, code)
				}
				if !strings.Contains(stdout+stderr, "mayi") && name != "generic" {
					t.Errorf("%s: the answer does not say who refused, and why: %q", what, stdout)
				}
			}
		})
	}
}

// optional reports whether a field may be missing: nothing is remembered then.
func optional(field string) bool {
	switch field {
	case "session_id", "sessionId", "sessionID", "session", "conversation_id":
		return true
	}
	return false
}

// wide is the text in UTF-16, as some shells write it.
func wide(text string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

// numbered are n members, the last of which is there twice.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%d,`, min(i, n-2), i)
	}
	return b.String()
}

// change puts another value into a field, "" takes it out.
func change(t *testing.T, text, field, value string) (string, bool) {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	if _, ok := m[field]; !ok {
		return "", false
	}
	if m[field] = json.RawMessage(value); value == "" {
		delete(m, field)
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), true
}

// TestUnknownFieldsAreTolerated: an agent's next version sends more.
func TestUnknownFieldsAreTolerated(t *testing.T) {
	for name := range programs() {
		if name == "generic" {
			continue // it is strict about its keys, and says so
		}
		p := newPlace(t, everyday)
		text := strings.Replace(payload(name, "touch a"), "{", `{"zz_new":{"a":[1,2.5e3,null]},"other":"é","n":123456789012345678901234567890,`, 1)
		if p.blocked(t, name, text) {
			t.Errorf("%s: an allowed call with fields that are not known is blocked", name)
		}
	}
}

// TestAnUnknownEventWithAToolIsDecided: an agent's next version may have another
// name for what comes before a tool; what comes after one cannot be refused.
func TestAnUnknownEventWithAToolIsDecided(t *testing.T) {
	for name := range programs() {
		for _, field := range []string{"hook_event_name", "event"} {
			p := newPlace(t, everyday)
			for event, blocked := range map[string]bool{"BeforeAnyTool": true, "pretooluse": true, "PostToolUse": false, "AfterTool": false} {
				text, ok := change(t, payload(name, "rm a"), field, `"`+event+`"`)
				switch {
				case !ok, !blocked && (name == "gemini") != (event == "AfterTool"), !blocked && name == "cursor":
					continue
				}
				if p.blocked(t, name, text) != blocked {
					t.Errorf("%s: rm in the event %s is blocked: %t", name, event, !blocked)
				}
			}
		}
	}
}

// TestWhateverFailsDenies: a gate that cannot be opened, a panic, an input that
// cannot be read.
func TestWhateverFailsDenies(t *testing.T) {
	for name := range programs() {
		p := newPlace(t, everyday)
		for what, change := range map[string]func(*hook.Options){
			"no gate": func(o *hook.Options) {
				o.Open = func(hook.Place) (*hook.Door, error) { return nil, errors.New("no\nsettings \u202e") }
			},
			"a panic": func(o *hook.Options) { o.Open = func(hook.Place) (*hook.Door, error) { panic("broken") } },
			"a nil":   func(o *hook.Options) { o.Open = func(hook.Place) (*hook.Door, error) { return nil, nil } },
			"no input": func(o *hook.Options) {
				o.Stdin = iotest.ErrReader(errors.New("closed"))
			},
		} {
			var out, errs bytes.Buffer
			o := p.options(name, payload(name, "touch a"), &out, &errs)
			change(&o)
			code, err := hook.Run(context.Background(), o)
			if err != nil || !judge(t, name, out.String(), errs.String(), code) {
				t.Errorf("%s: %s: the call runs: %q %q exit %d (%v)", name, what, &out, &errs, code, err)
			}
		}
		broken := newPlace(t, `{"executionMode":"auto","permisions":{}}`)
		if !broken.blocked(t, name, payload(name, "touch a")) {
			t.Errorf("%s: a call runs under settings that are broken", name)
		}
	}
}

// TestTheWatchdogAnswers: where the decision hangs, the deny is out before the
// program stops to wait, and the process can end.
func TestTheWatchdogAnswers(t *testing.T) {
	for name := range programs() {
		p := newPlace(t, everyday)
		var out, errs bytes.Buffer
		o := p.options(name, payload(name, "touch a"), &out, &errs)
		hang, ended := make(chan struct{}), make(chan int, 1)
		o.Open = func(hook.Place) (*hook.Door, error) { <-hang; return nil, errors.New("late") }
		o.Limit = 100 * time.Millisecond
		o.Exit = func(code int) { ended <- code }
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := hook.Run(context.Background(), o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}()
		code := <-ended
		close(hang)
		<-done
		// What came after the deny was not written any more.
		if !judge(t, name, out.String(), errs.String(), code) || !strings.Contains(out.String()+errs.String(), "longer") {
			t.Errorf("%s: the call runs: %q %q exit %d", name, &out, &errs, code)
		}
	}
}

// TestAReasonIsNeverEmpty, since Codex runs what was denied without one.
func TestAReasonIsNeverEmpty(t *testing.T) {
	for _, text := range []string{"", "{}", payload("codex", "rm a"), payload("codex", "make")} {
		stdout, _, _ := newPlace(t, everyday).run(t, "codex", text)
		if !strings.Contains(stdout, `"permissionDecisionReason":"mayi: `) {
			t.Errorf("%s is answered %s", text, stdout)
		}
	}
}

// TestAnUnknownAgentIsAnError: it answers nobody, and says what is known.
func TestAnUnknownAgentIsAnError(t *testing.T) {
	var out, errs bytes.Buffer
	code, err := hook.Run(context.Background(), newPlace(t, everyday).options("clyde", "{}", &out, &errs))
	if !errors.Is(err, hook.ErrUnknown) || code != 2 || out.Len() > 0 {
		t.Errorf("%d %v %q", code, err, fmt.Sprint(&out))
	}
}
