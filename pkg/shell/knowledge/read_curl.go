package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readCurl describes curl: what is fetched or sent, and where results go.
func readCurl(c *call) {
	urls := c.operands
	c.operands = nil
	c.apply()
	c.each(func(s seen) { urls = append(urls, operand{val: s.val, arg: s.arg}) }, "--url")
	sends := c.has("-d", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "-F", "--form", "--form-string",
		"-T", "--upload-file", "--json", "-Q", "--quote", "--mail-from", "--mail-rcpt")
	if s, ok := c.last("-X", "--request"); ok {
		method, known := s.val.Text()
		sends = sends || !known || method != "GET" && method != "HEAD" && method != "OPTIONS"
	}
	c.each(func(s seen) {
		sends = sends || strings.HasPrefix(s.val.Prefix(), "@") // what the file holds is sent
	}, "-H", "--header", "--proxy-header")
	for _, u := range urls {
		c.curlURL(u, sends)
	}
	c.each(func(s seen) { c.formFile(s) }, "-F", "--form", "--data-urlencode")
	c.each(func(s seen) { c.cookieFile(s) }, "-b", "--cookie")
	c.each(func(s seen) {
		c.data(s.val, s.arg)
		if t, ok := s.val.Text(); !ok || strings.Contains(t, "%output{") {
			c.unread("what curl writes after the transfer can name a file")
		}
	}, "-w", "--write-out")
	c.each(func(s seen) { c.connectTo(s) }, "--connect-to", "--resolve")
	c.each(func(s seen) {
		if t, _ := s.val.Text(); !c.has("-g", "--globoff") && strings.ContainsAny(t, "{[") {
			c.unread("the name of what is uploaded stands for several files")
		}
	}, "-T", "--upload-file")
	c.outputs(urls)
}

// curlURL notes one URL. Braces and brackets in it stand for several URLs.
func (c *call) curlURL(u operand, sends bool) {
	text, ok := u.val.Text()
	head := text
	if !ok {
		head = u.val.Prefix()
	}
	lower := strings.ToLower(head)
	if rest, file := strings.CutPrefix(lower, "file:"); file {
		skip := len("file:")
		if strings.HasPrefix(rest, "//") {
			skip += 2
			if host := strings.IndexByte(rest[2:], '/'); host > 0 {
				skip += host
			}
		}
		kind := ReadFile
		if sends {
			kind = WriteFile
		}
		c.access(kind, cut(u.val, skip), u.arg, false, false)
		return
	}
	host := head
	if _, after, scheme := strings.Cut(head, "://"); scheme {
		host = after
	}
	if k := strings.IndexAny(host, "/?#"); k >= 0 {
		host = host[:k]
	}
	if !c.has("-g", "--globoff") && strings.ContainsAny(host, "{}") ||
		strings.Contains(head[:min(len(head), 12)], "{") {
		c.net(sends, value.Unknown("the URL stands for several hosts"), u.arg)
		return
	}
	c.net(sends, u.val, u.arg)
}

// formFile: name=@file and name=<file, and name@file of --data-urlencode.
func (c *call) formFile(s seen) {
	head := s.val.Prefix()
	if s.opt.is("--data-urlencode") {
		if k := strings.IndexAny(head, "@="); k >= 0 && head[k] == '@' {
			c.access(ReadFile, cut(s.val, k+1), s.arg, false, false)
		}
		return
	}
	k := strings.IndexByte(head, '=')
	if k < 0 || k+1 >= len(head) || head[k+1] != '@' && head[k+1] != '<' {
		if _, exact := s.val.Text(); !exact && k+1 >= len(head) {
			c.access(ReadFile, value.Unknown("a form field may be a file"), s.arg, false, true)
		}
		return
	}
	text, exact := s.val.Text()
	if !exact {
		c.access(ReadFile, cut(s.val, k+2), s.arg, false, false)
		return
	}
	file, _, _ := strings.Cut(text[k+2:], ";")
	for _, f := range strings.Split(file, ",") {
		if f = strings.Trim(f, `"`); f != "-" {
			c.access(ReadFile, value.Exact(f), s.arg, false, false)
		}
	}
}

// cookieFile: a value without an equals sign is a file.
func (c *call) cookieFile(s seen) {
	if text, ok := s.val.Text(); !ok || text != "" && !strings.Contains(text, "=") {
		c.access(ReadFile, s.val, s.arg, false, !ok)
	}
}

