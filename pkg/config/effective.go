package config

import "strings"

// LoadEffectiveSettings reads all layers and returns every documented key with
// the value that holds, nested as in a settings file. The error is that of
// [Load]; the map is good in either case.
func LoadEffectiveSettings(o Options) (map[string]any, error) {
	s, err := Load(o)
	return s.Effective(), err
}

// Effective returns every documented key with the value that holds, nested as
// in a settings file. A key without a value (maxExecutionMode that nobody set)
// is left out.
func (s *Settings) Effective() map[string]any {
	out := map[string]any{}
	put := func(names []string, v any) {
		at := out
		for _, n := range names[:len(names)-1] {
			sub, ok := at[n].(map[string]any)
			if !ok {
				sub = map[string]any{}
				at[n] = sub
			}
			at = sub
		}
		at[names[len(names)-1]] = v
	}
	for _, k := range keys() {
		if v := k.get(s); v != nil {
			put(strings.Split(k.path, "."), v)
		}
	}
	for name, kinds := range s.Tools.Effects {
		var words []string
		for _, want := range effectNames() {
			for _, k := range kinds {
				if effectWords()[want] == k {
					words = append(words, want)
					break
				}
			}
		}
		put([]string{"tools", name, "effects"}, words)
	}
	for name, entry := range s.Commands {
		put([]string{"commands", name}, entry)
	}
	return out
}
