package pack_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mayi/internal/hook/pack"
	"mayi/internal/hook/ticket"
)

// all is every kind of value that can be written.
type all struct {
	Flag   bool
	Text   string
	Named  name
	Small  int8
	Wide   int64
	Byte   uint8
	Huge   uint64
	Bytes  []byte
	Texts  []string
	Inner  inner
	Inners []inner
	To     *inner
	Switch *bool
	Env    map[string]string
	Input  map[string]any
	Any    any
}

type (
	name  string
	inner struct {
		A int
		B []inner
	}
)

func drawAny(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(rt *rapid.T) any {
		kinds := 5
		if depth > 0 {
			kinds = 7
		}
		switch rapid.IntRange(0, kinds-1).Draw(rt, "kind") {
		case 1:
			return rapid.Bool().Draw(rt, "bool")
		case 2:
			return string(rapid.SliceOf(rapid.Byte()).Draw(rt, "text"))
		case 3:
			return json.Number(rapid.StringMatching(`-?[0-9]{1,30}`).Draw(rt, "number"))
		case 4:
			return math.Float64frombits(rapid.Uint64Max(0x7fefffffffffffff).Draw(rt, "float"))
		case 5:
			return rapid.SliceOfN(drawAny(depth-1), 0, 3).Draw(rt, "list")
		case 6:
			return rapid.MapOfN(rapid.String(), drawAny(depth-1), 0, 3).Draw(rt, "object")
		}
		return nil
	})
}

// fill sets v and all that is in it to anything: what may be nil sometimes is.
func fill(rt *rapid.T, v reflect.Value, depth int) {
	some := func(what string) bool { return depth > 0 && rapid.IntRange(0, 3).Draw(rt, what) > 0 }
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(rt, "bool"))
	case reflect.String:
		v.SetString(string(rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(rt, "text")))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		bits := v.Type().Bits()
		v.SetInt(rapid.Int64Range(math.MinInt64>>(64-bits), math.MaxInt64>>(64-bits)).Draw(rt, "int"))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(rapid.Uint64Max(math.MaxUint64>>(64-v.Type().Bits())).Draw(rt, "uint"))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(rt, v.Field(i), depth)
		}
	case reflect.Slice:
		if some("a list") {
			n := rapid.IntRange(0, 3).Draw(rt, "length")
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(rt, v.Index(i), depth-1)
			}
		}
	case reflect.Pointer:
		if some("a pointer") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rt, v.Elem(), depth-1)
		}
	case reflect.Map:
		if some("a map") {
			v.Set(reflect.MakeMap(v.Type()))
			for range rapid.IntRange(0, 3).Draw(rt, "length") {
				x := reflect.New(v.Type().Elem()).Elem()
				fill(rt, x, depth-1)
				v.SetMapIndex(reflect.ValueOf(rapid.String().Draw(rt, "key")), x)
			}
		}
	case reflect.Interface:
		if x := drawAny(2).Draw(rt, "any"); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	default:
		rt.Fatalf("%s: no way to fill it", v.Type())
	}
}

func roundTrip[T any](rt *rapid.T) {
	var want, got T
	fill(rt, reflect.ValueOf(&want).Elem(), 4)
	data, err := pack.Marshal(want)
	if err != nil {
		rt.Fatal(err)
	}
	if err := pack.Unmarshal(data, &got); err != nil {
		rt.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		rt.Fatalf("read back\n%+v\nwant\n%+v", got, want)
	}
}

func TestPropertyWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, roundTrip[all])
}

// A ticket is a decision with all that it was made from.
func TestPropertyATicketIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, roundTrip[ticket.Ticket])
}

