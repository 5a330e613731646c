// Strings of the outermost object of a JSON text, without reading all of it at once.

package config

// TopStrings goes through a JSON text that is read from front to back.
type TopStrings struct {
	depth  int    // how many objects and arrays are open
	inside bool   // a string
	escape int    // bytes of an escape that are still due: 1 after a backslash, up to 4 digits after u
	digits bool   // whether these are digits
	code   rune   // that they stand for
	text   []byte // of the string at the outermost level, as far as it may be a word
}

// modelWords are the members by which a configuration is one of a model.
var modelWords = [...]string{"class_name", "modelTopology"}

// HasModelWord goes through the next bytes, and says whether one of the words ends in them.
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

// add adds a byte to the string, if it is at the outermost level.
func (t *TopStrings) add(c byte) {
	const most = 32 // bytes: longer than any of the words
	if t.depth == 1 && len(t.text) < most {
		t.text = append(t.text, c)
	}
}

// escaped takes a byte of an escape. Letters can be written as four hexadecimal digits.
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

// isWord says whether the string that ends is one of the words.
func (t *TopStrings) isWord() bool {
	for _, word := range modelWords {
		if string(t.text) == word {
			return true
		}
	}
	return false
}
