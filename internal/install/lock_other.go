//go:build !unix

package install

// lock does nothing where folders cannot be locked.
func lock(string) (unlock func(), err error) { return func() {}, nil }