// connectTo notes the host that is really reached.
func (c *call) connectTo(s seen) {
	text, ok := s.val.Text()
	parts := strings.Split(text, ":")
	switch {
	case !ok:
		c.net(true, value.Unknown("the address is not known"), s.arg)
	case s.opt.is("--connect-to") && len(parts) == 4 && parts[2] != "":
		c.net(true, value.Exact(parts[2]), s.arg)
	case s.opt.is("--resolve") && len(parts) >= 3:
		for _, a := range strings.Split(strings.Join(parts[2:], ":"), ",") {
			c.net(true, value.Exact(a), s.arg)
		}
	case s.opt.is("--connect-to") && len(parts) == 4:
	default:
		c.net(true, value.Unknown("another address than the URL's"), s.arg)
	}
}

// outputs notes the files that -o, -O and --output-dir write.
func (c *call) outputs(urls []operand) {
	dir := value.Exact("")
	if s, ok := c.last("--output-dir"); ok && s.has {
		dir = s.val
	}
	inDir := func(v value.Value) value.Value {
		if t, ok := dir.Text(); ok && t == "" {
			return v
		}
		return under(dir, v)
	}
	c.each(func(s seen) {
		text, ok := s.val.Text()
		if isDash(s.val) {
			return
		}
		if ok && strings.Contains(text, "#") && !c.has("-g", "--globoff") {
			text = text[:strings.IndexByte(text, '#')]
			c.role(role{kind: rolePrefix}, inDir(value.Exact(text)), s.arg, false)
			return
		}
		c.access(WriteFile, inDir(s.val), s.arg, false, false)
	}, "-o", "--output")
	if !c.has("-O", "--remote-name", "--remote-name-all", "-J", "--remote-header-name") {
		return
	}
	for _, u := range urls {
		name, ok := urlName(u.val)
		if !ok || c.has("-J", "--remote-header-name") {
			c.role(role{kind: roleInto}, inDir(value.Exact(".")), -1, false)
			continue
		}
		c.access(WriteFile, inDir(value.Exact(name)), -1, false, false)
	}
}

// urlName is the last part of a URL's path, under which it is saved.
func urlName(v value.Value) (string, bool) {
	text, ok := v.Text()
	if !ok || strings.ContainsAny(text, "{}[]%") {
		return "", false
	}
	if _, after, scheme := strings.Cut(text, "://"); scheme {
		text = after
	}
	text, _, _ = strings.Cut(text, "#")
	text, _, _ = strings.Cut(text, "?")
	k := strings.LastIndexByte(text, '/')
	if k < 0 || text[k+1:] == "" || text[k+1:] == "." || text[k+1:] == ".." {
		return "", false
	}
	return text[k+1:], true
}

// readWget describes wget, which saves what it fetches unless told otherwise.
func readWget(c *call) {
	urls := c.operands
	c.operands = nil
	c.apply()
	sends := c.has("--post-data", "--post-file", "--body-data", "--body-file")
	if s, ok := c.last("--method"); ok {
		method, known := s.val.Text()
		sends = sends || !known || !strings.EqualFold(method, "GET") && !strings.EqualFold(method, "HEAD")
	}
	for _, u := range urls {
		c.net(sends, u.val, u.arg)
	}
	if c.has("--spider", "-V", "--version", "-h", "--help") || c.has("-O", "--output-document") {
		return
	}
	dir := value.Exact(".")
	if s, ok := c.last("-P", "--directory-prefix"); ok && s.has {
		dir = s.val
		c.access(WriteFile, dir, s.arg, false, false) // made where it is missing
	}
	for _, u := range urls {
		name, ok := urlName(u.val)
		text, _ := u.val.Text()
		if !ok || strings.Contains(text, "?") || c.has("-r", "--recursive", "-m", "--mirror", "-p", "--page-requisites", "-x", "--force-directories", "--content-disposition", "-i", "--input-file", "-E", "--adjust-extension", "--trust-server-names") {
			if !c.has("-r", "--recursive", "-m", "--mirror", "-x", "--force-directories", "-p", "--page-requisites") && ok {
				c.role(role{kind: rolePrefix}, under(dir, value.Exact(name)), -1, false)
				continue
			}
			c.role(role{kind: roleInto}, dir, -1, false)
			continue
		}
		c.access(WriteFile, under(dir, value.Exact(name)), -1, false, false)
		c.role(role{kind: rolePrefix}, under(dir, value.Exact(name+".")), -1, false)
	}
}
