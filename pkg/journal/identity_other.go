//go:build !linux

package journal

// identity: files cannot be told apart well enough here, so that the marks
// never count and the database is opened.
func identity(string) string { return "" }
