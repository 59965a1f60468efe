// Package filelock keeps other processes out while one changes files.
package filelock

import "os"

// Folder holds a folder until unlock is called or the process ends.
func Folder(dir string) (unlock func(), err error) {
	return held(os.Open(dir))
}

// File holds a file, which is made for the owner alone where it does not exist,
// until unlock is called or the process ends.
func File(name string) (unlock func(), err error) {
	return held(os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600))
}

func held(f *os.File, err error) (unlock func(), _ error) {
	if err != nil {
		return nil, err
	}
	if err := hold(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
