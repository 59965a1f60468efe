//go:build linux

package main

import "os"

// roomy grows the stack once, while there is next to nothing on it to be moved.
// A decision needs some 20 KiB of it, and doubling it on the way there costs a
// twentieth of a hook's time.
//
//go:noinline
func roomy() byte { return deep(len(os.Args) > 1<<30) }

//go:noinline
func deep(never bool) byte {
	if never { // so that the space is reserved, and not cleared
		var space [24 << 10]byte
		return touch(&space)
	}
	return 0
}

//go:noinline
func touch(space *[24 << 10]byte) byte {
	space[0]++
	return space[len(space)-1]
}
