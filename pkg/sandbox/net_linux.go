//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// proxyPort is where the job finds the proxy on its own loopback.
const proxyPort = 3128

// offerListener opens the proxy's port inside and hands it to the supervisor,
// which accepts from outside: nothing in the job has to carry the bytes.
func (h *helper) offerListener() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sandbox: proxy: %w", err)
	}
	defer unix.Close(s)
	if err := unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return fmt.Errorf("sandbox: proxy: %w", err)
	}
	if err := unix.Bind(s, &unix.SockaddrInet4{Port: proxyPort, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return fmt.Errorf("sandbox: proxy: %w", err)
	}
	if err := unix.Listen(s, 128); err != nil {
		return fmt.Errorf("sandbox: proxy: %w", err)
	}
	return sendNote(h.control, note{Is: noteProxy}, s)
}
