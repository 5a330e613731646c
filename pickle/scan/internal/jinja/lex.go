// Tokens: lexer.py of Jinja.

package jinja

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is the kind of a token.
type kind uint8

// The kinds of tokens.
const (
	name kind = iota
	number
	str
	operator
)

// A token is a part of an expression.
type token struct {
	kind kind
	text string // unescaped
	at   int
}

// is reports whether the token is an operator.
func (t token) is(op string) bool { return t.kind == operator && t.text == op }

// named reports whether the token is a name.
func (t token) named(s string) bool { return t.kind == name && t.text == s }

// A lexer finds the expressions in a template.
type lexer struct {
	text   []byte
	pos    int
	tokens []token // of the current expression or statement
	block  bool    // it is a statement
	start  int     // where it begins
	open   int     // brackets that are open in it
	more   bool    // it goes on: it has more tokens than are judged at once
	broken bool    // Jinja refuses the template
}

// Tokens that are judged at once, and those that are judged again with the next ones.
const (
	atOnce = 20_000
	again  = 64
)

// nextCode reads the next expression or statement.
func (l *lexer) nextCode() bool {
	if l.more {
		l.tokens = append(l.tokens[:0], l.tokens[len(l.tokens)-min(again, len(l.tokens)):]...)
		l.expression()
		return true
	}
	for !l.broken {
		i := bytes.IndexByte(l.text[l.pos:], '{')
		if i < 0 || l.pos+i+1 >= len(l.text) {
			return false
		}
		l.pos += i
		switch l.text[l.pos+1] {
		case '#':
			end := bytes.Index(l.text[l.pos+2:], []byte("#}"))
			if end < 0 {
				l.broken = true
				return false
			}
			l.pos += end + 4
		case '%', '{':
			l.block, l.start, l.open, l.tokens = l.text[l.pos+1] == '%', l.pos, 0, l.tokens[:0]
			if l.pos += 2; l.pos < len(l.text) && (l.text[l.pos] == '-' || l.text[l.pos] == '+') {
				l.pos++
			}
			l.expression()
			if l.broken {
				return false
			}
			if l.block && len(l.tokens) == 1 && l.tokens[0].named("raw") {
				l.raw()
				continue
			}
			return len(l.tokens) > 0
		default:
			l.pos++
		}
	}
	return false
}

// raw skips a block of plain text.
func (l *lexer) raw() {
	for {
		i := bytes.Index(l.text[l.pos:], []byte("{%"))
		if i < 0 {
			l.broken = true
			return
		}
		l.pos += i + 2
		rest := bytes.TrimLeft(bytes.TrimLeft(l.text[l.pos:min(len(l.text), l.pos+100)], "-+"), " \t\r\n\v\f")
		if bytes.HasPrefix(rest, []byte("endraw")) {
			return // the end is skipped like any text
		}
	}
}

// expression reads tokens up to the closing delimiter.
func (l *lexer) expression() {
	l.more = false
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if l.open == 0 && l.closing(c) {
			return
		}
		if len(l.tokens) == atOnce {
			l.more = true
			return
		}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f':
			l.pos++
		case c == '\'' || c == '"':
			if !l.str(c) {
				l.broken = true
				return
			}
		case '0' <= c && c <= '9':
			l.number()
		case c == '_' || c >= utf8.RuneSelf || 'a' <= c|0x20 && c|0x20 <= 'z':
			if !l.name() {
				l.broken = true
				return
			}
		default:
			n := l.operator()
			if n == 0 {
				l.broken = true
				return
			}
			switch c {
			case '(', '[', '{':
				l.open++
			case ')', ']', '}':
				l.open--
			}
			l.pos += n
		}
	}
	l.broken = true
}

// closing skips the closing delimiter, if it is here.
func (l *lexer) closing(c byte) bool {
	end := "}}"
	if l.block {
		end = "%}"
	}
	n := 0
	if c == '-' || c == '+' && l.block {
		n = 1
	}
	if !bytes.HasPrefix(l.text[l.pos+n:], []byte(end)) {
		return false
	}
	l.pos += n + len(end)
	return true
}

// operators are the operators of more than one byte.
var operators = [...]string{"//", "**", "==", "!=", ">=", "<="}

// operator adds an operator and returns its length.
func (l *lexer) operator() int {
	for _, op := range operators {
		if bytes.HasPrefix(l.text[l.pos:], []byte(op)) {
			l.tokens = append(l.tokens, token{operator, op, l.pos})
			return len(op)
		}
	}
	c := l.text[l.pos]
	if strings.IndexByte("+-/*%~[](){}><=.:|,;", c) < 0 {
		return 0
	}
	l.tokens = append(l.tokens, token{operator, string(rune(c)), l.pos})
	return 1
}

// number adds a number.
func (l *lexer) number() {
	from := l.pos
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		digit := '0' <= c && c <= '9' || c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !digit && !(c == '.' && l.pos+1 < len(l.text) && '0' <= l.text[l.pos+1] && l.text[l.pos+1] <= '9') {
			break
		}
		l.pos++
	}
	l.tokens = append(l.tokens, token{number, string(l.text[from:l.pos]), from})
}

// name adds a name. Python normalizes names, so other letters are folded to ASCII where they
// look like it.
func (l *lexer) name() bool {
	from := l.pos
	for l.pos < len(l.text) {
		r, n := utf8.DecodeRune(l.text[l.pos:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '·' {
			break
		}
		l.pos += n
	}
	l.tokens = append(l.tokens, token{name, folded(string(l.text[from:l.pos])), from})
	return l.pos > from
}

// folded replaces fullwidth letters and others that normalize to ASCII.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 0xff01 <= r && r <= 0xff5e:
			return r - 0xfee0
		case 0x1d400 <= r && r <= 0x1d6a3: // mathematical letters: 13 alphabets
			n := (r - 0x1d400) % 52
			if n < 26 {
				return 'A' + n
			}
			return 'a' + n - 26
		case r == 0xfe33 || r == 0xfe34 || 0xfe4d <= r && r <= 0xfe4f || r == 0x203f || r == 0x2040:
			return '_'
		}
		return r
	}, s)
}

// str adds a string.
func (l *lexer) str(quote byte) bool {
	from := l.pos
	for i := l.pos + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case quote:
			l.pos = i + 1
			l.tokens = append(l.tokens, token{str, unescape(string(l.text[from+1 : i])), from})
			return true
		}
	}
	return false
}

// unescape decodes the escapes of a Python string, as far as they encode ASCII.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits := 0
		switch s[i] {
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		}
		switch {
		case digits > 0 && i+digits < len(s):
			n, err := strconv.ParseUint(s[i+1:i+1+digits], 16, 32)
			if err != nil || n > unicode.MaxRune {
				n = utf8.RuneError
			}
			b.WriteRune(rune(n))
			i += digits
		case '0' <= s[i] && s[i] <= '7':
			n := rune(0)
			for k := 0; k < 3 && i < len(s) && '0' <= s[i] && s[i] <= '7'; k++ {
				n = n<<3 | rune(s[i]-'0')
				i++
			}
			i--
			b.WriteRune(n)
		case s[i] == 'N' && strings.HasPrefix(s[i:], "N{"):
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				break
			}
			b.WriteByte('_') // the usual reason to name a character
			i += end
		case strings.IndexByte("abfnrtv\n", s[i]) >= 0:
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
