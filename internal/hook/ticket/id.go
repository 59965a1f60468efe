package ticket

import (
	"crypto/rand"
	"encoding/base32"
)

// letters are those of a name: what base32 writes.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// NewID returns a name that nobody can guess: 128 bits from the system.
func NewID() string {
	var b [16]byte
	if !quickly(b[:]) {
		_, _ = rand.Read(b[:]) // never fails: it ends the process where it would
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])
}
