package store

import (
	"regexp"
	"strings"
)

// masked stands where a secret stood.
const masked = "***"

// Masker hides secrets in text that is kept: keys, tokens, passwords in URLs,
// options, assignments and headers. It would rather hide too much than keep a
// secret, and is no proof that there is none left. Safe for concurrent use.
type Masker struct {
	whole []*regexp.Regexp // all of the match is a secret
	pairs []*regexp.Regexp // group 1 stays, the rest is a secret
}

// Shapes of a value: quoted, bare, or glued of both.
const (
	bare   = `[^\s&;|<>()'"\x60]`
	quoted = `"(?:[^"\\]|\\[\s\S])*"?|'[^']*'?`
	value  = `(?:` + quoted + `|\\.|` + bare + `)+`
	// names are words that a secret is called by.
	names = `(?:passw(?:or)?d|passphrase|secret|token|api[_.-]?key|access[_.-]?key|private[_.-]?key|` +
		`auth[_.-]?key|account[_.-]?key|signing[_.-]?key|encryption[_.-]?key|credentials?|[_-]pwd)`
)

// NewMasker returns a masker. It compiles its patterns, so make one and keep it.
func NewMasker() *Masker {
	return &Masker{
		whole: compile(
			`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`,
			`\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b`,
			`\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_.-]{16,}|gl[a-z]{2,5}-[A-Za-z0-9_.-]{20,})`,
			`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
			`\b(?:sk|rk|pk)(?:-|_live_|_test_)[A-Za-z0-9_-]{16,}`,
			`\bAIza[0-9A-Za-z_-]{30,}`,
			`\bya29\.[0-9A-Za-z_.-]{16,}`,
			`\b(?:npm|hf|dckr_pat|dop_v1|shpat|lin_api|pul)_[A-Za-z0-9_-]{16,}`,
			`\bpypi-[A-Za-z0-9_-]{16,}`,
			`\bSG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
			`\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?`,
			`\bAGE-SECRET-KEY-1[0-9A-Z]{20,}`,
		),
		pairs: compile(
			// scheme://user:password@, scheme://token@
			`(?i)(\b[a-z][a-z0-9+.-]*://[^\s/?#@:'"]*:)[^\s/?#@'"]+(?:@[^\s/?#@'"]*)*@`,
			`(?i)(\b[a-z][a-z0-9+.-]*://)[A-Za-z0-9_.~%-]{20,}@`,
			// Header: value, to the end of the quoted text or line.
			`(?i)(\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token|negotiate|apikey)\s+)?)[^\r\n"']+`,
			`(?i)(\b(?:set-)?cookie["']?\s*:\s*["']?)[^\r\n"']+`,
			`(?i)(\b(?:x-[a-z-]*|private-|api-?)?(?:key|token|secret|auth)\s*:\s*)[^\r\n"']+`,
			`(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{6,}`,
			// name=value, "name": "value", --name value
			`(?i)([\w.-]*`+names+`[\w.-]*["']?\]?\s*(?::=|=>|=|:)\s*)`+value,
			`(?i)((?:^|[^\w])(?:[\w.-]*[_-])?(?:pass|pwd)["']?\s*[:=]\s*)`+value,
			`(?i)(--?[\w-]*`+names+`[\w-]*\s+)`+value,
			`(?i)(--?(?:[\w-]*-)?(?:pass|pin)\s+)`+value,
			// Programs' own short options.
			`(\b(?:curl|wget|http|https|xh)\b[^\n;|&]*?\s(?:-u\s*|--user[ =]|--proxy-user[ =]|-U\s*|-a\s+)["']?[^\s:'"]+:)[^\s'"]+`,
			`(\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n;|&]*?\s-p)(?:`+quoted+`|`+bare+`)+`,
			`(\b(?:sshpass|smbclient|ldapsearch|ldapmodify|docker login|podman login|az login|helm registry login)\b[^\n;|&]*?\s-[pw]\s*)`+value,
			`(\b(?:redis-cli|mongosh?|mosquitto_pub|mosquitto_sub)\b[^\n;|&]*?\s(?:-a|-p|-P)\s*)`+value,
			`(\bopenssl\b[^\n;|&]*?\s-(?:pass|passin|passout|k)\s+(?:pass:)?)`+value,
		),
	}
}

func compile(exprs ...string) []*regexp.Regexp {
	list := make([]*regexp.Regexp, len(exprs))
	for i, e := range exprs {
		list[i] = regexp.MustCompile(e)
	}
	return list
}

// Mask returns s with what looks like a secret replaced by ***. Masking twice
// changes nothing more.
func (m *Masker) Mask(s string) string {
	if len(s) < 4 {
		return s
	}
	for _, re := range m.whole {
		s = re.ReplaceAllLiteralString(s, masked)
	}
	for _, re := range m.pairs {
		s = hidePairs(re, s)
	}
	return s
}

// hidePairs replaces what follows group 1 in each match. A value that only
// names a variable is no secret, and says more as it is.
func hidePairs(re *regexp.Regexp, s string) string {
	var b strings.Builder
	end := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		secret := s[m[3]:m[1]]
		b.WriteString(s[end:m[3]])
		at := ""
		if strings.HasSuffix(secret, "@") && strings.Contains(s[m[2]:m[3]], "://") {
			at = "@"
		}
		if isVariable(strings.TrimSuffix(secret, at)) {
			b.WriteString(secret)
		} else {
			b.WriteString(masked + at)
		}
		end = m[1]
	}
	b.WriteString(s[end:])
	return b.String()
}

// isVariable reports whether s is $NAME or ${NAME}, quoted or not.
func isVariable(s string) bool {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	name, ok := strings.CutPrefix(s, "$")
	if inner, braced := strings.CutPrefix(name, "{"); braced {
		if name, ok = strings.CutSuffix(inner, "}"); !ok {
			return false
		}
	}
	if !ok || name == "" {
		return false
	}
	for _, c := range name {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
