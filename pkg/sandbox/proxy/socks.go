package proxy

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// SOCKS 5 answers.
const (
	socksOK          = 0
	socksRefused     = 2
	socksUnreachable = 4
	socksCommand     = 7
	socksAddress     = 8
)

// socks answers one SOCKS 5 connection: no authentication, CONNECT only.
func (p *proxy) socks(ctx context.Context, c net.Conn, br *bufio.Reader) {
	var head [2]byte
	if _, err := io.ReadFull(br, head[:]); err != nil {
		return
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(br, methods); err != nil {
		return
	}
	method := byte(0xff)
	for _, m := range methods {
		if m == 0 {
			method = 0
		}
	}
	if _, err := c.Write([]byte{5, method}); err != nil || method != 0 {
		return
	}
	var req [4]byte
	if _, err := io.ReadFull(br, req[:]); err != nil || req[0] != 5 {
		return
	}
	host, err := socksHost(br, req[3])
	if err != nil {
		socksReply(c, socksAddress)
		return
	}
	var port [2]byte
	if _, err := io.ReadFull(br, port[:]); err != nil {
		return
	}
	if req[1] != 1 {
		socksReply(c, socksCommand)
		return
	}
	_ = c.SetDeadline(time.Time{})
	up, err := p.dial(ctx, host, strconv.Itoa(int(binary.BigEndian.Uint16(port[:]))))
	if err != nil {
		var no errRefused
		if errors.As(err, &no) {
			socksReply(c, socksRefused)
		} else {
			socksReply(c, socksUnreachable)
		}
		return
	}
	defer up.Close()
	defer context.AfterFunc(ctx, func() { up.Close() })()
	if socksReply(c, socksOK) == nil {
		join(c, br, up)
	}
}

func socksReply(c net.Conn, code byte) error {
	_, err := c.Write([]byte{5, code, 0, 1, 0, 0, 0, 0, 0, 0})
	return err
}

func socksHost(r io.Reader, kind byte) (string, error) {
	read := func(n int) ([]byte, error) {
		b := make([]byte, n)
		_, err := io.ReadFull(r, b)
		return b, err
	}
	switch kind {
	case 1, 4:
		n := 4
		if kind == 4 {
			n = 16
		}
		b, err := read(n)
		if err != nil {
			return "", err
		}
		a, _ := netip.AddrFromSlice(b)
		return a.Unmap().String(), nil
	case 3:
		n, err := read(1)
		if err != nil {
			return "", err
		}
		b, err := read(int(n[0]))
		return string(b), err
	}
	return "", errors.New("unknown kind of address")
}
