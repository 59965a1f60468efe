//go:build linux && (amd64 || arm64)

package sandbox

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var opens = flag.Int("opens", 0, "how often TestOpener opens the file f")

// TestOpener is what BenchmarkOpen runs as a job: it prints the median of one
// open.
func TestOpener(t *testing.T) {
	if *opens == 0 {
		return // only for BenchmarkOpen
	}
	times := make([]time.Duration, 0, *opens)
	for range *opens {
		at := time.Now()
		fd, err := unix.Open("f", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		times = append(times, time.Since(at))
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
	}
	slices.Sort(times)
	fmt.Printf("open-ns %d\n", times[len(times)/2].Nanoseconds())
}
