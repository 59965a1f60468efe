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
	// Nobody is asked here, so what would be asked about is closed, but for what
	// was asked about with the command. A new name would open it to reading.
	for _, p := range s.AskRead {
		line("(deny file-read-data file-write-unlink %s)", sbAsked(p, s.Answered, false))
	}
	for _, p := range s.AskWrite {
		line("(deny file-write* %s)", sbAsked(p, s.Answered, true))
	}
	for _, p := range s.Denied {
		if p.Firm {
			line("(deny file-read* file-write* (regex #%s))", sbRegex(p))
		}
	}
	for _, p := range s.Protected {
		if p.Firm {
			line("(deny file-write* (regex #%s))", sbRegex(p))
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

// sbAsked is what a rule asks about without what was answered. Of a shell's
// pattern nothing is taken out: it does not mean names that begin with a dot.
func sbAsked(p Pattern, answered []Answered, write bool) string {
	out := "(regex #" + sbRegex(p) + ")"
	not := ""
	for _, a := range answered {
		if a.Rule == p.Why && a.Write == write && unescaped(a.Glob) != "" {
			not += " (require-not (subpath " + sbString(unescaped(a.Glob)) + "))"
		}
	}
	if not == "" {
		return out
	}
	return "(require-all " + out + not + ")"
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
		b.WriteString(sbName(seg))
	}
	if !p.Exact {
		b.WriteString("(/|$)")
	} else {
		b.WriteString("$")
	}
	return `"` + strings.ReplaceAll(b.String(), `"`, `\"`) + `"`
}

// sbName is one component. A class of characters stands for any: that closes more.
func sbName(seg string) string {
	var b strings.Builder
	for rs := []rune(seg); len(rs) > 0; rs = rs[1:] {
		r := rs[0]
		if r == '\\' && len(rs) > 1 {
			rs = rs[1:]
			b.WriteString(sbRune(rs[0]))
			continue
		}
		end := 0
		if r == '[' && len(rs) > 2 {
			end = strings.IndexByte(string(rs[2:]), ']')
		}
		switch {
		case r == '*':
			b.WriteString("[^/]*")
		case r == '?':
			b.WriteString("[^/]")
		case r == '[' && end >= 0 && len(rs) > 2:
			b.WriteString("[^/]")
			rs = rs[2+len([]rune(string(rs[2:])[:end])):]
		default:
			b.WriteString(sbRune(r))
		}
	}
	return b.String()
}

// sbRune is one character in either case.
func sbRune(r rune) string {
	switch {
	case 'a' <= r && r <= 'z':
		return "[" + string(r) + string(r-'a'+'A') + "]"
	case 'A' <= r && r <= 'Z':
		return "[" + string(r-'A'+'a') + string(r) + "]"
	}
	return regexp.QuoteMeta(string(r))
}
