// Strings of the outermost object of a large JSON text.

package config

// TopStrings is the state of a scan over a JSON text that arrives in blocks.
type TopStrings struct {
	depth  int    // number of open objects and arrays
	inside bool   // within a string
	escape int    // pending bytes of an escape: 1 after a backslash, up to 4 digits after u
	digits bool   // whether the pending bytes are digits
	code   rune   // value of the digits
	text   []byte // beginning of the current string at the outermost level
}

// modelWords are the keys that identify the configuration of a model.
var modelWords = [...]string{"class_name", "modelTopology"}

// HasModelWord scans the next block and reports whether one of the words ends in it.
func (t *TopStrings) HasModelWord(b []byte) bool {
	for _, c := range b {
		switch {
		case t.escape > 0:
			t.escaped(c)
		case t.inside && c == '\\':
			t.escape, t.digits = 1, false
		case c == '"':
			if t.inside && t.isWord() {
				return true
			}
			t.inside, t.text = !t.inside, t.text[:0]
		case t.inside:
			t.add(c)
		case c == '{' || c == '[':
			t.depth++
		case c == '}' || c == ']':
			t.depth--
		}
	}
	return false
}

// add appends a byte to the string if it is at the outermost level.
func (t *TopStrings) add(c byte) {
	const most = 32 // bytes: longer than any of the words
	if t.depth == 1 && len(t.text) < most {
		t.text = append(t.text, c)
	}
}

// escaped processes a byte of an escape. A letter may be written as four hexadecimal digits.
func (t *TopStrings) escaped(c byte) {
	t.escape--
	switch {
	case t.digits:
		t.code <<= 4
		switch {
		case '0' <= c && c <= '9':
			t.code |= rune(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			t.code |= rune(c|0x20-'a') + 10
		}
		if t.escape == 0 {
			t.add(byte(min(t.code, 0xff)))
		}
	case c == 'u':
		t.escape, t.digits, t.code = 4, true, 0
	default:
		t.add(c)
	}
}

// isWord reports whether the string that ends here is one of the words.
func (t *TopStrings) isWord() bool {
	for _, word := range modelWords {
		if string(t.text) == word {
			return true
		}
	}
	return false
}
