// Package pack writes a value of plain data as bytes and reads it again, for a
// process that lives for milliseconds: JSON works out how a type is written
// before it writes the first one, which takes longer than everything else.
//
// The form is for the same program a little later, and for nobody else. Which
// fields there are is taken from the types themselves, so that none can be
// left out, and is part of what is written: bytes of a program whose types
// differ are refused. What it cannot write is an error: unexported fields,
// interfaces that hold something that is no JSON, channels, functions.
//
//	struct  a bit for each field that is not zero, then those fields
//	text, list, map  the length plus one, 0 for nil (a text's without the one)
//	number  a varint; a pointer, a bool or nil before what it points to
package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// title begins what is written.
const title = "mayi pack 1\n"

// sumSize is the size in bytes of what stands at the end for the types.
const sumSize = 8

// maxFields is how many fields a struct can have.
const maxFields = 64

// ErrOther says that the bytes are of a program with other types, or damaged.
var ErrOther = errors.New("it was written by another version, or is damaged")

// types sums up the struct types that a value was made of, in the order in
// which they were first met.
type types struct {
	seen []reflect.Type
	sum  uint64
}

// fields is how many fields the struct type has.
func (t *types) fields(of reflect.Type) (int, error) {
	n := of.NumField()
	if slices.Contains(t.seen, of) {
		return n, nil
	}
	if n > maxFields {
		return 0, fmt.Errorf("%s has more than %d fields", of, maxFields)
	}
	t.seen = append(t.seen, of)
	t.add(of.String())
	for i := range n {
		f := of.Field(i)
		if !f.IsExported() {
			return 0, fmt.Errorf("%s has the field %s, which is not exported", of, f.Name)
		}
		t.add(f.Name)
		t.add(f.Type.String())
	}
	return n, nil
}

// add mixes a text and its end in (FNV-1a).
func (t *types) add(s string) {
	const offset, prime = 14695981039346656037, 1099511628211
	if t.sum == 0 {
		t.sum = offset
	}
	for i := range len(s) {
		t.sum = (t.sum ^ uint64(s[i])) * prime
	}
	t.sum = (t.sum ^ 0xff) * prime
}

// Marshal returns v, a struct, as bytes.
func Marshal(v any) ([]byte, error) {
	w := writer{b: append(make([]byte, 0, 2<<10), title...)}
	if err := w.value(reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint64(w.b, w.types.sum), nil
}

// Unmarshal reads what [Marshal] wrote into the zero value that to points to.
// Its error wraps [ErrOther] where the bytes cannot be of this program; what to
// points to is of no use then.
func Unmarshal(data []byte, to any) error {
	n := len(data) - sumSize
	if n < len(title) || string(data[:len(title)]) != title {
		return ErrOther
	}
	v := reflect.ValueOf(to)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return errors.New("pack: not a pointer")
	}
	r := reader{b: data[len(title):n]}
	if err := r.value(v.Elem()); err != nil {
		return err
	}
	if len(r.b) > 0 || r.types.sum != binary.LittleEndian.Uint64(data[n:]) {
		return ErrOther
	}
	return nil
}
