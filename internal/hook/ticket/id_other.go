//go:build !linux

package ticket

func quickly([]byte) bool { return false }
