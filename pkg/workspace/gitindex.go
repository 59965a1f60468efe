package workspace

import (
	"encoding/binary"
	"io"
	"os"
	"path"
	"strings"

	"mayi/pkg/permissions"
)

// maxIndex bounds, in bytes, the index of a repository that is read.
const maxIndex = 64 << 20

// indexIsTame reports whether no name in the index of the repository that dir
// lies in has one of the features. It is false where the index cannot be read;
// where there is no repository, git lists nothing.
func indexIsTame(dir string, what permissions.Awkward) bool {
	for {
		info, err := os.Lstat(path.Join(dir, ".git"))
		switch {
		case err == nil && info.IsDir():
			return namesAreTame(path.Join(dir, ".git", "index"), what)
		case err == nil && info.Mode().IsRegular():
			return linkedIndex(dir, what)
		case err == nil || !missing(err):
			return false
		case dir == "/":
			return true
		}
		dir = path.Dir(dir)
	}
}

// linkedIndex reads the index of a worktree, whose .git is a file that says
// where it is.
func linkedIndex(dir string, what permissions.Awkward) bool {
	f, err := Open(path.Join(dir, ".git"), os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPath))
	where, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return false
	}
	if !strings.HasPrefix(where, "/") {
		where = path.Join(dir, where)
	}
	return namesAreTame(path.Join(path.Clean(where), "index"), what)
}

// namesAreTame reads an index of version 2 or 3.
func namesAreTame(file string, what permissions.Awkward) bool {
	f, err := Open(file, os.O_RDONLY, 0)
	if err != nil {
		return missing(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIndex+1))
	if err != nil || len(data) > maxIndex || len(data) < 12 || string(data[:4]) != "DIRC" {
		return false
	}
	version, n := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	if version != 2 && version != 3 {
		return false
	}
	// An entry is 62 bytes, 2 more if it says so, and the name, filled up with
	// NULs to a multiple of 8. Its object name is one of SHA-1.
	at := 12
	for range n {
		if at+62 > len(data) {
			return false
		}
		head := 62
		if data[at+60]&0x40 != 0 {
			head += 2
		}
		if at+head > len(data) {
			return false
		}
		end := strings.IndexByte(string(data[at+head:min(len(data), at+head+4*maxPath)]), 0)
		if size := int(binary.BigEndian.Uint16(data[at+60:]) & 0xfff); end <= 0 || size != min(end, 0xfff) {
			return false
		}
		name := string(data[at+head : at+head+end])
		if awkward(name, what) || what&permissions.Dash != 0 && (strings.HasPrefix(name, "-") || strings.Contains(name, "/-")) {
			return false
		}
		at += (head + end + 8) / 8 * 8
	}
	return plainRest(data[at:])
}

// plainRest: behind the entries there is nothing that adds entries kept
// elsewhere. It ends with the check sum.
func plainRest(rest []byte) bool {
	for len(rest) >= 28 {
		size := int(binary.BigEndian.Uint32(rest[4:]))
		if c := rest[0]; c < 'A' || c > 'Z' || size < 0 || size > len(rest)-8 {
			return false // an extension that must be understood: a split or sparse index
		}
		rest = rest[8+size:]
	}
	return len(rest) == 20
}
