package proxy

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"strings"

	"mayi/internal/acp/facts"
	"mayi/pkg/workspace"
)

// mostFile is the largest file, in bytes, whose change is followed.
const mostFile = 8 << 20

// fileState is a file at one moment. The zero value is one that could not be
// read.
type fileState struct {
	known  bool
	exists bool
	sum    [sha256.Size]byte
}

// filesOf are the files that the changes are of, as they are now, by their names
// in the changes; of very many the first ones.
func filesOf(diffs []facts.Diff) map[string]fileState {
	out := map[string]fileState{}
	for _, d := range diffs {
		if _, done := out[d.Path]; !done && d.Old != nil && len(out) < mostPasses {
			_, out[d.Path] = contentOf(d.Path)
		}
	}
	return out
}

// contentOf reads a file by any name.
func contentOf(name string) (string, fileState) {
	real, err := workspace.Canonical(name)
	if err != nil {
		return "", fileState{}
	}
	data, err := workspace.ReadFile(real, mostFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fileState{known: true}
	case err != nil:
		return "", fileState{}
	}
	return string(data), fileState{known: true, exists: true, sum: sha256.Sum256(data)}
}

// shows reports whether the person was shown that this becomes the content of the
// file: as a whole, or as what the shown changes make of the file, which has to be
// as it was then.
func (one pass) shows(content string) bool {
	var of []facts.Diff
	for _, d := range one.diffs {
		if d.Path == one.path {
			of = append(of, d)
		}
	}
	if len(of) == 1 && of[0].Old == nil {
		return content == of[0].New
	}
	now, state := contentOf(one.path)
	if len(of) == 0 || !state.known || state != one.before {
		return false
	}
	want, ok := apply(of, now)
	return ok && content == want
}

// apply makes the changes in their order. False where one of them does not say
// exactly where it is made.
func apply(diffs []facts.Diff, text string) (string, bool) {
	for _, d := range diffs {
		if d.Old == nil {
			return "", false
		}
		old := *d.Old
		switch at := strings.Index(text, old); {
		case text == old:
			text = d.New
		case old == "" || at < 0 || at != strings.LastIndex(text, old):
			return "", false
		default:
			text = text[:at] + d.New + text[at+len(old):]
		}
	}
	return text, true
}
