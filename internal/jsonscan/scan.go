// Package jsonscan reads JSON without building what nobody asks for: a process
// that decides one call reads each of its data files once, and mostly steps over
// them. Decoding by reflection takes longer than the decision.
package jsonscan

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
	"unsafe"
)

// Scanner walks over JSON text. It expects text that is JSON (see [Whole]); what
// is not ends the walk with an error, after which every method returns zero
// values. Not safe for concurrent use.
type Scanner struct {
	text []byte
	at   int
	err  error
	// stopped: the walk ended because nothing more was asked for.
	stopped bool
}

// New returns a scanner at the beginning of text, which nobody may change
// afterwards: what is read from it shares its bytes.
func New(text []byte) *Scanner { return &Scanner{text: text} }

// Err says why the walk ended before the text did, nil where it did not.
func (s *Scanner) Err() error { return s.err }

// Whole returns the one JSON value that data consists of.
func Whole(data []byte) (json.RawMessage, error) {
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

// Stop ends the walk where the rest does not matter.
func (s *Scanner) Stop() { s.at, s.stopped = len(s.text), true }

// Fail ends the walk with an error; the first one stays.
func (s *Scanner) Fail(format string, args ...any) {
	if s.err == nil && !s.stopped {
		s.err = fmt.Errorf(format, args...)
	}
	s.at = len(s.text)
}

// next steps over blanks and returns the byte that follows, 0 at the end.
func (s *Scanner) next() byte {
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
func (s *Scanner) is(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// Null steps over null, which leaves a field as it is.
func (s *Scanner) Null() bool {
	if s.next() != 'n' {
		return false
	}
	s.Skip()
	return true
}

// Members calls f for every member of the object that follows; f has to read
// the value. The key is only valid during the call.
func (s *Scanner) Members(f func(key []byte)) {
	if s.Null() {
		return
	}
	if !s.is('{') {
		s.Fail("an object is expected")
		return
	}
	for first := true; !s.is('}'); first = false {
		if s.err != nil || !first && !s.is(',') {
			s.Fail("the object does not end")
			return
		}
		key := s.Bytes()
		if !s.is(':') {
			s.Fail("a colon is missing after %q", key)
			return
		}
		f(key)
	}
}

// Elements calls f for every element of the list that follows.
func (s *Scanner) Elements(f func()) {
	if s.Null() {
		return
	}
	if !s.is('[') {
		s.Fail("a list is expected")
		return
	}
	for first := true; !s.is(']'); first = false {
		if s.err != nil || !first && !s.is(',') {
			s.Fail("the list does not end")
			return
		}
		f()
	}
}

// Bytes reads a string, without a copy where it stands there as it is.
func (s *Scanner) Bytes() []byte {
	if s.next() != '"' {
		s.Fail("a text is expected")
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
		s.Fail("%w", err)
	}
	return []byte(out)
}

// quoted steps over the string that begins here.
func (s *Scanner) quoted() bool {
	end := quoteEnd(s.text, s.at)
	if end < 0 {
		s.Fail("a text does not end")
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

// Str reads a string.
func (s *Scanner) Str() string {
	if s.Null() {
		return ""
	}
	b := s.Bytes()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Strs reads a list of strings, nil for null.
func (s *Scanner) Strs() []string {
	if s.Null() {
		return nil
	}
	out := []string{}
	s.Elements(func() { out = append(out, s.Str()) })
	return out
}

// Truth reads true or false.
func (s *Scanner) Truth() bool {
	switch word := s.Skip(); string(word) {
	case "true":
		return true
	case "false", "null":
	default:
		s.Fail("%s is neither true nor false", word)
	}
	return false
}

// Number reads a whole number.
func (s *Scanner) Number() int {
	n, err := strconv.Atoi(string(s.Skip()))
	if err != nil {
		s.Fail("%w", err)
	}
	return n
}

// Skip steps over the value that follows and returns its text.
func (s *Scanner) Skip() []byte {
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
		s.Fail("a value is expected")
	}
	if s.err != nil {
		return nil
	}
	return s.text[from:s.at]
}

// Rest ends the walk and returns what follows, not stepped over: for a value
// that is known to be the last one, and is read by a scanner of its own, which
// takes no notice of what stands after it.
func (s *Scanner) Rest() []byte {
	s.next()
	rest := s.text[s.at:]
	s.Stop()
	return rest
}

// nested steps over the object or list that begins here.
func (s *Scanner) nested() {
	text, at, depth := s.text, s.at, 0
	for at < len(text) {
		switch text[at] {
		case '"':
			if at = quoteEnd(text, at); at < 0 {
				s.Fail("a text does not end")
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
	s.Fail("an object or a list does not end")
}

// Find returns the value in an object of the first key that has name among its
// words, and that key; nil where there is none.
func Find(object []byte, name string) (key string, value json.RawMessage) {
	s := New(object)
	s.Members(func(k []byte) {
		raw := s.Skip()
		if value == nil && HasWord(k, name) {
			key, value = string(k), raw
			s.Stop()
		}
	})
	return key, value
}

// HasWord reports whether name is one of the words of list.
func HasWord(list []byte, name string) bool {
	return bytes.Contains(list, []byte(name)) && slices.Contains(strings.Fields(string(list)), name)
}

// Empty reports whether an object has no members.
func Empty(object []byte) bool {
	s := New(object)
	return !s.is('{') || s.is('}')
}

// Object reads text that is one object, by a function that reads the value of
// one key and returns false where there is no such key, which is an error.
func Object(text []byte, read func(s *Scanner, key []byte) bool) error {
	s := New(text)
	s.Object(read)
	return s.err
}

// Object is [Object] for the object that follows.
func (s *Scanner) Object(read func(s *Scanner, key []byte) bool) {
	s.Members(func(key []byte) {
		if !read(s, key) {
			s.Fail("unknown key %q", key)
		} else if s.err != nil {
			s.err = fmt.Errorf("%s: %w", key, s.err)
		}
	})
}
