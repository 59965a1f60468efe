package journal

import (
	"os"
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	path := fresh(t)
	l := At(path)
	if l.MayRemember("s") {
		t.Error("a session remembers something without a database")
	}
	os.MkdirAll(path[:len(path)-len("/mayi.db")], 0o700)
	put(t, path, []byte("x"))
	if !l.MayRemember("s") {
		t.Error("without a stamp a missing mark means something")
	}
	m := NewMarks(path)
	odd := []string{"s", "", "../../etc", "a/b", strings.Repeat("long", 500), "nul\x00", "\xff", "complete-"}
	for _, s := range odd {
		if err := m.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	if !l.MayRemember("other") {
		t.Error("without a stamp a missing mark means something")
	}
	if err := m.Finish(); err != nil {
		t.Fatal(err)
	}
	if !m.Complete() {
		t.Skip("database files cannot be told apart here")
	}
	if l.MayRemember("other") {
		t.Error("a session without a mark may remember something")
	}
	for _, s := range odd {
		if !l.MayRemember(s) {
			t.Errorf("the mark of %q is not seen", s)
		}
	}
	if err := m.Keep([]string{"a/b"}); err != nil {
		t.Fatal(err)
	}
	if l.MayRemember("s") || !l.MayRemember("a/b") || !m.Complete() {
		t.Error("the wrong marks were kept")
	}
	// Another file in the database's place is another database.
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	put(t, path, []byte("x"))
	if !l.MayRemember("s") {
		t.Error("the marks are taken for those of another file")
	}
	if err := m.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := m.Keep(nil); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(m.folder()); err != nil || len(list) != 1 {
		t.Errorf("what does not count any more was left: %v %v", list, err)
	}
}

func TestMarksThatCannotBeRead(t *testing.T) {
	path := fresh(t)
	os.MkdirAll(path[:len(path)-len("/mayi.db")], 0o700)
	put(t, path, []byte("x"))
	put(t, path+".sessions", []byte("a file"))
	if !At(path).MayRemember("s") {
		t.Error("marks that cannot be read say that there are no answers")
	}
	if NewMarks(path).Set("s") == nil || NewMarks(path).Finish() == nil {
		t.Error("a mark was made in a file")
	}
}
