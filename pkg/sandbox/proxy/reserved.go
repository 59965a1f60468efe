package proxy

import (
	"net"
	"net/netip"
)

// reserved says why an address is not one of the public internet, or "".
// own are the machine's own addresses, which are not either.
func reserved(a netip.Addr, own []netip.Addr) string {
	a = a.Unmap().WithZone("")
	for _, o := range own {
		if o == a {
			return "an address of this machine"
		}
	}
	if a == netip.AddrFrom4([4]byte{169, 254, 169, 254}) {
		return "the metadata address of cloud machines"
	}
	switch {
	case !a.IsValid():
		return "no address"
	case a.IsLoopback(), a.IsUnspecified():
		return "this machine"
	case a.IsPrivate():
		return "a private address"
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast(), a.IsInterfaceLocalMulticast():
		return "a link-local address"
	case a.IsMulticast():
		return "a multicast address"
	}
	if v4, ok := embedded(a); ok {
		if why := reserved(v4, own); why != "" {
			return why + ", inside an IPv6 address"
		}
	}
	for _, r := range reservedRanges() {
		if r.Contains(a) {
			return "a reserved address"
		}
	}
	return ""
}

func reservedRanges() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "::/96", "100::/64", "2001:2::/48", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10", "64:ff9b:1::/48",
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// embedded gives the IPv4 address that a translated or tunnelled IPv6 address
// leads to.
func embedded(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return a, false
	}
	b := a.As16()
	v4 := func(i int) (netip.Addr, bool) { return netip.AddrFrom4([4]byte(b[i : i+4])), true }
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a), netip.MustParsePrefix("64:ff9b:1::/48").Contains(a), netip.MustParsePrefix("::/96").Contains(a):
		return v4(12)
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return v4(2)
	case netip.MustParsePrefix("2001::/32").Contains(a):
		return netip.AddrFrom4([4]byte{b[12] ^ 0xff, b[13] ^ 0xff, b[14] ^ 0xff, b[15] ^ 0xff}), true
	case b[8] == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe, b[8] == 2 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe:
		return v4(12) // ISATAP
	}
	return a, false
}

// ownAddresses are those of the machine's interfaces.
func ownAddresses() []netip.Addr {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var out []netip.Addr
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				out = append(out, ip.Unmap())
			}
		}
	}
	return out
}
