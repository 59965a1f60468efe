package value

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawn is a value with one of the strings that it stands for.
type drawn struct {
	v    Value
	text string
}

func draw(t *rapid.T, label string) drawn {
	text := rapid.SampledFrom([]string{"", "a", "bc", "7", "-12", "x/y", "a*", "~q"}).Draw(t, label)
	switch rapid.IntRange(0, 5).Draw(t, label+" kind") {
	case 0:
		return drawn{Unknown("hidden"), text}
	case 1:
		return drawn{Number("counter"), "42"}
	case 2:
		return drawn{Pattern("*"), strings.ReplaceAll(text, "/", "")}
	case 3:
		return drawn{OneOf("p", text, "q"), text}
	}
	return drawn{Exact(text), text}
}

// holds reports whether the text is one of those that v stands for.
func holds(v Value, text string) bool {
	for _, alt := range v.Alternatives() {
		if fits(alt, text) {
			return true
		}
	}
	return false
}

func fits(alt []Piece, text string) bool {
	if len(alt) == 0 {
		return text == ""
	}
	p, rest := alt[0], alt[1:]
	if p.Kind == Lit {
		t, ok := strings.CutPrefix(text, p.Text)
		return ok && fits(rest, t)
	}
	for i := 0; i <= len(text); i++ {
		if p.Kind == Glob && strings.Contains(text[:i], "/") || p.Kind == Num && !digits(text[:i]) {
			continue
		}
		if fits(rest, text[i:]) {
			return true
		}
	}
	return false
}

func TestOperationsLoseNoString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := draw(t, "a"), draw(t, "b"), draw(t, "c")
		if v := Concat(a.v, Concat(b.v, c.v)); !holds(v, a.text+b.text+c.text) {
			t.Fatalf("Concat(%v, %v, %v) = %v does not hold %q", a.v, b.v, c.v, v, a.text+b.text+c.text)
		}
		u := Union(a.v, Union(b.v, c.v))
		w := Widen(a.v, b.v, "loop")
		for _, d := range []drawn{a, b, c} {
			if !holds(u, d.text) {
				t.Fatalf("Union(%v, %v, %v) = %v does not hold %q", a.v, b.v, c.v, u, d.text)
			}
			if p := d.v.Prefix(); !strings.HasPrefix(d.text, p) {
				t.Fatalf("%v has the prefix %q and holds %q", d.v, p, d.text)
			}
			if s, ok := d.v.Text(); ok && s != d.text {
				t.Fatalf("%v is exactly %q and holds %q", d.v, s, d.text)
			}
			if d.v.Integer() && !digits(d.text) {
				t.Fatalf("%v is an integer and holds %q", d.v, d.text)
			}
			if up, ok := d.v.Map(strings.ToUpper); ok && !holds(up, strings.ToUpper(d.text)) {
				t.Fatalf("Map lost %q", d.text)
			}
		}
		if !holds(w, a.text) || !holds(w, b.text) {
			t.Fatalf("Widen(%v, %v) = %v", a.v, b.v, w)
		}
		if !Equal(Widen(w, Concat(w, c.v), "loop"), Widen(Widen(w, Concat(w, c.v), "loop"), Concat(w, c.v), "loop")) {
			t.Fatalf("widening %v with %v does not settle", w, c.v)
		}
	})
}

func TestManyIsNoOneText(t *testing.T) {
	v := Exact("x").WithMany()
	if _, ok := v.Text(); ok {
		t.Error("a value that may be several words has a text")
	}
	if _, ok := v.Texts(); ok {
		t.Error("a value that may be several words has texts")
	}
	if s, ok := v.Single().Text(); !ok || s != "x" {
		t.Errorf("Single() = %q, %v", s, ok)
	}
	split := Concat(Unknown("u"), Exact("/etc")).WithMany().Single()
	if split.Prefix() != "" || !holds(split, "a") {
		t.Errorf("one word of an unknown list is %v, which leaves words out", split)
	}
	if !Union(v, Exact("y")).Many() || !Concat(v, Exact("y")).Many() {
		t.Error("the mark is lost")
	}
}

func TestBounds(t *testing.T) {
	v := Exact("")
	for i := range MaxAlternatives + 1 {
		v = Union(v, Exact(strings.Repeat("x", i+1)))
	}
	if _, unknown := v.HasUnknown(); !unknown {
		t.Error("a value keeps more alternatives than it may")
	}
	long := Exact("x")
	for range 40 {
		long = Concat(long, long)
	}
	if _, unknown := long.HasUnknown(); !unknown {
		t.Error("a value keeps more text than it may")
	}
}
