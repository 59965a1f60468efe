package knowledge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scan walks over JSON text and builds only what is asked for: a process that
// decides one call reads an entry once, and mostly steps over it. It expects
// text that is JSON (see [whole]); what is not ends the walk with an error,
// after which every method returns zero values.
type scan struct {
	text []byte
	at   int
	err  error
}

// whole returns the one JSON value that data consists of.
func whole(data []byte) (json.RawMessage, error) {
	var raw json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&raw); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the entry")
	}
	return raw, nil
}

// fail ends the walk; the first reason stays.
func (s *scan) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
	s.at = len(s.text)
}

// next steps over blanks and returns the byte that follows, 0 at the end.
func (s *scan) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// is steps over the punctuation c if that is what follows.
func (s *scan) is(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// null steps over null, which leaves a field as it is.
func (s *scan) null() bool {
	if s.next() != 'n' {
		return false
	}
	s.skip()
	return true
}

// members calls f for every member of the object that follows; f has to read
// the value. The key is only valid during the call.
func (s *scan) members(f func(key []byte)) {
	if s.null() {
		return
	}
	if !s.is('{') {
		s.fail("an object is expected")
		return
	}
	for first := true; !s.is('}'); first = false {
		if s.err != nil || !first && !s.is(',') {
			s.fail("the object does not end")
			return
		}
		key := s.bytes()
		if !s.is(':') {
			s.fail("a colon is missing after %q", key)
			return
		}
		f(key)
	}
}

// elements calls f for every element of the list that follows.
func (s *scan) elements(f func()) {
	if s.null() {
		return
	}
	if !s.is('[') {
		s.fail("a list is expected")
		return
	}
	for first := true; !s.is(']'); first = false {
		if s.err != nil || !first && !s.is(',') {
			s.fail("the list does not end")
			return
		}
		f()
	}
}

// bytes reads a string, without a copy where it stands there as it is.
func (s *scan) bytes() []byte {
	if s.next() != '"' {
		s.fail("a text is expected")
		return nil
	}
	from := s.at
	if !s.quoted() {
		return nil
	}
	lit := s.text[from:s.at]
	if bytes.IndexByte(lit, '\\') < 0 && utf8.Valid(lit) {
		return lit[1 : len(lit)-1]
	}
	var out string
	if err := json.Unmarshal(lit, &out); err != nil {
		s.fail("%w", err)
	}
	return []byte(out)
}

// quoted steps over the string that begins here.
func (s *scan) quoted() bool {
	end := quoteEnd(s.text, s.at)
	if end < 0 {
		s.fail("a text does not end")
		return false
	}
	s.at = end
	return true
}

// quoteEnd is the end of the string that begins at from, -1 where it has none.
func quoteEnd(text []byte, from int) int {
	for i := from + 1; i < len(text); i++ {
		k := bytes.IndexByte(text[i:], '"')
		if k < 0 {
			return -1
		}
		i += k
		n := i
		for n > from+1 && text[n-1] == '\\' {
			n--
		}
		if (i-n)%2 == 0 {
			return i + 1
		}
	}
	return -1
}

// str reads a string.
func (s *scan) str() string {
	if s.null() {
		return ""
	}
	return string(s.bytes())
}

// strs reads a list of strings, nil for null.
func (s *scan) strs() []string {
	if s.null() {
		return nil
	}
	out := []string{}
	s.elements(func() { out = append(out, s.str()) })
	return out
}

// truth reads true or false.
func (s *scan) truth() bool {
	switch word := s.skip(); string(word) {
	case "true":
		return true
	case "false", "null":
	default:
		s.fail("%s is neither true nor false", word)
	}
	return false
}

// number reads a whole number.
func (s *scan) number() int {
	n, err := strconv.Atoi(string(s.skip()))
	if err != nil {
		s.fail("%w", err)
	}
	return n
}

// skip steps over the value that follows and returns its text.
func (s *scan) skip() []byte {
	first := s.next()
	from := s.at
	switch first {
	case '"':
		s.quoted()
	case '{', '[':
		s.nested()
	default:
		for s.at < len(s.text) && bytes.IndexByte([]byte(",:]} \t\r\n"), s.text[s.at]) < 0 {
			s.at++
		}
	}
	if s.at == from {
		s.fail("a value is expected")
	}
	if s.err != nil {
		return nil
	}
	return s.text[from:s.at]
}

// nested steps over the object or list that begins here.
func (s *scan) nested() {
	text, at, depth := s.text, s.at, 0
	for at < len(text) {
		switch text[at] {
		case '"':
			if at = quoteEnd(text, at); at < 0 {
				s.fail("a text does not end")
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.at = at + 1
				return
			}
		}
		at++
	}
	s.fail("an object or a list does not end")
}

// find returns the value in an object of the first key that has name among its
// words, and that key; nil where there is none.
func find(object []byte, name string) (key string, value json.RawMessage) {
	s := &scan{text: object}
	s.members(func(k []byte) {
		raw := s.skip()
		if value == nil && hasWord(k, name) {
			key, value = string(k), raw
			s.at = len(s.text) // the rest does not matter
		}
	})
	return key, value
}

// hasWord reports whether name is one of the words of list.
func hasWord(list []byte, name string) bool {
	return bytes.Contains(list, []byte(name)) && slices.Contains(strings.Fields(string(list)), name)
}

// empty reports whether an object has no members.
func empty(object []byte) bool {
	s := &scan{text: object}
	return !s.is('{') || s.is('}')
}
