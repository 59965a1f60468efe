package pack

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

type writer struct {
	b     []byte
	types types
}

func (w *writer) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		w.bit(v.Bool())
	case reflect.String:
		w.text(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.b = binary.AppendVarint(w.b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.b = binary.AppendUvarint(w.b, v.Uint())
	case reflect.Struct:
		return w.structure(v)
	case reflect.Slice:
		return w.list(v)
	case reflect.Map:
		return w.table(v)
	case reflect.Pointer:
		w.bit(!v.IsNil())
		if !v.IsNil() {
			return w.value(v.Elem())
		}
	case reflect.Interface:
		if v.NumMethod() > 0 {
			return fmt.Errorf("%s cannot be written", v.Type())
		}
		return w.json(v.Interface())
	default:
		return fmt.Errorf("%s cannot be written", v.Type())
	}
	return nil
}

func (w *writer) bit(set bool) {
	if set {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

func (w *writer) count(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *writer) text(s string) {
	w.count(len(s))
	w.b = append(w.b, s...)
}

func (w *writer) structure(v reflect.Value) error {
	n, err := w.types.fields(v.Type())
	if err != nil {
		return err
	}
	var set uint64
	for i := range n {
		if !v.Field(i).IsZero() {
			set |= 1 << i
		}
	}
	w.b = binary.AppendUvarint(w.b, set)
	for i := range n {
		if set&(1<<i) == 0 {
			continue
		}
		if err := w.value(v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) list(v reflect.Value) error {
	if v.IsNil() {
		w.count(0)
		return nil
	}
	w.count(v.Len() + 1)
	if v.Type().Elem().Kind() == reflect.Uint8 {
		w.b = append(w.b, v.Bytes()...)
		return nil
	}
	for i := range v.Len() {
		if err := w.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) table(v reflect.Value) error {
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("%s cannot be written", v.Type())
	}
	if v.IsNil() {
		w.count(0)
		return nil
	}
	w.count(v.Len() + 1)
	for it := v.MapRange(); it.Next(); {
		w.text(it.Key().String())
		if err := w.value(it.Value()); err != nil {
			return err
		}
	}
	return nil
}

// What an interface can hold.
const (
	isNil = iota
	isFalse
	isTrue
	isText
	isNumber // as it was written
	isFloat
	isList
	isObject
)

func (w *writer) json(v any) error {
	switch v := v.(type) {
	case nil:
		w.b = append(w.b, isNil)
	case bool:
		if v {
			w.b = append(w.b, isTrue)
		} else {
			w.b = append(w.b, isFalse)
		}
	case string:
		w.b = append(w.b, isText)
		w.text(v)
	case json.Number:
		w.b = append(w.b, isNumber)
		w.text(string(v))
	case float64:
		w.b = binary.LittleEndian.AppendUint64(append(w.b, isFloat), math.Float64bits(v))
	case []any:
		w.b = append(w.b, isList)
		return w.list(reflect.ValueOf(v))
	case map[string]any:
		w.b = append(w.b, isObject)
		return w.table(reflect.ValueOf(v))
	default:
		return fmt.Errorf("%T cannot be written", v)
	}
	return nil
}
