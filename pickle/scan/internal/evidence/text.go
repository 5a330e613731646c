// Texts within files of other formats.

package evidence

import (
	"bytes"
	"unicode/utf8"
)

// A Text is a text in a file of another format, such as metadata.
type Text struct {
	Key, Value string
	At         int64 // offset in the file
}

const (
	// MostText is the size of the longest text that analyzers keep, in bytes.
	MostText = 1 << 20
	mostKept = 4 << 20 // bytes of all texts
	keptText = 64      // bytes of a text besides its content
)

// MayName reports whether a text without a key may name code.
func MayName(text []byte) bool {
	return (bytes.ContainsAny(text, "{!") || bytes.Contains(text, []byte("_target_"))) && utf8.Valid(text) &&
		bytes.IndexByte(text, 0) < 0
}

// Keep keeps a text, which is judged later, if it may name code under its key.
func (r *Report) Keep(key string, value []byte, at int64) {
	if key == "" && !MayName(value) || len(value) == 0 {
		return
	}
	if r.kept += int64(len(key) + len(value) + keptText); r.kept > mostKept || len(value) > MostText {
		r.Incomplete = "the file has more or longer texts than are read"
		return
	}
	r.Texts = append(r.Texts, Text{key, string(value), at})
}
