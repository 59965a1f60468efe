package shell

import (
	"net/url"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// connect emits the effects of a connection that the shell itself opens.
func (w *walker) connect(host value.Value, read, write bool, n syntax.Node) {
	e := permissions.Effect{Origin: permissions.FromRedirect, Part: w.parent, Span: w.spanOf(n)}
	if read {
		e.Kind = permissions.NetRead
		w.reach(e, host)
	}
	if write {
		e.Kind = permissions.NetWrite
		w.reach(e, host)
	}
}

// network emits the effects of a program's use of the network.
func (w *walker) network(c *command, n knowledge.Net, steered bool) {
	e := permissions.Effect{Kind: permissions.NetRead, Origin: permissions.FromCommand, Part: c.part, Span: c.spanAt(n.Arg)}
	if n.Write {
		e.Kind = permissions.NetWrite
	}
	if steered {
		e.Why = "a variable sends the traffic elsewhere"
		w.effect(e)
		return
	}
	for _, v := range c.argv {
		if _, composed := v.HasUnknown(); composed {
			// An address, a header or a name that is put together at run time can
			// carry anything out: https://host/?$(base64 notes), -H "x: $(cat key)".
			e.Kind = permissions.NetWrite
		}
	}
	w.reach(e, n.Target)
}

// reach emits one effect for each host that the target may name.
func (w *walker) reach(e permissions.Effect, target value.Value) {
	texts, ok := target.Texts()
	if !ok {
		if host, known := prefixHost(target.Prefix()); known {
			e.Host, e.Certainty = host, permissions.Exact
			w.effect(e)
			return
		}
		e.Why = why(target)
		w.effect(e)
		return
	}
	for _, t := range texts {
		f := e
		f.Certainty = permissions.Exact
		if len(texts) > 1 {
			f.Certainty = permissions.Bounded
		}
		host, err := hostOf(t)
		if strings.Contains(t, "://") {
			f.URL = t
		}
		if err != nil || host == "" {
			f.Certainty, f.Why = permissions.Unknown, "the host in "+t+" is not clear"
			if err != nil {
				f.Why += ": " + err.Error()
			}
			host = ""
		}
		f.Host = host
		w.effect(f)
	}
}

// prefixHost is the host of a URL of which only the beginning is known, where
// the host is surely complete.
func prefixHost(prefix string) (string, bool) {
	i := strings.Index(prefix, "://")
	if i < 0 || !strings.ContainsAny(prefix[i+3:], "/?#") {
		return "", false
	}
	host, err := hostOf(prefix)
	return host, err == nil && host != ""
}

// hostOf is the host of a URL, host, host:port or user@host:path.
func hostOf(t string) (string, error) {
	scheme, rest, has := strings.Cut(t, "://")
	switch {
	case has && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		return permissions.HostOfURL(t)
	case has:
		u, err := url.Parse(t)
		if err != nil {
			return "", err
		}
		if u.Hostname() == "" && rest != "" {
			return "", nil
		}
		return permissions.NormalizeHost(u.Hostname())
	}
	if strings.HasPrefix(t, "[") {
		if i := strings.IndexByte(t, ']'); i > 0 {
			return permissions.NormalizeHost(t[1:i])
		}
	}
	if strings.Count(t, ":") > 1 && !strings.ContainsAny(t, "/@") {
		return permissions.NormalizeHost(t) // an IPv6 address
	}
	// host/path (curl example.org/x), host:port, user@host:path.
	if i := strings.IndexAny(t, "/?#"); i >= 0 && !strings.Contains(t[:i], ":") {
		t = t[:i]
	}
	if i := strings.LastIndexByte(t, '@'); i >= 0 {
		t = t[i+1:]
	}
	t, _, _ = strings.Cut(t, ":")
	return permissions.NormalizeHost(t)
}
