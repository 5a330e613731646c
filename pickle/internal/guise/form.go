// What a string looks like: a pickle, an archive, or one of them encoded.

// Package guise tells what bytes look like before they are read as a pickle: a text
// that may be one, in whatever form, and the place among others where one may begin.
package guise

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Form is what a text looks like.
type Form uint8

const (
	Nothing Form = iota
	Raw          // it begins like a pickle
	Archive      // it is an archive, which could hold one
	Encoded      // it is one of them in base64 or hexadecimal
)

// textHeads are the bytes that a text can begin with that is not nothing.
var textHeads = func() (t [256]bool) {
	for _, c := range []byte("\x80ci(]}P7\x1f" + "gYKXfUH" + "862571") {
		t[c] = true
	}
	return t
}()

// Least is how many bytes the shortest text has that is looked at.
const Least = 8

// MayBe is whether a text is worth to be looked at: cheap, and no for most.
func MayBe(b []byte) bool { return len(b) >= Least && textHeads[b[0]] }

// Of looks at the head of a text. Most texts that begin with one of textHeads
// are nothing, and are told apart in a few steps.
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

// isArchive knows ZIP, 7z and gzip by their first bytes.
func isArchive(b []byte) bool {
	return bytes.HasPrefix(b, []byte("PK\x03\x04")) || bytes.HasPrefix(b, []byte("7z\xbc\xaf")) || bytes.HasPrefix(b, []byte("\x1f\x8b\x08"))
}

// hasImport is whether a GLOBAL or an INST is in a text, as far as that can be
// seen without reading it as a pickle.
func hasImport(b []byte) bool {
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

// mayEncode looks at the first two bytes of what may be encoded: those that are
// base64 or hexadecimal of a head of Of.
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

// encodes is whether the head of a text is base64 or hexadecimal of what
// Of knows.
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

// Decode returns what base64 or hexadecimal stands for, nil if b is neither.
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
