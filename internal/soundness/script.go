package soundness

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Script is one piece of shell text to be checked.
type Script struct {
	// Name says where it comes from.
	Name string
	Text string
}

// Load reads the scripts of a folder: in files *.lines every line is one, in
// files *.blocks they stand below lines of the form "-- name --". Lines of
// *.lines that begin with # are comments.
func Load(dir fs.FS) ([]Script, error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	var out []Script
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if ext != ".lines" && ext != ".blocks" {
			continue
		}
		data, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return nil, err
		}
		stem := strings.TrimSuffix(e.Name(), ext)
		if ext == ".lines" {
			out = append(out, lines(stem, string(data))...)
		} else {
			out = append(out, blocks(stem, string(data))...)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no scripts found")
	}
	return out, nil
}

func lines(stem, text string) []Script {
	var out []Script
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		out = append(out, Script{fmt.Sprintf("%s:%d", stem, i+1), line})
	}
	return out
}

func blocks(stem, text string) []Script {
	var out []Script
	for _, line := range strings.SplitAfter(text, "\n") {
		if name, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(name, " --\n") {
			out = append(out, Script{Name: stem + ":" + strings.TrimSuffix(name, " --\n")})
			continue
		}
		if len(out) > 0 {
			out[len(out)-1].Text += line
		}
	}
	return out
}
