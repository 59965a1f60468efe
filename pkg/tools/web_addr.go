package tools

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// closedNets are address ranges that are no public host's: private, shared,
// special and translated ones. Translated ones (NAT64, 6to4, Teredo) hide an
// IPv4 address that may be private.
func closedNets() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// publicAddress reports whether the address may be dialled for any host.
func publicAddress(a netip.Addr, closed []netip.Prefix) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	for _, p := range closed {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsGlobalUnicast()
}

// guardedDialer resolves a host itself and dials only addresses that it has
// checked, so that a name cannot mean another address a moment later.
type guardedDialer struct {
	dialer net.Dialer
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	closed []netip.Prefix
	// private reports whether the host may be at a private address.
	private func(host string) bool
}

func newGuardedDialer(private func(string) bool) *guardedDialer {
	return &guardedDialer{
		dialer: net.Dialer{Timeout: 10 * time.Second},
		lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		},
		closed:  closedNets(),
		private: private,
	}
}

func (d *guardedDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("%s has no address", host)
	for _, a := range addrs {
		if !publicAddress(a, d.closed) && !d.private(host) {
			return nil, fmt.Errorf("%s leads to the address %s, which is not a public one; only a host that the settings name may be there (networkAllowHosts)", host, a)
		}
	}
	for _, a := range addrs {
		var c net.Conn
		if c, err = d.dialer.DialContext(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return c, nil
		}
	}
	return nil, err
}
