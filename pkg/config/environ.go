package config

import (
	"os"
	"strings"
)

// Environ is the process's environment as "NAME=value" and as a map: what the
// calls of an embedding program run in unless it says otherwise.
func Environ() ([]string, map[string]string) {
	list := os.Environ()
	byName := make(map[string]string, len(list))
	for _, e := range list {
		if k, v, ok := strings.Cut(e, "="); ok {
			byName[k] = v
		}
	}
	return list, byName
}