// Whatever a ticket has or comes to have is kept: each field alone makes another
// text, and comes back.
func TestNoFieldOfATicketIsForgotten(t *testing.T) {
	seen := map[string]string{}
	var walk func(path string, of reflect.Type, build func(reflect.Value) reflect.Value)
	walk = func(path string, of reflect.Type, build func(reflect.Value) reflect.Value) {
		if of.Kind() == reflect.Struct {
			for i := range of.NumField() {
				walk(path+"."+of.Field(i).Name, of.Field(i).Type, func(root reflect.Value) reflect.Value { return build(root).Field(i) })
			}
			return
		}
		if e := of; strings.Count(path, "[]") < 3 && (e.Kind() == reflect.Slice || e.Kind() == reflect.Pointer) {
			walk(path+"[]", e.Elem(), func(root reflect.Value) reflect.Value {
				v := build(root)
				if e.Kind() == reflect.Pointer {
					v.Set(reflect.New(e.Elem()))
					return v.Elem()
				}
				v.Set(reflect.MakeSlice(e, 1, 1))
				return v.Index(0)
			})
		}
		var want, got ticket.Ticket
		set(t, path, build(reflect.ValueOf(&want).Elem()))
		data, err := pack.Marshal(want)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if other := seen[string(data)]; other != "" {
			t.Errorf("%s is written as %s", path, other)
		}
		seen[string(data)] = path
		if err := pack.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%+v\nwant\n%+v", path, err, got, want)
		}
	}
	walk("", reflect.TypeFor[ticket.Ticket](), func(root reflect.Value) reflect.Value { return root })
	if len(seen) < 100 {
		t.Errorf("only %d fields were looked at", len(seen))
	}
}

// set makes v something that is not zero.
func set(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("\x00\xff")
	case reflect.Int, reflect.Int64:
		v.SetInt(-5)
	case reflect.Uint8:
		v.SetUint(200)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0)) // that it is not nil
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.Zero(v.Type().Elem()))
	default:
		t.Fatalf("%s: a %s is not known to this test", path, v.Type())
	}
}

// What it cannot write is an error, never something that is left out.
func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	for i, v := range []any{
		struct{ a int }{1},
		struct{ A any }{inner{}},
		struct{ A any }{[]int{1}},
		struct{ A any }{map[string]any{"x": make(chan int)}},
		struct{ A func() }{func() {}},
		struct{ A [2]int }{[2]int{1, 2}},
		struct{ A float64 }{1},
		struct{ A map[int]string }{map[int]string{1: ""}},
		struct{ A error }{errors.New("x")},
		struct{ A fmt.Stringer }{reflect.ValueOf(1)},
	} {
		if data, err := pack.Marshal(v); err == nil {
			t.Errorf("%d: %T is written as %q", i, v, data)
		}
	}
}

// nextThing is a thing of a later version: a type of the same name.
func nextThing() any {
	type thing struct{ A, C string }
	return new(thing)
}

// Bytes of a program whose types differ are refused, whatever they would give.
func TestOtherTypesAreRefused(t *testing.T) {
	type thing struct{ A, B string }
	data, err := pack.Marshal(thing{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	renamed := new(struct{ A, C string })
	longer := new(struct{ A, B, C string })
	type other struct{ A, B string }
	for _, to := range []any{renamed, longer, new(other), nextThing(), new(all), new(inner)} {
		if err := pack.Unmarshal(data, to); !errors.Is(err, pack.ErrOther) {
			t.Errorf("%T: %v", to, err)
		}
	}
	for cut := range data {
		if err := pack.Unmarshal(data[:cut], new(thing)); !errors.Is(err, pack.ErrOther) {
			t.Errorf("the first %d bytes: %v", cut, err)
		}
	}
	for _, at := range []int{len(data), len(data) - 8} {
		longer := append(append(append([]byte{}, data[:at]...), 0), data[at:]...)
		if err := pack.Unmarshal(longer, new(thing)); !errors.Is(err, pack.ErrOther) {
			t.Errorf("a byte more at %d: %v", at, err)
		}
	}
}

// FuzzUnmarshal: no bytes end it, or make it take more memory than they are
// good for; what is read is written again as something that is read the same.
func FuzzUnmarshal(f *testing.F) {
	for _, v := range []all{{}, {Flag: true, Text: "x", Inner: inner{B: []inner{{A: 1}}}, Input: map[string]any{"a": []any{nil, true, json.Number("1"), 1.5, map[string]any{}}}}} {
		data, err := pack.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, again all
		if pack.Unmarshal(data, &v) != nil {
			return
		}
		data, err := pack.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := pack.Unmarshal(data, &again); err != nil {
			t.Fatalf("%v: %+v", err, v)
		}
	})
}
