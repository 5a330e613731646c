// Classification of strings: pickles, archives, and encoded forms of them.

// Package guise recognizes data that may contain a pickle before it is parsed: strings that are a pickle in some form,
// and offsets at which a pickle may start.
package guise

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Form is the kind of data in a string.
type Form uint8

// The forms.
const (
	Nothing Form = iota // no pickle or archive
	Raw                 // starts like a pickle
	Archive             // an archive, which can contain a pickle
	Encoded             // either of them in base64 or hexadecimal
)

// textHeads are the first bytes of strings that are not Nothing.
var textHeads = func() (t [256]bool) {
	for _, c := range []byte("\x80ci(]}P7\x1f" + "\x8c\x8dXVSUT" + "gYKXfUH" + "862571") {
		t[c] = true
	}
	return t
}()

// Least is the length of the shortest string that is examined.
const Least = 8

// MayBe reports whether a string deserves a call of Of. It is cheap, and false for most strings.
func MayBe(b []byte) bool { return len(b) >= Least && textHeads[b[0]] }

// Of classifies a string by its first bytes. Most strings that start with one of textHeads are Nothing, and a few steps
// show that.
func Of(b []byte) Form {
	if len(b) < Least {
		return Nothing
	}
	switch b[0] {
	case 0x80:
		if b[1] <= 5 && opcode.Code(b[2]).Valid() {
			return Raw
		}
	case 'P', '7', 0x1f:
		if isArchive(b) {
			return Archive
		}
	case 'c', 'i':
		if beginsPickle(b) {
			return Raw
		}
	case 0x8c, 0x8d, 'X', 'V', 'S', 'U', 'T':
		if beginsPickle(b) && bytes.IndexByte(b, byte(opcode.StackGlobal)) > 0 {
			return Raw
		}
	case '(', ']', '}':
		if hasImport(b) {
			return Raw
		}
	}
	if mayEncode(b) && encodes(b) {
		return Encoded
	}
	return Nothing
}

// isArchive detects ZIP, 7z and gzip by their signatures.
func isArchive(b []byte) bool {
	for _, magic := range [...]string{"PK\x03\x04", "7z\xbc\xaf", "\x1f\x8b\x08"} {
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	return false
}

// hasImport reports whether a string seems to contain an import. It does not parse the string.
func hasImport(b []byte) bool {
	if bytes.IndexByte(b, byte(opcode.StackGlobal)) > 0 {
		for i, c := range b {
			if heads[c] && beginsPickle(b[i:]) {
				return true
			}
		}
	}
	for i := 1; i < len(b); i++ {
		n := bytes.IndexAny(b[i:], "ci")
		if n < 0 {
			return false
		}
		if i += n; beginsPickle(b[i:]) {
			return true
		}
		i = max(i, afterName(b, i+1)-1)
	}
	return false
}

// mayEncode reports whether the first two bytes can be base64 or hexadecimal of a string that is not Nothing.
func mayEncode(b []byte) bool {
	c := b[1]
	switch b[0] {
	case 'g': // 80 00 to 80 05
		return c == 'A'
	case 'Y': // "c" and a letter
		return c >= '0' && c <= '3'
	case 'K': // "("
		return c >= 'A' && c <= 'P'
	case 'X', 'f': // "]" and "}"
		return c >= 'Q' && c <= 'Z' || c >= 'a' && c <= 'f'
	case 'U', 'H': // "PK", 1f 8b
		return c == 'E' || c == '4'
	case '8', '6', '2', '5', '7', '1':
		return c == '0' || c == '3' || c == '8' || c|0x20 == 'd' || c|0x20 == 'f'
	}
	return false
}

// encodes reports whether a string is base64 or hexadecimal of data that is not Nothing.
func encodes(b []byte) bool {
	const least, most = 16, 128
	if len(b) < least {
		return false
	}
	d := Decode(b[:min(len(b), most)&^3])
	if len(d) < Least {
		return false
	}
	switch d[0] {
	case 0x80:
		return d[1] <= 5 && opcode.Code(d[2]).Valid()
	case 'c', 'i':
		return beginsPickle(d)
	case '(', ']', '}':
		return hasImport(d)
	}
	return isArchive(d)
}

// Decode decodes hexadecimal or base64, and returns nil if b is neither.
func Decode(b []byte) []byte {
	out := make([]byte, len(b)/2)
	if _, err := hex.Decode(out, b[:len(b)&^1]); err == nil {
		return out
	}
	text := strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(string(b))
	out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil
	}
	return out
}
