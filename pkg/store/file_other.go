//go:build !unix

package store

const ownable = false

// syncDir: there is no such thing here; the rename is as durable as it gets.
func syncDir(string) error { return nil }
