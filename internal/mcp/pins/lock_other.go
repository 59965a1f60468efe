//go:build !unix

package pins

import "os"

// lock makes the file; here other processes are not kept out, and the last
// writer's record holds.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}
