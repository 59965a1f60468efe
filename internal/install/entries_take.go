package install

import (
	"encoding/json"
	"strconv"

	"mayi/internal/jsonedit"
)

func (e entries) take(file string, text []byte, u undo) ([]byte, bool, error) {
	d, err := jsonedit.Parse(file, text)
	if err != nil {
		return nil, false, err
	}
	for _, w := range e.want {
		if !w.list {
			continue
		}
		whole, inner, _, err := e.mine(d, w.path)
		if err != nil {
			return nil, false, err
		}
		for i := len(inner) - 1; i >= 0; i-- {
			last := len(inner[i]) - 1
			k, _ := strconv.Atoi(inner[i][last])
			if err := d.RemoveElement(inner[i][:last], k); err != nil {
				return nil, false, err
			}
		}
		for i := len(whole) - 1; i >= 0; i-- {
			if err := d.RemoveElement(w.path, whole[i]); err != nil {
				return nil, false, err
			}
		}
	}
	if err := unset(d, u); err != nil {
		return nil, false, err
	}
	for _, w := range e.want {
		// One that was changed since is mayi's all the same.
		if e.single(d, w) != "" {
			if err := d.Remove(w.path...); err != nil {
				return nil, false, err
			}
		}
	}
	for i := len(u.Made) - 1; i >= 0; i-- {
		if d.Empty(u.Made[i]...) {
			if err := d.Remove(u.Made[i]...); err != nil {
				return nil, false, err
			}
		}
	}
	return d.Bytes(), d.Empty(), nil
}

// unset puts back the values that were set, where nobody has set another since.
func unset(d *jsonedit.Doc, u undo) error {
	for i := len(u.Set) - 1; i >= 0; i-- {
		s := u.Set[i]
		var now json.RawMessage
		if err := d.Get(&now, s.Path...); err != nil {
			return err
		}
		var was any
		if json.Unmarshal(s.New, &was) != nil || now == nil || !equal(now, was) {
			continue
		}
		if s.Old != nil {
			if err := d.Set(s.Path, s.Old); err != nil {
				return err
			}
			continue
		}
		if err := d.Remove(s.Path...); err != nil {
			return err
		}
	}
	return nil
}
