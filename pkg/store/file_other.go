//go:build !unix

package store

const ownable = false
