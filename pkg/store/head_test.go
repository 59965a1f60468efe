package store

import (
	"crypto/rand"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"mayi/pkg/journal/entry"
)

const zeroHash = entry.NoHash

func testKey(t testing.TB) (string, *keyring) {
	t.Helper()
	private, _, err := note.GenerateKey(rand.Reader, keyName)
	if err != nil {
		t.Fatal(err)
	}
	key, err := keyOf(private)
	if err != nil {
		t.Fatal(err)
	}
	return private, key
}

func testRow(i int) *entry.Row {
	return entry.NewRow(Record{Event: "begin", Text: fmt.Sprint("echo ", i)}, entry.NewMasker())
}

func signed(t testing.TB, key *keyring, h head) string {
	t.Helper()
	s, err := key.sign(h)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHeadsAreReadAsTheyWereSigned(t *testing.T) {
	_, key := testKey(t)
	_, other := testKey(t)
	h := head{id: "ID", seq: 7, hash: zeroHash}
	text := signed(t, key, h)
	if got, err := key.open(text); err != nil || got != h {
		t.Errorf("open = %+v, %v", got, err)
	}
	if got, err := openSigned(text, key.public); err != nil || got != h {
		t.Errorf("openSigned = %+v, %v", got, err)
	}
	if _, err := other.open(text); err == nil {
		t.Error("another key opens it")
	}
	for i := range text {
		bad := []byte(text)
		bad[i] ^= 1
		if _, err := key.open(string(bad)); err == nil {
			t.Fatalf("byte %d was changed, and it opens", i)
		}
	}
}
