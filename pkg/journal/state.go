package journal

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mayi/pkg/journal/entry"
)

// State is what the head file says: where the log ends, and where that end is
// kept. It is written in place, in one sector, so that it is the old or the new
// one whatever happens.
type State struct {
	// ID is the log's identity, Seq the number of its records, Hash the last
	// one's hash.
	ID   string
	Seq  int64
	Hash string
	// Base is how many records are in the database; the journal has the rest,
	// from its offset Start on, up to Size.
	Base, Start, Size int64
	// Synced is up to which record a loss of power cannot take them, Boot the
	// run of the machine in which those behind it were written.
	Synced int64
	Boot   string
}

// stateSize is the size of the head file in bytes: one sector.
const stateSize = 512

const stateTitle = "mayi log head 1\n"

// encode returns the head file's content.
func (s State) encode(k Key) []byte {
	b := make([]byte, 0, stateSize)
	b = append(b, stateTitle...)
	b = append(append(append(b, "id "...), s.ID...), '\n')
	for _, f := range []struct {
		name string
		n    int64
	}{{"seq ", s.Seq}, {"base ", s.Base}, {"start ", s.Start}, {"size ", s.Size}, {"synced ", s.Synced}} {
		b = append(strconv.AppendInt(append(b, f.name...), f.n, 10), '\n')
	}
	b = append(append(append(b, "hash "...), s.Hash...), '\n')
	b = append(append(append(b, "boot "...), s.Boot...), '\n')
	b = append(k.code(append(b, "code "...), "head\n", b), '\n')
	return append(b, bytes.Repeat([]byte{'\n'}, stateSize-len(b))...)
}

// decodeState reads the head file's content. Without a key it does not check
// the code.
func decodeState(data []byte, k Key) (State, error) {
	var s State
	if len(data) != stateSize {
		return s, errors.New("it is no head of an audit log")
	}
	rest := string(data[len(stateTitle):])
	next := func(name string) string {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		value, _ := strings.CutPrefix(line, name)
		return value
	}
	s.ID = next("id ")
	for _, f := range []struct {
		name string
		to   *int64
	}{{"seq ", &s.Seq}, {"base ", &s.Base}, {"start ", &s.Start}, {"size ", &s.Size}, {"synced ", &s.Synced}} {
		n, err := strconv.ParseInt(next(f.name), 10, 64)
		if err != nil || n < 0 {
			return s, fmt.Errorf("its number %smakes no sense", f.name)
		}
		*f.to = n
	}
	s.Hash, s.Boot = next("hash "), next("boot ")
	if !validID(s.ID) || len(s.Hash) != len(entry.NoHash) || len(s.Boot) > 64 || s.Base > s.Seq || s.Start > s.Size || s.Synced > s.Seq {
		return s, errors.New("its numbers make no sense")
	}
	// The very bytes that were written are wanted, padding included.
	if k.Private != "" && !bytes.Equal(s.encode(k), data) {
		return s, errors.New("its code is not by this log's key")
	}
	return s, nil
}

// validID reports whether s can be a log's identity: letters and digits.
func validID(s string) bool {
	for _, c := range s {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
