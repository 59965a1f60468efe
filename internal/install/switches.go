package install

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mayi/internal/hook"
	"mayi/internal/jsonedit"
)

// switchedOff finds the files that set the switch at path to off.
func switchedOff(off bool, path []string, files ...string) []string {
	var out []string
	for _, file := range files {
		d := readJSON(file)
		if d == nil {
			continue
		}
		var v any
		if d.Get(&v, path...) == nil && v == off {
			out = append(out, fmt.Sprintf("%s says %s = %t: the agent runs no hooks here", file, strings.Join(path, "."), off))
		}
	}
	return out
}

// listedOff finds the files that have the hook's name in a list of those that
// do not run.
func listedOff(name string, path []string, files ...string) []string {
	var out []string
	for _, file := range files {
		d := readJSON(file)
		if d == nil {
			continue
		}
		var list []string
		if d.Get(&list, path...) != nil {
			continue
		}
		for _, s := range list {
			if s == name || strings.Contains(s, "mayi") {
				out = append(out, fmt.Sprintf("%s has %q in %s: the agent does not run mayi's hook", file, s, strings.Join(path, ".")))
			}
		}
	}
	return out
}

// readJSON reads a settings file, nil where that cannot be done: the agent does
// not read it either.
func readJSON(file string) *jsonedit.Doc {
	text, _, err := readFile(file)
	if err != nil || text == nil {
		return nil
	}
	d, err := jsonedit.Parse(file, text)
	if err != nil {
		return nil
	}
	return d
}

// seconds is the time limit to write into an agent's settings. The hook gives
// its last answer before.
func seconds(agent string) int { return int(hook.Limit(agent) / time.Second) }

func itoa(n int) string { return strconv.Itoa(n) }
