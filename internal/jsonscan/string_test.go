// Strings: where they end, what their escapes stand for, and what is above ASCII.

package jsonscan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestStrOfEveryLength puts each byte that matters at each place of strings of
// up to 40 bytes, so that it is found in words of eight, in pairs of them, and
// one by one.
func TestStrOfEveryLength(t *testing.T) {
	for length := range 40 {
		for at := range length {
			for _, c := range []byte{'"', '\\', '\x00', '\x1f', '\n', ' ', '!', '#', '[', ']', '\x7f', '\x80', '\xa2', '\xdc', '\xff'} {
				body := []byte(strings.Repeat("a", length))
				body[at] = c
				text := `"` + string(body) + `"` + strings.Repeat("z", length%20)
				s := New([]byte(text))
				str, err := s.Str()
				switch {
				case c == '"':
					if err != nil || str.End != 1+at || s.Pos() != 2+at {
						t.Errorf("%q: %+v, %v, want its end at %d", text, str, err, 1+at)
					}
				case c == '\\' || c < 0x20:
					// An a after a backslash is no escape. A backslash at the end escapes the quote.
					if err == nil {
						t.Errorf("%q: %+v", text, str)
					}
				default:
					if err != nil || str != (Str{1, 1 + length, false}) || s.NonASCII != (c >= 0x80) {
						t.Errorf("%q: %+v, %v, above ASCII %v", text, str, err, s.NonASCII)
					}
				}
			}
		}
	}
}

// TestStrOfEveryByte has each byte in a word after bytes of every kind: what is
// special is found by subtraction, which could carry from one byte to the next.
func TestStrOfEveryByte(t *testing.T) {
	for c := range 256 {
		for _, before := range []string{"   ", "!!!", "###", "[[[", "]]]", "aaa", "~~~", "\x7f\x7f\x7f"} {
			text := []byte(`"` + before + "?" + strings.Repeat("b", 20) + `"`)
			text[4] = byte(c)
			want := Str{Begin: 1, End: len(text) - 1}
			switch c {
			case '"':
				want.End = 4
			case '\\':
				want.Escaped = true // the b after it makes it a backspace
			}
			s := New(text)
			str, err := s.Str()
			if c < 0x20 {
				if err == nil {
					t.Errorf("%q: %+v", text, str)
				}
			} else if err != nil || str != want || s.NonASCII != (c >= 0x80) {
				t.Errorf("%q: %+v, %v; want %+v", text, str, err, want)
			}
		}
	}
}

// TestUnescape has every escape, and what it stands for.
func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		``: ``, `a`: `a`, `\"`: `"`, `\\`: `\`, `\/`: `/`, `\b`: "\b", `\f`: "\f", `\n`: "\n", `\r`: "\r", `\t`: "\t",
		`\u0000`: "\x00", `\u0041`: "A", `\u007f`: "\x7f", `\u0080`: "\u0080", `\u00e9`: "é", `\u00E9`: "é", `\u07ff`: "\u07ff", `\u0800`: "\u0800",
		`\ud7ff`: "\ud7ff", `\ue000`: "\ue000", `\uffff`: "\uffff", `\ufffd`: "\ufffd", `\ufeff`: "\ufeff",
		`\ud800\udc00`: "\U00010000", `\uD83D\uDE00`: "😀", `\ud83d\ude00`: "😀", `\udbff\udfff`: "\U0010ffff", `\ud800\udfff`: "\U000103ff", `\udbff\udc00`: "\U0010fc00",
		`\\u0041`: `\u0041`, `\\\u0041`: `\A`, `\\\\`: `\\`, `a\nb\tc`: "a\nb\tc", `é\u00e9é`: "ééé", `\ud83d\ude00\ud83d\ude00`: "😀😀", `\\n`: `\n`, `\/\/`: `//`,
		strings.Repeat(`\u0061`, 100): strings.Repeat("a", 100), strings.Repeat("a", 100) + `\n`: strings.Repeat("a", 100) + "\n",
	} {
		b := []byte(`"` + text + `"`)
		s := New(b)
		str, err := s.Str()
		if err != nil || str.Escaped != strings.Contains(text, `\`) {
			t.Errorf("%s: %+v, %v", text, str, err)
			continue
		}
		got := Unescape(s.Text(str.Begin, str.End))
		if string(got) != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
		if b[len(b)-1] != '"' || b[0] != '"' {
			t.Errorf("%s: unescaping wrote to %q, outside of the string", text, b)
		}
	}
}

// TestUnescapeEveryCharacter escapes each character of Unicode, and compares with
// encoding/json.
func TestUnescapeEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if r == 0xd800 {
			r = 0xe000 // the halves of pairs are no characters
		}
		if r > 0x3000 && r%97 != 0 && r < 0xfff0 || r > 0x10100 && r%997 != 0 && r < 0x10fff0 {
			continue // the edges, and a sample of what is between
		}
		text := fmt.Sprintf(`\u%04x`, r)
		if r > 0xffff {
			text = fmt.Sprintf(`\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
		var want string
		if err := json.Unmarshal([]byte(`"`+text+`"`), &want); err != nil {
			t.Fatal(err)
		}
		if got := Unescape([]byte(text)); string(got) != want || want != string(r) {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestNonASCII checks that bytes above ASCII are noticed in strings of every
// kind, and escapes are not taken for any.
func TestNonASCII(t *testing.T) {
	for text, want := range map[string]bool{
		`"a"`: false, `"\u00e9"`: false, `"é"`: true, `{"é":0}`: true, `[{"a":["é"]}]`: true, `["a","b",{"c":"d"}]`: false,
		"\"\x7f\"": false, "\"\x80\"": true, "\"\xff\"": true, `"` + strings.Repeat("a", 31) + `é"`: true,
	} {
		s := New([]byte(text))
		if _, _, err := s.Skip(); err != nil || s.NonASCII != want {
			t.Errorf("%q: %v, above ASCII %v", text, err, s.NonASCII)
		}
	}
}
