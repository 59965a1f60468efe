package permissions

import (
	"fmt"
	"strconv"
	"strings"
)

func readCall(tool, parts, effects string) (Call, error) {
	words := strings.Fields(tool)
	if len(words) == 0 {
		return Call{}, fmt.Errorf("no tool")
	}
	c := Call{Tool: Tool{Name: words[0], Builtin: true}}
	if words[0] == "$" {
		c.Tool.Name, c.Shell = "bash", true
	} else if name, ok := strings.CutPrefix(words[0], "mcp:"); ok {
		c.Tool = Tool{}
		c.Tool.Server, c.Tool.Name, _ = strings.Cut(name, ".")
	}
	for _, w := range words[1:] {
		switch w {
		case "remote":
			c.Remote = true
		case "confinable":
			c.Confinable = true
		case "approved":
			c.Approved = GrantedOnce
		case "refused":
			c.Approved = GrantDenied
		case "unread":
			c.Unread = []Unread{{Why: "it does not parse"}}
		default:
			return c, fmt.Errorf("unknown flag %q", w)
		}
	}
	if parts = strings.TrimSpace(parts); parts != "" {
		for _, text := range strings.Split(parts, " ;; ") {
			p, err := readPart(strings.TrimSpace(text))
			if err != nil {
				return c, err
			}
			c.Parts = append(c.Parts, p)
		}
	}
	for _, text := range strings.Fields(effects) {
		e, err := readEffect(text, len(c.Parts)-1)
		if err != nil {
			return c, err
		}
		if c.Shell && e.Origin == FromTool {
			e.Origin = FromCommand
		}
		if c.Tool.Server != "" && !strings.Contains(text, ",direct") {
			e.Origin = FromArgument
		}
		c.Effects = append(c.Effects, e)
	}
	return c, nil
}

func readPart(text string) (Part, error) {
	p := Part{Parent: -1, Name: 1}
	for strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "[ ") && !strings.HasPrefix(text, "[[") {
		flag, rest, ok := strings.Cut(text[1:], "]")
		if !ok {
			return p, fmt.Errorf("bracket not closed in %q", text)
		}
		text = strings.TrimSpace(rest)
		key, value, _ := strings.Cut(flag, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "free":
			p.Class = Free
		case "wrapper":
			p.Class = Wrapper
		case "function":
			p.Class = Function
		case "person":
			p.Person = "it is the person's"
		case "opaque":
			p.Opaque = OpaqueProgram
		case "inline":
			p.Opaque = OpaqueInline
		case "unread":
			p.Unread = []Unread{{Why: "a program is named at run time"}}
		case "argsmayrun":
			p.ArgsMayRun = true
		case "parent":
			p.Parent = n
		case "inner":
			p.InnerAt = n
		case "name":
			p.Name = n
		case "canon":
			p.Canon = partWords(value)
		default:
			return p, fmt.Errorf("unknown part flag %q", key)
		}
	}
	p.Words = partWords(text)
	return p, nil
}

func partWords(text string) []Word {
	texts, err := splitWords(text, 0)
	if err != nil {
		panic(err)
	}
	var out []Word
	for _, w := range texts {
		switch {
		case strings.HasPrefix(w, "{") && strings.Contains(w, "|"):
			out = append(out, Word{Text: w, OneOf: strings.Split(strings.Trim(w, "{}"), "|")})
		case strings.HasPrefix(w, "$"):
			out = append(out, Word{Text: w})
		case strings.HasPrefix(w, "^"):
			out = append(out, Word{Text: w[1:], Known: true, ByName: true})
		default:
			out = append(out, Word{Text: w, Known: true})
		}
	}
	return out
}

func readEffect(text string, part int) (Effect, error) {
	head, target, _ := strings.Cut(text, ":")
	attributes := strings.Split(head, ",")
	e := Effect{Certainty: Exact, Part: part}
	if err := e.Kind.UnmarshalText([]byte(attributes[0])); err != nil || e.Kind.String() != attributes[0] {
		return e, fmt.Errorf("unknown kind in %q", text)
	}
	if i := strings.LastIndex(target, "@"); i >= 0 && !strings.Contains(target[i:], "/") {
		e.Part, _ = strconv.Atoi(target[i+1:])
		target = target[:i]
	}
	if e.Kind == NetRead || e.Kind == NetWrite {
		e.Host = target
		if strings.Contains(target, "//") {
			e.Host, e.URL = "", target
		}
	} else {
		e.Path = target
	}
	e.Place = testPlace(e.Path)
	for _, a := range attributes[1:] {
		key, value, _ := strings.Cut(a, "=")
		switch key {
		case "redirect":
			e.Origin = FromRedirect
		case "argument":
			e.Origin = FromArgument
		case "unknown":
			e.Certainty = Unknown
		case "direct": // of a foreign tool, but not from its arguments
		case "bounded":
			e.Certainty = Bounded
		case "glob":
			e.Certainty, e.Glob = Bounded, true
		case "recursive":
			e.Recursive = true
		case "protected":
			e.Place.Protected = "the protected list"
		case "own":
			e.Place.Own = true
		case "readable":
			e.Place.Readable = true
		case "writable":
			e.Place.Readable, e.Place.Writable = true, true
		case "once":
			e.Grant = GrantedOnce
		case "session":
			e.Grant = GrantedSession
		case "denied":
			e.Grant = GrantDenied
		case "partial":
			e.Place.Partial = true
		case "real":
			e.Place = testPlace(value)
		case "below":
			e.Place.Below = append(e.Place.Below, value)
		case "program":
			e.Program = value
		case "host":
			e.Host = value
		default:
			return e, fmt.Errorf("unknown attribute %q", key)
		}
	}
	return e, nil
}

// testPlace stands in for pkg/workspace: no links, the workspace /ws.
func testPlace(p string) Place {
	if p == "" {
		return Place{}
	}
	real := "/" + strings.Join(cleaned(components(p)), "/")
	switch {
	case real == "/dev/null":
		return Place{Zone: Device, Real: real}
	case real == "/ws" || strings.HasPrefix(real, "/ws/"):
		return Place{Zone: Inside, Real: real}
	}
	return Place{Zone: Outside, Real: real}
}
