// Texts by their bytes: their encoding, and what cannot be a text.

package texts

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// Is reports whether head is the start of a text: in UTF-8, in another Unicode encoding
// with a byte order mark, or in an encoding of one byte to a character.
func Is(head []byte) bool {
	if filetype.IsText(head) {
		return true
	}
	if wide(head) {
		return filetype.IsText(config.UTF8(head[:len(head)&^3]))
	}
	high := 0
	for _, c := range head {
		if c < ' ' && strings.IndexByte("\t\n\r\f", c) < 0 || c == 0x7f || 0x80 <= c && c < 0xa0 {
			return false
		}
		if c >= 0x80 {
			high++
		}
	}
	return len(head) > 0 && high < len(head)/4
}

// wide reports whether a text begins with a byte order mark of UTF-16, or of UTF-32 in little endian.
func wide(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// Control returns the offset of the first character that no text contains, or -1.
func Control(text []byte) int { return bytes.IndexAny(text, controls) }

// controls are characters that no text contains.
const controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12"

// UTF8 converts a text to UTF-8.
func UTF8(text []byte) []byte {
	if wide(text) {
		return config.UTF8(text)
	} else if !utf8.Valid(text) {
		return latin(text)
	}
	return text
}

// latin converts a text in which each byte is a character.
func latin(text []byte) []byte {
	b := make([]byte, 0, len(text)+len(text)/16)
	for _, c := range text {
		b = utf8.AppendRune(b, rune(c))
	}
	return b
}
