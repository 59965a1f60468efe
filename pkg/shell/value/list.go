package value

import "strings"

// Listing is what is known of a text that lists names: of files, mostly. Each
// name ends with Sep; there may be none at all.
type Listing struct {
	// Names is every name that may be listed. It holds literal text and globs
	// alone, and a glob of "**" that crosses directories.
	Names Value
	// Sep ends each name: a newline or NUL.
	Sep byte
	// Quoted: a name with a control character, a quote or a backslash in it is
	// written in double quotes, as git does; so no name holds a newline.
	Quoted bool
	// Index: the names stand in git's index and need not be on the disk.
	Index bool
	// Tree is the directory, as an absolute path, that every name which is not
	// exact was found below: what is known of the names there is known of these.
	Tree string
}

// Marks in the text form of a listing, which pieces carry: it has to be
// comparable.
const (
	listField = "\x01"
	listAlt   = "\x02"
	listPiece = "\x03"
)

// Listed is text that lists names. It is not known at all where the names are
// not.
func Listed(l Listing, why string) Value {
	var b strings.Builder
	b.WriteByte(l.Sep)
	for _, set := range [...]bool{l.Quoted, l.Index} {
		if set {
			b.WriteByte('+')
		} else {
			b.WriteByte('-')
		}
	}
	b.WriteString(l.Tree + listField)
	for _, alt := range l.Names.Alternatives() {
		b.WriteString(listAlt)
		for _, p := range alt {
			if p.Kind == Any || strings.ContainsAny(p.Text, listField+listAlt+listPiece+"\x00") {
				return Unknown(why)
			}
			b.WriteString(listPiece + string(rune('0'+p.Kind)) + p.Text)
		}
	}
	if strings.ContainsAny(l.Tree, listField+listAlt+listPiece+"\x00") {
		return Unknown(why)
	}
	return of(Piece{Kind: Any, Text: why, List: b.String()})
}

// Listing returns what is known of v as a list of names. ok is false where it
// is not known to be one.
func (v Value) Listing() (l Listing, ok bool) {
	if v.any || v.alts == nil {
		return l, false
	}
	for _, alt := range v.alts {
		switch {
		case len(alt) == 0 || len(alt) == 1 && alt[0].Kind == Lit && strings.Trim(alt[0].Text, "\n") == "":
			continue // nothing was listed
		case len(alt) != 1 || alt[0].Kind != Any || alt[0].List == "" || ok:
			return Listing{}, false
		}
		l, ok = parseListing(alt[0].List), true
	}
	return l, ok
}

func parseListing(text string) Listing {
	l := Listing{Sep: text[0], Quoted: text[1] == '+', Index: text[2] == '+'}
	fields := strings.SplitN(text[3:], listField, 2)
	l.Tree = fields[0]
	for i, alt := range strings.Split(fields[1], listAlt)[1:] {
		var one Value
		for _, p := range strings.Split(alt, listPiece)[1:] {
			one = Concat(one, Of(Piece{Kind: PieceKind(p[0] - '0'), Text: p[1:]}))
		}
		if i == 0 {
			l.Names = one
		} else {
			l.Names = Union(l.Names, one)
		}
	}
	return l
}

// Scratch is what a Glob piece notes where it is a part of the name of a
// private file or directory ("d") that the script itself made with mktemp.
const (
	Scratch    = "s"
	ScratchDir = "sd"
)

// ScratchName is the name of a private file, or directory, that mktemp makes:
// nobody can know it before, so that it is nothing of anybody else's.
func ScratchName(prefix string, dir bool) Value {
	mark := Scratch
	if dir {
		mark = ScratchDir
	}
	return Concat(Exact(prefix), of(Piece{Kind: Glob, Text: "*", List: mark}))
}

// Deep is a glob for every file below what stands before it, in any folder;
// links: some may be symbolic links.
func Deep(links bool) Value {
	if links {
		return Pattern("**")
	}
	return Pattern("***")
}
