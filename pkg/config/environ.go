package config

import (
	"os"
	"strings"
)

// Environ is the process's environment as "NAME=value" and by name: what the
// calls of an embedding program run in unless it says otherwise.
func Environ() ([]string, map[string]string) {
	list := os.Environ()
	return list, ByName(list)
}

// ByName sorts an environment of "NAME=value" by name.
func ByName(list []string) map[string]string {
	out := make(map[string]string, len(list))
	for _, e := range list {
		if k, v, ok := strings.Cut(e, "="); ok {
			out[k] = v
		}
	}
	return out
}
