//go:build unix

package approval

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readKey returns the next key, without Enter and without showing it. Keys that
// come together are no key: the text of a paste must not answer.
func readKey(ctx context.Context, f *os.File) (string, error) {
	fd := int(f.Fd())
	old, err := getattr(fd)
	if err != nil {
		return "", err
	}
	now := *old
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := setattr(fd, &now); err != nil {
		return "", err
	}
	defer func() { _ = setattr(fd, old) }()
	keys, err := readBytes(ctx, f)
	if err != nil {
		return "", err
	}
	for {
		soon, cancel := context.WithTimeout(ctx, together)
		more, err := readBytes(soon, f)
		cancel()
		if err != nil {
			break // nothing came with it
		}
		keys = append(keys, more[0]) // however many come: too many
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	switch {
	case len(keys) > 1:
		return "several keys at once", nil
	case keys[0] == interruptKey || keys[0] == endKey:
		return "", errInterrupt
	case keys[0] == '\n' || keys[0] == '\r':
		return "", nil
	}
	return string(rune(keys[0])), nil
}

const (
	// together is how close keys of one paste are.
	together = 40 * time.Millisecond
	endKey   = 4 // ctrl-d
)
