// Helpers that examine bytes.

package filetype

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// IsText reports whether b is printable UTF-8. The last character may be cut off.
func IsText(b []byte) bool {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return len(b)-i < utf8.UTFMax && i > 0
		}
		if r < 0x20 && !strings.ContainsRune("\t\n\r\f", r) || r == 0x7f {
			return false
		}
		i += n
	}
	return len(b) > 0
}

// hasAt reports whether head contains s at the given offset.
func hasAt(head []byte, at int, s string) bool {
	return len(head) >= at && bytes.HasPrefix(head[at:], []byte(s))
}
