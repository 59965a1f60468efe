package config

// FromLookup is FromEnviron with another environment.
var FromLookup = fromEnviron

// KeyNames lists the documented keys with a fixed name.
func KeyNames() []string {
	var out []string
	for _, k := range keys() {
		out = append(out, k.path)
	}
	return out
}
