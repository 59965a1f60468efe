package pack

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// maxDepth bounds how deep values lie in one another: no type here is half as
// deep, and JSON's decoder stops there.
const maxDepth = 10_100

type reader struct {
	b     []byte
	types types
	depth int
}

func (r *reader) value(v reflect.Value) error {
	if r.depth++; r.depth > maxDepth {
		return ErrOther
	}
	defer func() { r.depth-- }()
	switch v.Kind() {
	case reflect.Bool:
		set, err := r.bit()
		v.SetBool(set)
		return err
	case reflect.String:
		s, err := r.text()
		v.SetString(s)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(r.b)
		if size <= 0 || v.OverflowInt(n) {
			return ErrOther
		}
		r.b = r.b[size:]
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := r.number()
		if err != nil || v.OverflowUint(n) {
			return ErrOther
		}
		v.SetUint(n)
	case reflect.Struct:
		return r.structure(v)
	case reflect.Slice:
		return r.list(v)
	case reflect.Map:
		return r.table(v)
	case reflect.Pointer:
		set, err := r.bit()
		if err != nil || !set {
			return err
		}
		v.Set(reflect.New(v.Type().Elem()))
		return r.value(v.Elem())
	case reflect.Interface:
		if v.NumMethod() > 0 {
			return fmt.Errorf("%s cannot be read", v.Type())
		}
		x, err := r.json()
		if err == nil && x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return err
	default:
		return fmt.Errorf("%s cannot be read", v.Type())
	}
	return nil
}

func (r *reader) number() (uint64, error) {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		return 0, ErrOther
	}
	r.b = r.b[size:]
	return n, nil
}

func (r *reader) byte() (byte, error) {
	if len(r.b) == 0 {
		return 0, ErrOther
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b, nil
}

func (r *reader) bit() (bool, error) {
	b, err := r.byte()
	if err == nil && b > 1 {
		err = ErrOther
	}
	return b == 1, err
}

// take takes n bytes off.
func (r *reader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)) {
		return nil, ErrOther
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part, nil
}

func (r *reader) text() (string, error) {
	n, err := r.number()
	if err != nil {
		return "", err
	}
	part, err := r.take(n)
	return string(part), err
}

// count is the length of a list or map, -1 for nil. Each element has a byte at
// least, so that there are not more than bytes.
func (r *reader) count() (int, error) {
	n, err := r.number()
	if err != nil || n > uint64(len(r.b))+1 {
		return 0, ErrOther
	}
	return int(n) - 1, nil
}

func (r *reader) structure(v reflect.Value) error {
	n, err := r.types.fields(v.Type())
	if err != nil {
		return err
	}
	set, err := r.number()
	if err != nil || n < maxFields && set>>n != 0 {
		return ErrOther
	}
	for i := range n {
		if set&(1<<i) == 0 {
			continue
		}
		if err := r.value(v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) list(v reflect.Value) error {
	n, err := r.count()
	if err != nil || n < 0 {
		return err
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		part, err := r.take(uint64(n))
		if err == nil {
			v.SetBytes(append([]byte{}, part...))
		}
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, min(n, 64))) // a length alone is no reason to take memory
	for i := range n {
		if i == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(i + 1)
		if err := r.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) table(v reflect.Value) error {
	n, err := r.count()
	if err != nil || n < 0 {
		return err
	}
	t := v.Type()
	v.Set(reflect.MakeMapWithSize(t, min(n, 64)))
	for range n {
		name, err := r.text()
		if err != nil {
			return err
		}
		x := reflect.New(t.Elem()).Elem()
		if err := r.value(x); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), x)
	}
	if v.Len() != n {
		return ErrOther
	}
	return nil
}

func (r *reader) json() (any, error) {
	kind, err := r.byte()
	if err != nil {
		return nil, err
	}
	switch kind {
	case isNil:
		return nil, nil
	case isFalse, isTrue:
		return kind == isTrue, nil
	case isText:
		return r.text()
	case isNumber:
		s, err := r.text()
		return json.Number(s), err
	case isFloat:
		part, err := r.take(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(part)), nil
	case isList:
		var list []any
		err := r.value(reflect.ValueOf(&list).Elem())
		return list, err
	case isObject:
		var object map[string]any
		err := r.value(reflect.ValueOf(&object).Elem())
		return object, err
	}
	return nil, ErrOther
}
