package store

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"mayi/pkg/journal/entry"
)

// A head is a signed statement about the log's end: the log's identity, the
// number of records, the last one's hash. One stands in the database, written
// with each record there; what the head file beside it says ([journal.State])
// goes as far as the journal. So cutting off the end of the log needs both to
// be forged, and a record that nobody wrote is told from one that was slipped in.
//
// Whoever can read the key can sign anything. A head that was copied to
// another place ([VerifyOptions.Head]) holds even then.
type head struct {
	id   string
	seq  int64
	hash string
}

const headTitle = "mayi audit log"

func (h head) text() string {
	return fmt.Sprintf("%s\n%s\n%d\n%s\n", headTitle, h.id, h.seq, h.hash)
}

func parseHead(text string) (head, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 5 || lines[0] != headTitle || lines[4] != "" {
		return head{}, errors.New("it is no head of an audit log")
	}
	seq, err := strconv.ParseInt(lines[2], 10, 64)
	if err != nil || seq < 0 || strconv.FormatInt(seq, 10) != lines[2] || len(lines[3]) != len(entry.NoHash) {
		return head{}, errors.New("its numbers make no sense")
	}
	return head{id: lines[1], seq: seq, hash: lines[3]}, nil
}

// keyring signs and checks heads.
type keyring struct {
	signer note.Signer
	known  note.Verifiers
	public string
	// private is the text that all of it was derived from.
	private string
}

func (k *keyring) sign(h head) (string, error) {
	msg, err := note.Sign(&note.Note{Text: h.text()}, k.signer)
	return string(msg), err
}

func (k *keyring) open(signed string) (head, error) {
	n, err := note.Open([]byte(signed), k.known)
	if err != nil {
		return head{}, fmt.Errorf("its signature is not by this log's key: %w", err)
	}
	h, err := parseHead(n.Text)
	if err != nil || k.signer == nil {
		return h, err
	}
	// A note may carry more than the signature that counts, and base64 has
	// bits that nobody reads. The very bytes that were written are wanted.
	if again, err := k.sign(h); err != nil || again != signed {
		return head{}, errors.New("it is not byte for byte what was signed")
	}
	return h, nil
}

// openSigned checks a head against a public key.
func openSigned(signed, public string) (head, error) {
	v, err := note.NewVerifier(public)
	if err != nil {
		return head{}, fmt.Errorf("the public key cannot be read: %w", err)
	}
	k := keyring{known: note.VerifierList(v)}
	return k.open(signed)
}

const keyName = "mayi"

// keyOf derives the keyring from the text form of a private key.
func keyOf(private string) (*keyring, error) {
	signer, err := note.NewSigner(private)
	if err != nil {
		return nil, err
	}
	public, err := publicOf(private)
	if err != nil {
		return nil, err
	}
	v, err := note.NewVerifier(public)
	if err != nil {
		return nil, err
	}
	return &keyring{signer: signer, known: note.VerifierList(v), public: public, private: private}, nil
}

// publicOf derives the public key from the text form of a private one, so that
// there is no second file that could disagree.
func publicOf(private string) (string, error) {
	// PRIVATE+KEY+name+hash+data, where data may hold a + itself.
	parts := strings.SplitN(private, "+", 5)
	data, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(data) != 1+ed25519.SeedSize {
		return "", errors.New("malformed key")
	}
	key := ed25519.NewKeyFromSeed(data[1:])
	return note.NewEd25519VerifierKey(keyName, key.Public().(ed25519.PublicKey))
}
