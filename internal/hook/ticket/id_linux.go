package ticket

import "golang.org/x/sys/unix"

// quickly fills b with the system's random bytes, as crypto/rand does, without
// what that sets up for the many reads of a longer life. It is false where the
// bytes are not there yet, or not all at once.
func quickly(b []byte) bool {
	n, err := unix.Getrandom(b, unix.GRND_NONBLOCK)
	return err == nil && n == len(b)
}
