package sandbox

import (
	"fmt"
	"regexp"
	"strings"
)

// Seatbelt is the Spec as a profile for macOS' sandbox-exec, which mayi does
// not apply by itself. It differs from what Linux enforces in that nobody is
// asked at the moment of access, that there is no private /tmp, and that a
// proxy's port is reachable on the machine's own loopback.
func Seatbelt(s Spec, proxy int) string {
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	line("(version 1)")
	line("(deny default)")
	line("(allow process-fork) (allow process-exec) (allow signal (target same-sandbox)) (allow sysctl-read) (allow pseudo-tty)")
	line("(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\") (global-name \"com.apple.system.logger\") (global-name \"com.apple.SystemConfiguration.configd\"))")
	line("(allow file-read-metadata)")
	for _, p := range []string{"/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/private/etc", "/dev", "/private/var/db/dyld", "/private/var/select"} {
		line("(allow file-read* (subpath %s))", sbString(p))
	}
	for _, f := range []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/random", "/dev/urandom"} {
		line("(allow file-read* file-write-data (literal %s))", sbString(f))
	}
	line("(allow file-read* file-write* file-ioctl (regex #\"^/dev/ttys[0-9]+$\"))")
	if s.Home != "" {
		for _, f := range HomeFiles() {
			line("(allow file-read* (subpath %s))", sbString(s.Home+"/"+f))
		}
	}
	for _, p := range append(append([]string(nil), s.Read...), s.Programs...) {
		line("(allow file-read* (subpath %s))", sbString(p))
	}
	for _, p := range s.Write {
		line("(allow file-read* file-write* (subpath %s))", sbString(p))
	}
	// The last rule that matches decides, so what is closed comes last.
	for _, p := range append(systemSecrets(), s.Denied...) {
		line("(deny file-read* file-write* (regex #%s))", sbRegex(p))
	}
	for _, p := range s.Protected {
		line("(deny file-write* (regex #%s))", sbRegex(p))
	}
	for _, p := range s.Unprotected {
		line("(allow file-write* (subpath %s))", sbString(p))
	}
	for _, p := range s.Denied {
		if p.Firm {
			line("(deny file-read* file-write* (regex #%s))", sbRegex(p))
		}
	}
	line("(allow network* (local unix-socket)) (allow network-outbound (remote unix-socket (subpath %s)))", sbString(s.Dir))
	if s.Network.Proxy && proxy > 0 {
		line("(allow network-outbound (remote ip \"localhost:%d\"))", proxy)
	}
	return b.String()
}

// sbString quotes a string for a profile.
func sbString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + `"`
}

// sbRegex is a pattern as a regular expression that covers what lies below,
// too. Letter case does not count: macOS' file systems ignore it.
func sbRegex(p Pattern) string {
	var b strings.Builder
	b.WriteString("^")
	segs := splitPath(p.Glob)
	if !strings.HasPrefix(p.Glob, "/") && (len(segs) == 0 || segs[0] != "**") {
		segs = append([]string{"**"}, segs...)
	}
	for _, seg := range segs {
		if seg == "**" {
			b.WriteString("(/[^/]+)*")
			continue
		}
		b.WriteString("/")
		for _, r := range seg {
			switch {
			case r == '*':
				b.WriteString("[^/]*")
			case r == '?':
				b.WriteString("[^/]")
			case 'a' <= r && r <= 'z':
				b.WriteString("[" + string(r) + string(r-'a'+'A') + "]")
			case 'A' <= r && r <= 'Z':
				b.WriteString("[" + string(r-'A'+'a') + string(r) + "]")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	if !p.Exact {
		b.WriteString("(/|$)")
	} else {
		b.WriteString("$")
	}
	return `"` + strings.ReplaceAll(b.String(), `"`, `\"`) + `"`
}
