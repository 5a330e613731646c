// What a string looks like: a pickle, an archive, or one of them encoded.

package pickle

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// The forms of a text.
type textForm uint8

const (
	nothing textForm = iota
	raw              // it begins like a pickle
	archive          // it is an archive, which could hold one
	encoded          // it is one of them in base64 or hexadecimal
)

// textHeads are the bytes that a text can begin with that is not nothing.
var textHeads = func() (t [256]bool) {
	for _, c := range []byte("\x80ci(]}P7\x1f" + "gYKXfUH" + "862571") {
		t[c] = true
	}
	return t
}()

// formOf looks at the head of a text. Most texts that begin with one of textHeads
// are nothing, and are told apart in a few steps.
func formOf(b []byte) textForm {
	if len(b) < minEmbedded {
		return nothing
	}
	switch b[0] {
	case 0x80:
		if b[1] <= 5 && opcode.Code(b[2]).Valid() {
			return raw
		}
	case 'P', '7', 0x1f:
		if isArchive(b) {
			return archive
		}
	case 'c', 'i':
		if beginsPickle(b) {
			return raw
		}
	case '(', ']', '}':
		if hasImport(b) {
			return raw
		}
	}
	if mayEncode(b) && encodes(b) {
		return encoded
	}
	return nothing
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
// base64 or hexadecimal of a head of formOf.
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
// formOf knows.
func encodes(b []byte) bool {
	const least, most = 16, 128
	if len(b) < least {
		return false
	}
	d := decode(b[:min(len(b), most)&^3])
	if len(d) < minEmbedded {
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

// decode returns what base64 or hexadecimal stands for, nil if b is neither.
func decode(b []byte) []byte {
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
