// Names of the members of archives: where they lead, and which are one to some.

// Package membername judges the names of members of archives as paths, and as keys
// by which readers find members.
package membername

import "strings"

// Hazard says what is wrong with a name for those who make a path of it, as what
// follows the name in a sentence. It returns "" if nothing is.
func Hazard(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case name == "":
		return "is no name"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "has a control character in it"
	case strings.HasPrefix(slashed, "/"):
		return "is an absolute path"
	case len(name) > 1 && name[1] == ':':
		return "names a drive"
	case slashed != name:
		return "has a backslash in it, which is part of the name to some and a slash to others"
	}
	// "./x" is what tar makes of the names in a folder that is packed from within.
	for element := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSuffix(name, "/"), "./"), "/") {
		switch element {
		case "..":
			return "leads out of the folder that it is unpacked to"
		case ".", "":
			if name != "./" && name != "." {
				return "is another way to write a path"
			}
		}
	}
	return ""
}

// Key returns what names have in common that some reader takes for one. PyTorch's
// ignores case; Python's ends names at a zero byte, and takes backslashes for
// slashes on Windows.
func Key(name string) string {
	name, _, _ = strings.Cut(name, "\x00")
	return strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
}
