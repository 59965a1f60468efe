package wire

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func drawValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(rt *rapid.T) any {
		text := func() string {
			if rapid.Bool().Draw(rt, "bytes") {
				return string(rapid.SliceOf(rapid.Byte()).Draw(rt, "text"))
			}
			return rapid.StringOf(rapid.RuneFrom([]rune("aé\"\\\b\f\n\r\t\v\x00\x1f <>&\x7f\u0080\u009f\u00a0\u2028\u2029\ufffd\U0001f600"))).Draw(rt, "text")
		}
		kinds := 7
		if depth > 0 {
			kinds = 10
		}
		switch rapid.IntRange(0, kinds-1).Draw(rt, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(rt, "bool")
		case 2:
			return rapid.Int().Draw(rt, "int")
		case 3:
			return json.Number(rapid.SampledFrom([]string{"0", "12", "-1", "1.50", "1e400", "-0.0E-7"}).Draw(rt, "number"))
		case 4:
			return rapid.Float64Range(-1e9, 1e9).Draw(rt, "float")
		case 7:
			return rapid.SliceOfN(drawValue(depth-1), 0, 4).Draw(rt, "list")
		case 8:
			return rapid.MapOfN(rapid.String(), drawValue(depth-1), 0, 4).Draw(rt, "map")
		case 9:
			var f Fields
			for range rapid.IntRange(0, 4).Draw(rt, "fields") {
				f = append(f, Field{text(), drawValue(depth-1).Draw(rt, "value")})
			}
			return f
		}
		return text()
	})
}

// What is written by hand is what the general encoder writes, byte for byte.
func TestPropertyPlainIsWhatTheGeneralEncoderWrites(t *testing.T) {
	plain := 0
	rapid.Check(t, func(rt *rapid.T) {
		v := drawValue(3).Draw(rt, "v")
		want, err := general(v)
		if err != nil {
			rt.Fatal(err)
		}
		got, ok := appendValue(nil, v)
		if !ok {
			if got, err = Line(v); err != nil {
				rt.Fatal(err)
			}
			got = got[:len(got)-1]
		} else {
			plain++
		}
		if string(got)+"\n" != string(want) {
			rt.Fatalf("written by hand:\n%q\nby the general encoder:\n%q", got, want)
		}
	})
	if plain == 0 {
		t.Error("nothing was written by hand")
	}
}

func TestNoNumberIsWrittenThatIsNone(t *testing.T) {
	for _, n := range []json.Number{"1,2", "007", "x", "1\n", "--1", `1,"a":2`} {
		if line, err := Line(Fields{{"n", n}}); err == nil {
			t.Errorf("%q is written as %s", n, line)
		}
	}
}
