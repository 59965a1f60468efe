package permissions

import (
	"path"
	"strings"
)

var riskOrder = [...]Risk{RiskLow, RiskMedium, RiskHigh, RiskCritical}

// risk grades the call for the person who answers, by what it would do: the
// worst of its effects and parts, and of what they amount to together.
func (f *findings) risk() Risk {
	worst := 0
	for i := range f.effects {
		e := &f.effects[i]
		worst = max(worst, e.risk())
	}
	if text, _, _ := f.leak(); text != "" {
		worst = 3
	}
	for i := range f.call.Parts {
		worst = max(worst, f.call.Parts[i].risk())
	}
	if len(f.call.Unread) > 0 {
		worst = max(worst, 2)
	}
	return riskOrder[worst]
}

func (e *Effect) risk() int {
	outside := e.outside()
	switch e.Kind {
	case Read:
		switch {
		case e.secret() != "":
			return 2
		case e.Path != "" && outside:
			return 1
		}
		return 0
	case NetRead, StateWrite:
		return 1
	case NetWrite:
		return 2
	case FSWrite:
		switch {
		case e.Place.Own || e.Place.Protected != "" || outside && e.Recursive:
			return 3
		case outside || e.Recursive:
			return 2
		}
		return 1
	case Exec:
		if e.Path != "" && outside {
			return 2
		}
		return 1
	}
	if e.Path != "" && outside {
		return 2
	}
	return 1
}

func (p *Part) risk() int {
	switch {
	case p.elevates():
		return 3
	case len(p.Unread) > 0 || p.Opaque == OpaqueInline:
		return 2
	case p.Opaque == OpaqueProgram || p.ArgsMayRun:
		return 1
	}
	return 0
}

// isSecret reports whether the path looks like a place where credentials are
// kept. It only grades questions; no decision hangs on it.
func isSecret(p string) bool {
	if p == "" {
		return false
	}
	low := strings.ToLower(p)
	for _, dir := range [...]string{"/.ssh", "/.gnupg", "/.aws", "/.azure", "/.kube", "/.docker", "/.config/gcloud", "/.config/gh", "/.password-store"} {
		if strings.HasSuffix(low, dir) || strings.Contains(low, dir+"/") {
			return true
		}
	}
	switch base := path.Base(low); base {
	case ".env", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", "credentials", "shadow", "gshadow", "environ":
		return true
	default:
		return strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, "id_") && path.Ext(base) == "" ||
			strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".key") || strings.HasSuffix(base, ".p12") || strings.HasSuffix(base, ".kdbx")
	}
}
