package journal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"mayi/internal/filelock"
)

// Key vouches for lines and ends with a code that only its holder can compute.
// It is derived from the log's signing key: making a signature costs a fresh
// process a millisecond, and whoever can read the one can read the other. The
// zero Key vouches for nothing.
type Key struct {
	// Private is the signing key's text form, with which the database's side
	// signs what a person may keep elsewhere.
	Private string
	mac     [sha256.Size]byte
}

// keyName is the name in the signing key.
const keyName = "mayi"

func keyFile(path string) string { return path + ".key" }

// loadKey reads the log's key. Its error is fs.ErrNotExist where there is none.
func loadKey(path string) (Key, error) {
	f, err := filelock.Open(keyFile(path), os.O_RDONLY)
	if err != nil {
		return Key{}, err
	}
	defer f.Close()
	data, err := readSmall(f)
	if err != nil {
		return Key{}, err
	}
	private := strings.TrimSpace(string(data))
	if private == "" {
		return Key{}, errors.New("the key file is empty")
	}
	return keyOf(private), nil
}

func keyOf(private string) Key {
	return Key{Private: private, mac: sha256.Sum256([]byte("mayi audit code\n" + private))}
}

func newKey() (Key, error) {
	private, _, err := note.GenerateKey(rand.Reader, keyName)
	return keyOf(private), err
}

// code appends the code for data, which is of the given kind, to b.
func (k Key) code(b []byte, kind string, data []byte) []byte {
	m := hmac.New(sha256.New, k.mac[:])
	m.Write([]byte(kind))
	m.Write(data)
	return hex.AppendEncode(b, m.Sum(nil))
}

// checks reports whether code is the one for data.
func (k Key) checks(code, data []byte, kind string) bool {
	return k.Private != "" && hmac.Equal(code, k.code(nil, kind, data))
}
