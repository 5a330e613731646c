// Keys of a large JSON text that identify a configuration.

package config

// TopStrings is the state of a scan over a JSON text that arrives in blocks.
type TopStrings struct {
	depth  int    // number of open objects and arrays
	inside bool   // within a string
	escape int    // pending bytes of an escape: 1 after a backslash, up to 4 digits after u
	digits bool   // whether the pending bytes are digits
	code   rune   // value of the digits
	text   []byte // beginning of the current string
	named  bool   // whether the string that was read last is "class_name"
	colon  bool   // whether a colon follows it
}

// HasModelWord scans the next block and reports whether a key in it identifies the configuration of
// a model: "class_name" with a string as its value, anywhere, or "modelTopology" in the outermost
// object.
func (t *TopStrings) HasModelWord(b []byte) bool {
	for _, c := range b {
		if t.follows(c) {
			return true
		}
		switch {
		case t.escape > 0:
			t.escaped(c)
		case t.inside && c == '\\':
			t.escape, t.digits = 1, false
		case c == '"':
			if t.inside && t.depth == 1 && string(t.text) == "modelTopology" {
				return true
			}
			t.named = t.inside && string(t.text) == "class_name"
			t.colon = false
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

// follows examines a byte after a string and reports whether it begins the value of a class
// name: after a colon, a quote.
func (t *TopStrings) follows(c byte) bool {
	switch {
	case !t.named || c == ' ' || c == '\t' || c == '\r' || c == '\n':
	case c == ':' && !t.colon:
		t.colon = true
	case c == '"' && t.colon:
		return true
	default:
		t.named = false
	}
	return false
}

// add appends a byte to the string.
func (t *TopStrings) add(c byte) {
	const most = 32 // bytes: longer than any of the words
	if len(t.text) < most {
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
