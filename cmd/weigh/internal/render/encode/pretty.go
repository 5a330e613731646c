// Indented JSON.

package encode

import (
	"bufio"
	"bytes"
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Pretty indents JSON text for people. It works on tokens, so the order of members, duplicate
// names and the spelling of numbers and strings are preserved, and invalid JSON is indented as far
// as possible. Only white space between tokens is lost.
//
// Arrays and objects without nested ones are written on one line.
func Pretty(w io.Writer, s typeset.Style, text []byte) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		indent(w, &pretty{text: text, safe: s.Terminal()})
	})
}

// Indent writes indented JSON within a text, depth levels deep, and a newline.
func Indent(w *bufio.Writer, text []byte, depth int) {
	indent(w, &pretty{text: text, safe: true, depth: depth})
}

// indent writes all of p, and a newline.
func indent(w *bufio.Writer, p *pretty) {
	p.w, p.text = w, bytes.TrimRight(p.text, " \t\r\n")
	for p.pos < len(p.text) {
		p.token()
	}
	w.WriteByte('\n')
}

// Raw writes JSON text unchanged. On a terminal it escapes control characters and adds a newline.
func Raw(w io.Writer, s typeset.Style, text []byte) error {
	if !s.Terminal() {
		_, err := w.Write(text)
		return err
	}
	return typeset.Buffered(w, func(w *bufio.Writer) {
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			w.WriteString(typeset.Line(string(line)) + "\n")
		}
	})
}

// A pretty is the state of an indenter.
type pretty struct {
	w    *bufio.Writer
	text []byte
	pos  int
	safe bool // escape for a terminal

	depth int  // indentation level
	flat  int  // nesting level within a value that is written on one line
	line  bool // the next token starts a line
}

// token writes the next token, or skips white space.
func (p *pretty) token() {
	switch c := p.text[p.pos]; c {
	case ' ', '\t', '\r', '\n':
		p.pos++
	case '{', '[':
		p.pos++
		p.open(c)
	case '}', ']':
		p.pos++
		if p.flat > 0 {
			p.flat--
		} else if p.depth > 0 {
			p.depth--
			p.line = true
		}
		p.put(string(c))
	case ',':
		p.pos++
		if p.flat > 0 {
			p.put(", ")
			return
		}
		p.put(",")
		p.line = true
	case ':':
		p.pos++
		p.put(": ")
	case '"':
		p.copy(stringEnd(p.text[p.pos:]))
	default:
		p.copy(wordEndOf(p.text[p.pos:]))
	}
}

// open writes an opening bracket, and decides whether the value fits on one line.
func (p *pretty) open(c byte) {
	p.put(string(c))
	if p.flat > 0 || p.leaf() {
		p.flat++
		return
	}
	p.depth++
	p.line = true
}

// leaf reports whether the value that was just opened contains no other objects or arrays, except
// arrays of numbers such as shapes.
func (p *pretty) leaf() bool {
	const most = 256 // bytes
	for i := p.pos; i < len(p.text) && i < p.pos+most; {
		switch p.text[i] {
		case '{':
			return false
		case '}':
			return true
		case ']':
			if c := p.text[p.pos-1]; c == '[' {
				return true
			}
			i++
		case '"':
			i += stringEnd(p.text[i:])
		default:
			i++
		}
	}
	return false
}

// put writes a token, on a new line if needed. The indentation is bounded, because a text may
// consist of brackets only. Valid headers have at most four levels.
func (p *pretty) put(token string) {
	const most = 16 // levels
	if p.line {
		p.w.WriteByte('\n')
		typeset.Spaces(p.w, 2*min(p.depth, most))
		p.line = false
	}
	p.w.WriteString(token)
}

// copy writes n bytes of the text.
func (p *pretty) copy(n int) {
	b := p.text[p.pos : p.pos+n]
	p.pos += n
	p.put("")
	if p.safe {
		p.w.WriteString(typeset.Line(string(b)))
		return
	}
	p.w.Write(b)
}

// stringEnd returns the length of the string at the start of b.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// wordEndOf returns the length of the number or word at the start of b.
func wordEndOf(b []byte) int {
	if i := bytes.IndexAny(b[1:], " \t\r\n{}[],:\""); i >= 0 {
		return i + 1
	}
	return len(b)
}
