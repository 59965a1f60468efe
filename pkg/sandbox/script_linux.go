//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A script is what a new process of the sandbox does, as system calls that are
// written down before it is forked. So setting a job up needs no second start
// of this program: the new process only plays what lies in memory that it
// shares with the supervisor, and never comes back to Go's runtime.

// call is one system call of a script. Its layout is read by [play].
type call struct {
	nr    uintptr
	args  [6]uintptr
	out   uintptr // where in the region the result goes, 0 for nowhere
	from  uint32  // bit i: args[i] is the place of a cell whose value is meant
	may   uint8   // the failures that are no failure
	least uint8   // a smaller result is a failure
	skip  uint16  // how many calls are passed over after a tolerated failure
}

const callSize = unsafe.Sizeof(call{})

// Failures that a call may have.
const (
	mayMiss  = 1 << iota // what it names is not there for us
	mayExist             // what it makes is there already
	mayFail              // any
)

// Calls that the player carries out itself.
const (
	playExec   = 1<<20 + iota // execve, as a shell would try one place of a PATH
	playGiveUp                // no place of the PATH could be executed
	playSame                  // two numbers of 8 bytes in the region have to be equal
	playCopy                  // a cell into another place
)

// region is memory that the supervisor and the processes of a script share. It
// is filled before a part of the script is played and read-only from then on,
// but for the cells that take results.
type region struct {
	mem  []byte
	used uintptr
	full bool
}

// regionSize holds the largest list of arguments that Linux takes, and a script.
const regionSize = 4 << 20

func newRegion() (*region, error) {
	mem, err := unix.MmapPtr(-1, 0, nil, regionSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("sandbox: memory for the script: %w", err)
	}
	return &region{mem: unsafe.Slice((*byte)(mem), regionSize), used: unsafe.Sizeof(stage{})}, nil
}

// free gives the supervisor's view back; the job's processes keep theirs.
func (r *region) free() {
	if r != nil && r.mem != nil {
		_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(r.mem)), regionSize)
		r.mem = nil
	}
}

// take gives n zeroed bytes, aligned to 8. When there are none left the region
// is marked as full and the bytes are those at its beginning, which nobody will
// read: see [region.done].
func (r *region) take(n int) (place uintptr) {
	place = (r.used + 7) &^ 7
	if n < 0 || uintptr(n) > uintptr(len(r.mem))-place {
		r.full = true
		return unsafe.Sizeof(stage{})
	}
	r.used = place + uintptr(n)
	return place
}

// at is the address of a place.
func (r *region) at(place uintptr) uintptr { return r.base() + place }

func (r *region) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(r.mem))) }

// text is the address of a string that ends in a zero byte.
func (r *region) text(s string) uintptr {
	p := r.take(len(s) + 1)
	if !r.full {
		copy(r.mem[p:], s)
	}
	return r.at(p)
}

// words is the address of a list of strings that ends in a null pointer.
func (r *region) words(list []string) uintptr {
	p := r.take(8 * (len(list) + 1))
	for i, s := range list {
		r.put64(p+8*uintptr(i), uint64(r.text(s)))
	}
	return r.at(p)
}

// cell is a place for a result: a descriptor, at first none.
func (r *region) cell() uintptr {
	p := r.take(4)
	r.put32(p, ^uint32(0))
	return p
}

func (r *region) put32(place uintptr, v uint32) {
	if !r.full {
		*(*uint32)(unsafe.Pointer(&r.mem[place])) = v
	}
}

func (r *region) put64(place uintptr, v uint64) {
	if !r.full {
		*(*uint64)(unsafe.Pointer(&r.mem[place])) = v
	}
}

// script is one part of what the new processes do.
type script struct {
	*region
	calls []call
	says  []string // what each call is for, in words
	seen  map[string]looked
}

var errTooMuch = errors.New("the arguments and the environment are too long")

// do adds a call that has to succeed.
func (s *script) do(says string, nr uintptr, args ...any) *call {
	if s.calls == nil {
		s.calls, s.says = make([]call, 0, 192), make([]string, 0, 192)
	}
	c := call{nr: nr}
	for i, a := range args {
		switch v := a.(type) {
		case int:
			c.args[i] = uintptr(v)
		case uintptr:
			c.args[i] = v
		case string:
			c.args[i] = s.text(v)
		case cell:
			c.args[i] = uintptr(v)
			c.from |= 1 << i
		}
	}
	s.calls = append(s.calls, c)
	s.says = append(s.says, says)
	return &s.calls[len(s.calls)-1]
}

// cell is an argument that is the result of an earlier call.
type cell uintptr

// into says where a call's result goes.
func (c *call) into(r cell) *call { c.out = uintptr(r); return c }

// tolerate names failures after which the script goes on, passing over the
// next calls.
func (c *call) tolerate(may uint8, skip int) *call {
	c.may, c.skip = may, uint16(skip)
	return c
}

// part is where a finished part of a script lies.
type part struct{ first, count uintptr }

// done writes the part down.
func (s *script) done() (part, error) {
	p := part{s.take(len(s.calls) * int(callSize)), uintptr(len(s.calls))}
	if s.full {
		return part{}, errTooMuch
	}
	for i := range s.calls {
		*(*call)(unsafe.Pointer(&s.mem[p.first+uintptr(i)*callSize])) = s.calls[i]
	}
	return p, nil
}
