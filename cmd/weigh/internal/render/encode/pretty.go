// Indenting JSON as it stands: order, duplicates, spelling, and even what is broken.

package encode

import (
	"bufio"
	"bytes"
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Pretty writes a JSON text with an indentation, for people. It goes by tokens
// alone: members keep their order, names that stand twice do so, and numbers
// and escapes are spelled as they are. A text that is not quite JSON is
// indented as far as that means anything, and nothing of it is lost but white
// space between tokens.
//
// An array or object that has no other within is one line.
func Pretty(w io.Writer, s typeset.Style, text []byte) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		indent(w, &pretty{text: text, safe: s.Terminal()})
	})
}

// Indent writes a JSON text that stands depth levels deep in a text for people.
func Indent(w *bufio.Writer, text []byte, depth int) {
	indent(w, &pretty{text: text, safe: true, depth: depth})
}

// indent writes all of p's text, and a line end.
func indent(w *bufio.Writer, p *pretty) {
	p.w, p.text = w, bytes.TrimRight(p.text, " \t\r\n")
	for p.pos < len(p.text) {
		p.token()
	}
	w.WriteByte('\n')
}

// Raw writes a JSON text as it stands. A terminal gets a line end after it, and
// escapes in place of what it would act on; anything else gets the bytes.
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

// A pretty is a text on its way to being indented.
type pretty struct {
	w    *bufio.Writer
	text []byte
	pos  int
	safe bool // for a terminal

	depth int  // levels of indentation, those of what the text stands in among them
	flat  int  // how deep the text is in an array or object that is one line
	line  bool // a line is to be begun before the next token
}

// token writes the next token, and the white space around it.
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

// open writes what opens an array or object, and decides whether it is to be
// one line.
func (p *pretty) open(c byte) {
	p.put(string(c))
	if p.flat > 0 || p.leaf() {
		p.flat++
		return
	}
	p.depth++
	p.line = true
}

// leaf says whether what was opened has nothing within that could be opened,
// but arrays of numbers such as a shape.
func (p *pretty) leaf() bool {
	const most = 256 // bytes: longer is no line
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

// put writes a token, on a new line if that is due. Indentation is bounded: a
// text may be nothing but brackets, each of which would take a line of it. No
// header that is one goes beyond four levels.
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
