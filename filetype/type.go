// Types: what a file is, and commands with its path.

package filetype

import "strings"

// A Type is what a file is.
type Type struct {
	Kind   Kind
	Detail string // more about this file, such as the first line of a text, or "" if there is nothing more
}

// String returns the name of the kind with its detail, as in "a zip archive of 3 files".
func (t Type) String() string { return t.Kind.Name() + t.Detail }

// Advice returns what to do with the file, as [Kind.Advice] does.
func (t Type) Advice() string { return t.Kind.Advice() }

// For returns advice with FILE replaced by a file's path, and FOLDER by the path of its folder, both quoted for a shell
// where needed. If the path is a pattern, which names several files, FILE is their folder.
func For(advice, file string) string {
	folder := "."
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		folder = file[:max(i, 1)]
	}
	if strings.Contains(file[strings.LastIndexByte(file, '/')+1:], "*") {
		file = folder
	}
	return strings.NewReplacer("FILE", shellQuote(file), "FOLDER", shellQuote(folder)).Replace(advice)
}

// shellQuote quotes a path for a POSIX shell. A path that begins with "-" is made one that does not.
func shellQuote(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
