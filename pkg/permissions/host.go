package permissions

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// NormalizeHost returns the one spelling of a host under which it is compared:
// lower case, without a trailing dot, in ASCII (IDNA), an IP address in its
// shortest form without brackets and an IPv4 address in IPv6 clothes as IPv4.
//
// It refuses what programs read in different ways: an empty name or label, a
// port, a zone, percent signs, blanks, and numbers that are no dotted quad
// (2130706433, 0x7f.1, 127.1). The result normalizes to itself.
func NormalizeHost(host string) (string, error) {
	if !utf8.ValidString(host) {
		return "", errors.New("the host is not valid UTF-8")
	}
	if host == "" {
		return "", errors.New("the host is empty")
	}
	if len(host) > 1024 {
		return "", errors.New("the host is too long")
	}
	for _, r := range host {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`%/\@?#<>^|"`, r) {
			return "", fmt.Errorf("the host %q holds %q", host, r)
		}
	}
	if strings.ContainsAny(host, ":[]") {
		return normalizeIPv6(host)
	}
	ascii, err := hostProfile().ToASCII(host)
	if err != nil {
		return "", fmt.Errorf("the host %q is no valid name: %w", host, err)
	}
	name := strings.TrimSuffix(ascii, ".")
	for _, label := range strings.Split(name, ".") {
		if label == "" {
			return "", fmt.Errorf("the host %q has an empty label", host)
		}
	}
	if !numberLike(name) {
		return name, nil
	}
	ip, err := netip.ParseAddr(name)
	if err != nil || ip.String() != strings.TrimSuffix(host, ".") {
		return "", fmt.Errorf("the host %q is a number that programs read in different ways; write the address as four decimal numbers", host)
	}
	return name, nil
}

// hostProfile maps names as browsers do (UTS 46, non-transitional). Labels
// with hyphens in the third and fourth place exist, so they pass.
func hostProfile() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.Transitional(false), idna.CheckHyphens(false), idna.VerifyDNSLength(true))
}

func normalizeIPv6(host string) (string, error) {
	text := host
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = text[1 : len(text)-1]
	}
	ip, err := netip.ParseAddr(text)
	if err != nil || !ip.Is6() || ip.Zone() != "" {
		return "", fmt.Errorf("the host %q is neither a name nor an address (a port or a zone has no place in it)", host)
	}
	return ip.Unmap().String(), nil
}

// numberLike reports whether a URL parser would take the name for an IPv4
// address: its last label is a decimal, octal or hexadecimal number.
func numberLike(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// HostOfURL returns the normalized host that an http or https URL leads to. It
// refuses every other scheme, user information, and characters that programs
// read in different ways.
func HostOfURL(raw string) (string, error) {
	for _, r := range raw {
		if r <= ' ' || r == 0x7f || r == '\\' || r == utf8.RuneError {
			return "", fmt.Errorf("the URL holds %q", r)
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("the URL cannot be read: %w", err)
	}
	if s := strings.ToLower(u.Scheme); s != "http" && s != "https" {
		return "", fmt.Errorf("the URL's scheme %q is neither http nor https", u.Scheme)
	}
	if u.User != nil || strings.Contains(u.Host, "@") {
		return "", errors.New("the URL holds user information before its host")
	}
	if u.Opaque != "" || u.Host == "" {
		return "", errors.New("the URL has no host")
	}
	if p := u.Port(); p != "" && (len(p) > 5 || strings.Trim(p, "0123456789") != "" || len(p) == 5 && p > "65535") {
		return "", fmt.Errorf("the URL's port %q is no port", p)
	}
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		host = "[" + host + "]"
	}
	return NormalizeHost(host)
}

// ruleHost reads the host of a fetch rule: a host, *.host, or * alone.
func ruleHost(text string) (string, error) {
	if text == "*" {
		return text, nil
	}
	name, sub := strings.CutPrefix(text, "*.")
	host, err := NormalizeHost(name)
	if err != nil {
		return "", err
	}
	if !sub {
		return host, nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return "", fmt.Errorf("the address %q has no subdomains", host)
	}
	return "*." + host, nil
}

// embeddedIPv4 returns the IPv4 address that a NAT64 or IPv4-compatible IPv6
// literal leads to. A deny rule for the one holds for the other; an allow rule
// does not.
func embeddedIPv4(host string) (string, bool) {
	if !strings.Contains(host, ":") {
		return "", false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Is6() {
		return "", false
	}
	b := ip.As16()
	nat64 := [12]byte{0x00, 0x64, 0xff, 0x9b}
	if prefix := [12]byte(b[:12]); prefix != nat64 && prefix != ([12]byte{}) {
		return "", false
	}
	return netip.AddrFrom4([4]byte(b[12:])).String(), true
}

// NamesHost reports whether one of the entries is exactly this host, after both
// are normalized. It is what opens a private or loopback address: an entry that
// lets subdomains through does not vouch for where each of them leads.
func NamesHost(entries []string, host string) bool {
	h, err := NormalizeHost(host)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		if e, err := NormalizeHost(entry); err == nil && e == h {
			return true
		}
	}
	return false
}
