// Names of shards that are not opened.

package naming

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors/store"
)

// Fault returns what is wrong with the name of a shard in an index, or "". Names with a
// fault are not opened. The answer is the same on every system, though not every name is
// dangerous on each. The name has to end in one of ends.
//
// An index may come from an untrusted source, and reports quote the files that it names.
// So no index may name private files, such as ".env", nor files that are not called as
// shards are.
func Fault(name string, ends ...string) string {
	control := strings.IndexFunc(name, isUnprintable)
	switch {
	case strings.Contains(name, "://"):
		return "is a URL"
	case strings.HasPrefix(name, "/"), len(name) > 1 && name[1] == ':':
		return "is an absolute path"
	case strings.Contains(name, `\`):
		return "has a backslash"
	case strings.Contains("/"+name+"/", "/../"):
		return `leads out of the folder by ".."`
	case control >= 0:
		r, _ := utf8.DecodeRuneInString(name[control:])
		return fmt.Sprintf("has the unprintable character %q", r)
	case store.CheckName(name) != nil:
		return `is not a plain path: it is not UTF-8, or an element of it is empty or "."`
	case IsHidden(name):
		return `has an element that begins with "."`
	case !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) }):
		return fmt.Sprintf("does not end in %q", ends[0])
	}
	return ""
}

// IsHidden reports whether an element of a path begins with a dot.
func IsHidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// isUnprintable reports whether a character ends a line, or is invisible and changes how
// others are shown: U+202E shows "txt.safetensors" as another name.
func isUnprintable(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
