package approval_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mayi/pkg/approval"
)

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "ls -la /tmp && echo 'x' > ~/y", "ls -la /tmp && echo 'x' > ~/y"},
		{"empty", "", ""},
		{"newline stays", "a\nb", "a\nb"},
		{"carriage return", "rm x\rls", "rm x⟨U+000D⟩ls"},
		{"tab", "a\tb", "a⟨U+0009⟩b"},
		{"escape", "\x1b[31mred\x1b]0;t\x07", "⟨U+001B⟩[31mred⟨U+001B⟩]0;t⟨U+0007⟩"},
		{"C1 control", "a\u009b2Jb", "a⟨U+009B⟩2Jb"},
		{"NUL and DEL", "a\x00b\x7f", "a⟨U+0000⟩b⟨U+007F⟩"},
		{"bidi override", "a\u202eb", "a⟨U+202E⟩b"},
		{"bidi isolate", "\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"},
		{"zero width", "r\u200bm\u200d\ufeff", "r⟨U+200B⟩m⟨U+200D⟩⟨U+FEFF⟩"},
		{"soft hyphen", "r\u00adm", "r⟨U+00AD⟩m"},
		{"no-break space", "rm\u00a0-rf", "rm⟨U+00A0⟩-rf"},
		{"ideographic space", "a\u3000b", "a⟨U+3000⟩b"},
		{"line separator", "a\u2028b", "a⟨U+2028⟩b"},
		{"Hangul filler is a letter", "a\u3164b", "a⟨U+3164⟩b"},
		{"Braille blank", "a\u2800b", "a⟨U+2800⟩b"},
		{"tag characters", "a\U000e0041b", "a⟨U+E0041⟩b"},
		{"variation selector", "a\ufe0fb", "a⟨U+FE0F⟩b"},
		{"private use", "\ue000", "⟨U+E000⟩"},
		{"unassigned", "\u0378", "⟨U+0378⟩"},
		{"stray bytes", "a\xff\xc3b", "a⟨0xFF⟩⟨0xC3⟩b"},
		{"surrogate in UTF-8", "\xed\xa0\x80", "⟨0xED⟩⟨0xA0⟩⟨0x80⟩"},
		{"replacement character itself", "\ufffd", "\ufffd"},
		{"the bracket itself", "⟨U+202E⟩", "⟨U+27E8⟩U+202E⟩"},
		{"full-width", "ｒｍ ／", "⟨U+FF52⟩⟨U+FF4D⟩ ⟨U+FF0F⟩"},
		{"fraction slash", "/etc⁄passwd", "/etc⟨U+2044⟩passwd"},
		{"division slash", "a∕b", "a⟨U+2215⟩b"},
		{"Greek question mark", "a\u037e b", "a⟨U+037E⟩ b"},
		{"en dash option", "rm –rf", "rm ⟨U+2013⟩rf"},
		{"minus", "rm −rf", "rm ⟨U+2212⟩rf"},
		{"typographic quotes", "echo ‘;’", "echo ⟨U+2018⟩;⟨U+2019⟩"},
		{"Cyrillic a in a Latin word", "c\u0430t", "c⟨U+0430⟩t"},
		{"Greek omicron in a Latin word", "g\u03bfogle", "g⟨U+03BF⟩ogle"},
		{"a word of twins alone", "\u0441\u043e\u0440", "⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩"},
		{"mathematical letters", "𝐫𝐦", "⟨U+1D42B⟩⟨U+1D426⟩"},
		{"Kelvin sign", "\u212a", "⟨U+212A⟩"},
		{"long s in a Latin word", "\u017fession", "⟨U+017F⟩ession"},
		{"overlay on a letter", "a\u0338", "a⟨U+0338⟩"},
		{"mark on a slash", "/\u0301", "/⟨U+0301⟩"},
		{"mark at the start", "\u0301a", "⟨U+0301⟩a"},
		{"too many marks", "e\u0301\u0302\u0303\u0304", "e\u0301\u0302\u0303⟨U+0304⟩"},
		{"Russian", "привет мир", "привет мир"},
		{"German", "Größe.txt", "Größe.txt"},
		{"Greek", "Ελλάδα", "Ελλάδα"},
		{"Chinese", "文件.txt", "文件.txt"},
		{"Japanese", "ノート", "ノート"},
		{"Hindi", "नमस्ते", "नमस्ते"},
		{"Arabic", "ملف", "ملف"},
		{"emoji", "🚀 ok", "🚀 ok"},
		{"decomposed", "cafe\u0301", "cafe\u0301"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := approval.Visible(tt.in); got != tt.want {
				t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc… 1 more characters"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äöü… 1 more characters"},
		{strings.Repeat("x", 1214), 10, "xxxxxxxxxx… 1,204 more characters"},
		{"a\x1bb", 2, "a⟨U+001B⟩… 1 more characters"},
		{"abc", 0, "abc"},
		{"\xff\xff\xff", 1, "⟨0xFF⟩… 2 more characters"},
	} {
		if got := approval.Clip(tt.in, tt.limit); got != tt.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := approval.Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

// safe reports what in a shown text a person could be misled by.
func safe(s string) string {
	for i, r := range s {
		switch {
		case r == '\n':
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			return "no UTF-8"
		case !unicode.IsGraphic(r), unicode.Is(unicode.Zs, r) && r != ' ',
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
			return string(r)
		}
	}
	return ""
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"ls", "a\x1b[2Jb", "\u202ea", "c\u0430t", "\xff⟨", "e\u0301\u0302\u0303\u0304", "r\u200bm\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := approval.Visible(s)
		if bad := safe(v); bad != "" {
			t.Fatalf("Visible(%q) = %q holds %q", s, v, bad)
		}
		if back := unmark(t, v); back != s {
			t.Fatalf("Visible(%q) = %q reads back as %q", s, v, back)
		}
		if l := approval.Line(s); strings.Contains(l, "\n") || safe(l) != "" {
			t.Fatalf("Line(%q) = %q", s, l)
		}
	})
}

