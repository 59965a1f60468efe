package ticket

import "golang.org/x/sys/unix"

// quickly fills b with the system's random bytes, as crypto/rand does, without
// what that sets up for the many reads of a longer life. It is false where they
// are not to be had so.
func quickly(b []byte) bool {
	fd, err := unix.Open("/dev/urandom", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR || st.Rdev != unix.Mkdev(1, 9) {
		return false
	}
	n, err := unix.Read(fd, b)
	return err == nil && n == len(b)
}
