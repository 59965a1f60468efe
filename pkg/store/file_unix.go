//go:build unix

package store

// ownable: files have permission bits that keep others out.
const ownable = true
