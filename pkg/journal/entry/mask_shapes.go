package entry

import "strings"

// shape is a pattern as text, with the lower-case words that every match holds
// one of.
type shape struct{ needles, expr string }

// mayBeIn reports whether a lower-case text holds a needle.
func (s shape) mayBeIn(low string) bool {
	for rest := s.needles; rest != ""; {
		var needle string
		needle, rest, _ = strings.Cut(rest, " ")
		if strings.Contains(low, needle) {
			return true
		}
	}
	return false
}

// Pieces of shapes.
const (
	bare   = `[^\s&;|<>()'"\x60]`
	quoted = `"(?:[^"\\]|\\[\s\S])*"?|'[^']*'?`
	// word is a shell word: quoted, bare, or glued of both.
	word = `(?:` + quoted + `|\\.|` + bare + `)+`
	// item is a value in structured text: one string, or up to a comma.
	item = `(?:` + quoted + `|[^\s,}\]'"]+)`
	// names are the words that a secret is called by.
	names = `(?:passw(?:or)?d|passphrase|secret|token|api[_.-]?key|access[_.-]?key|private[_.-]?key|` +
		`auth[_.-]?key|account[_.-]?key|signing[_.-]?key|encryption[_.-]?key|credentials?|[_-]pwd)`
	nameNeedles = `passw passphrase secret token key credential _pwd -pwd`
)

// blockShapes are secrets as a whole, over several lines.
func blockShapes() []shape {
	return []shape{{`private`, `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`}}
}

// pairShapes have the secret behind group 1.
func pairShapes() []shape {
	return []shape{
		// scheme://user:password@ and scheme://token@
		{`://`, `(?i)(\b[a-z][a-z0-9+.-]*://[^\s/?#@:'"]*:)[^\s/?#@'"]+(?:@[^\s/?#@'"]*)*@`},
		{`://`, `(?i)(\b[a-z][a-z0-9+.-]*://)[A-Za-z0-9_.~%-]{20,}@`},
		// Header: value, to the end of the quoted text or line.
		{`authorization`, `(?i)(\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token|negotiate|apikey)\s+)?)[^\r\n"']+`},
		{`cookie`, `(?i)(\b(?:set-)?cookie["']?\s*:\s*["']?)[^\r\n"']+`},
		{`x- private-token api`, `(?i)(\b(?:x-(?:[a-z]+-)*|private-|api-?)(?:key|token|secret|auth)\s*:\s*)[^\r\n"']+`},
		{`bearer`, `(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{6,}`},
		// "name": "value", name: value, name=value, --name value
		{nameNeedles, `(?i)([\w.-]*` + names + `[\w.-]*["']\]?\s*(?::=|=>|=|:)\s*)` + item},
		{nameNeedles, `(?i)([\w.-]*` + names + `[\w.-]*\]?\s*(?::=|=>|:)\s*)` + item},
		{nameNeedles, `(?i)([\w.-]*` + names + `[\w.-]*\]?\s*=\s*)` + word},
		{`pass pwd`, `(?i)((?:^|[^\w])(?:[\w.-]*[_-])?(?:pass|pwd)["']?\s*(?::=|=>|:)\s*)` + item},
		{`pass pwd`, `(?i)((?:^|[^\w])(?:[\w.-]*[_-])?(?:pass|pwd)["']?\s*=\s*)` + word},
		{nameNeedles, `(?i)(--?[\w-]*` + names + `[\w-]*\s+)` + word},
		{`-pass -pin`, `(?i)(--?(?:[\w-]*-)?(?:pass|pin)\s+)` + word},
		// Programs' own short options.
		{`curl wget http xh`, `(\b(?:curl|wget|http|https|xh)\b[^\n;|&]*?\s(?:-u\s*|--user[ =]|--proxy-user[ =]|-U\s*|-a\s+)["']?[^\s:'"]+:)[^\s'"]+`},
		{`mysql mariadb`, `(\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n;|&]*?\s-p)(?:` + quoted + `|` + bare + `)+`},
		{`sshpass smbclient ldap login`, `(\b(?:sshpass|smbclient|ldapsearch|ldapmodify|docker login|podman login|az login|helm registry login)\b[^\n;|&]*?\s-[pw]\s*)` + word},
		{`redis-cli mongo mosquitto`, `(\b(?:redis-cli|mongosh?|mosquitto_pub|mosquitto_sub)\b[^\n;|&]*?\s(?:-a|-p|-P)\s*)` + word},
		{`openssl`, `(\bopenssl\b[^\n;|&]*?\s-(?:pass|passin|passout|k)\s+(?:pass:)?)` + word},
	}
}

// tokenShapes are secrets that their own spelling gives away.
func tokenShapes() []shape {
	return []shape{
		{`akia asia abia acca`, `\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b`},
		{`ghp_ gho_ ghu_ ghs_ ghr_ github_pat_`, `\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})`},
		{`gl`, `\b(?:glpat-[A-Za-z0-9_.-]{16,}|gl[a-z]{2,5}-[A-Za-z0-9_.-]{20,})`},
		{`xox`, `\bxox[abeoprs]-[A-Za-z0-9-]{10,}`},
		{`sk- rk- pk- k_live_ k_test_`, `\b(?:sk|rk|pk)(?:-|_live_|_test_)[A-Za-z0-9_-]{16,}`},
		{`aiza`, `\bAIza[0-9A-Za-z_-]{30,}`},
		{`ya29.`, `\bya29\.[0-9A-Za-z_.-]{16,}`},
		{`npm_ hf_ dckr_pat_ dop_v1_ shpat_ lin_api_ pul_`, `\b(?:npm|hf|dckr_pat|dop_v1|shpat|lin_api|pul)_[A-Za-z0-9_-]{16,}`},
		{`pypi-`, `\bpypi-[A-Za-z0-9_-]{16,}`},
		{`sg.`, `\bSG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`},
		{`eyj`, `\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?`},
		{`age-secret-key`, `\bAGE-SECRET-KEY-1[0-9A-Z]{20,}`},
	}
}
