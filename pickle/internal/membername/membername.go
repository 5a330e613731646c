// Names of archive members.

// Package membername checks the names of archive members as paths, and compares them as readers do.
package membername

import "strings"

// Hazard describes a name that is dangerous or ambiguous as a path, as the predicate of a sentence. It returns "" for a
// harmless name.
func Hazard(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case name == "":
		return "is empty"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "contains a control character"
	case strings.HasPrefix(slashed, "/"):
		return "is an absolute path"
	case len(name) > 1 && name[1] == ':':
		return "names a drive"
	case slashed != name:
		return "contains a backslash, which some readers treat as a slash"
	}
	// tar writes "./x" when it packs a folder from within.
	for element := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSuffix(name, "/"), "./"), "/") {
		switch element {
		case "..":
			return "leads out of the extraction folder"
		case ".", "":
			if name != "./" && name != "." {
				return "is not in canonical form"
			}
		}
	}
	return ""
}

// Key returns a key that is equal for names that some reader considers equal. PyTorch ignores case; Python ends names
// at a NUL, and treats backslashes as slashes on Windows.
func Key(name string) string {
	name, _, _ = strings.Cut(name, "\x00")
	return strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
}
