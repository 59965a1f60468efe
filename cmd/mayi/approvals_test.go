package main

import (
	"testing"

	"mayi/pkg/approval"
)

// TestAnAnswerIsForOneQuestion: a beginning that fits two is none.
func TestAnAnswerIsForOneQuestion(t *testing.T) {
	open := []approval.Question{{ID: "ABCD1"}, {ID: "ABCD2"}, {ID: "EFGH1"}, {ID: "ABCD"}}
	for id, want := range map[string]string{
		"ABCD1": "ABCD1", "EFGH": "EFGH1", "ABCD": "ABCD", "ABC": "", "EFG": "", "": "", "XXXX": "",
	} {
		q, err := pick(open, id)
		if q.ID != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", id, q.ID, err)
		}
	}
	if q, err := pick(open[:2], "ABCD"); err == nil {
		t.Errorf("one of two was taken: %q", q.ID)
	}
}
