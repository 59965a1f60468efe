package config

import (
	"regexp"
	"strings"

	"mayi/pkg/permissions"
)

func exactly(now []string, text string) bool { return index(now, text) >= 0 }

func checkPath(s *Settings, text string) (string, string) {
	switch {
	case text == "":
		return "an empty path means nothing", ""
	case strings.ContainsRune(text, 0):
		return "a path holds no NUL", ""
	case strings.HasPrefix(text, "~") && text != "~" && !strings.HasPrefix(text, "~/"):
		return "only ~/ is understood, not " + quote(text), "write the home directory out"
	case strings.HasPrefix(text, "~") && s.opts.Home == "":
		return quote(text) + " needs a home directory", "set HOME"
	case strings.ContainsAny(text, "*?["):
		return checkGlob(text)
	}
	return "", ""
}

// checkGlob reads a glob as a path rule would.
func checkGlob(text string) (string, string) {
	if _, err := permissions.ParseRule(permissions.ActionAsk, "write("+text+")", permissions.Source{}); err != nil {
		return "the glob " + quote(text) + " cannot be read: " + err.Error(), ""
	}
	return "", ""
}

func checkGuard(s *Settings, text string) (string, string) {
	if strings.HasPrefix(text, "!") {
		return "an entry cannot take another back: " + quote(text), "remove the entry that is too wide"
	}
	if what, hint := checkPath(s, text); what != "" {
		return what, hint
	}
	return checkGlob(text)
}

func checkRegexp(_ *Settings, text string) (string, string) {
	if text == "" {
		return "an empty pattern matches everything", ""
	}
	if _, err := regexp.Compile(text); err != nil {
		return "the pattern " + quote(text) + " cannot be read: " + err.Error(), ""
	}
	return "", ""
}

func checkHost(_ *Settings, text string) (string, string) {
	if _, err := permissions.NormalizeHost(text); err != nil {
		return "the host " + quote(text) + " cannot be read: " + err.Error(), "write a name such as example.org; its subdomains are covered"
	}
	return "", ""
}

// coversHost: an entry covers a host and its subdomains.
func coversHost(now []string, text string) bool {
	host, err := permissions.NormalizeHost(text)
	if err != nil {
		return false
	}
	for _, n := range now {
		if n, err := permissions.NormalizeHost(n); err == nil && (host == n || strings.HasSuffix(host, "."+n)) {
			return true
		}
	}
	return false
}

func checkText(_ *Settings, text string) (string, string) {
	if text == "" {
		return "an empty name means nothing", ""
	}
	return "", ""
}