// unmark turns a shown text back: two texts that show the same are the same.
func unmark(t *testing.T, v string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(v, "⟨")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		code, rest, ok := strings.Cut(after, "⟩")
		if !ok {
			t.Fatalf("an open bracket in %q", v)
		}
		var n rune
		for _, c := range code[2:] {
			n = n*16 + rune(strings.IndexRune("0123456789ABCDEF", c))
		}
		if strings.HasPrefix(code, "0x") {
			b.WriteByte(byte(n))
		} else {
			b.WriteRune(n)
		}
		v = rest
	}
}

// What an agent writes can never look like a line of the question.
func TestPropertyACommandStaysBehindItsBar(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := ls
		q.Command = rapid.String().Draw(rt, "command") + "\nRisk: low\nonce, session"
		q.Reason = rapid.String().Draw(rt, "reason")
		text := approval.Describe(q, q.Asked)
		if bad := safe(text); bad != "" {
			rt.Fatalf("%q is shown in %q", bad, text)
		}
		var barred strings.Builder
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if rest, ok := strings.CutPrefix(line, "  │ "); ok {
				barred.WriteString(rest)
			}
		}
		if want := strings.ReplaceAll(approval.Visible(q.Command), "\n", ""); barred.String() != want {
			rt.Fatalf("behind the bar stands %q, the command is %q:\n%s", barred.String(), want, text)
		}
		if strings.Count(text, "\n  Risk: ") != 1 {
			rt.Fatalf("the risk is said more than once:\n%s", text)
		}
	})
}

func TestDescribeCutsNothingInSilence(t *testing.T) {
	q := ls
	q.Command = strings.Repeat("a", 100_000) + "; rm -rf /"
	text := approval.Describe(q, time0)
	for _, want := range []string{"… 78,010 more characters", "; rm -rf /"} {
		if !strings.Contains(text, want) {
			t.Errorf("not shown: %q", want)
		}
	}
}
