// The parser of a header.

package header

import (
	"bytes"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// Parse reads a header, and judges it as that of a file of the given size, or of
// unknown size if that is [NoSize]. The text is the header with its padding, and
// [Slack] zeros after it. The Parser writes to it, and the result refers to it.
func (p *Parser) Parse(text []byte, size int64) Result {
	p.padded, p.text = text, text[:len(text)-Slack]
	p.Scanner = jsonscan.New(p.text)
	p.dataStart = LengthSize + int64(len(p.text))
	p.tiled, p.runs = true, p.runsRoom[:0]
	complete := p.parse()
	p.judge(size, complete)
	return Result{p.metadata, p.tensors, p.byName, p.faults, p.omitted(), complete}
}

// parse reads the header as far as it can. It returns false if it gave up
// before the end, so tensors may be missing.
func (p *Parser) parse() bool {
	err := p.object()
	object := p.Pos()
	if err == nil {
		err = p.End()
	}
	syntax, isSyntax := err.(*jsonscan.SyntaxError)
	if isSyntax || p.NonASCII {
		// Outside of strings a byte above ASCII is a syntax error, so without
		// either the text is UTF-8.
		if i := jsonscan.InvalidUTF8(p.text); i < len(p.text) {
			p.found(UTF8, "", at(i, i+1), "invalid UTF-8 at byte %d of the header: %#02x", i, p.text[i])
			if isSyntax && syntax.Offset >= i {
				return false
			}
		}
	}
	if isSyntax {
		p.found(JSON, "", at(syntax.Offset, min(syntax.Offset+1, len(p.text))), "header: %v", syntax)
	}
	if err != nil {
		return false
	}
	if i := bytes.IndexFunc(p.text[object:], func(r rune) bool { return r != ' ' }); i >= 0 {
		p.found(HeaderPadding, "", at(object+i, len(p.text)), "the header is padded with %q instead of spaces",
			p.text[object+i])
	}
	return true
}

// object reads the header's object and the white space before it.
func (p *Parser) object() error {
	if p.Next() == jsonscan.Object && p.Pos() > 0 {
		p.found(HeaderStart, "", at(0, p.Pos()), "the header begins with %q instead of '{'", p.text[0])
	}
	if err := p.Open(jsonscan.Object); err != nil {
		return err
	}
	for first := true; ; first = false {
		for !first && p.plain() {
		}
		more, err := p.More(jsonscan.Object, first)
		if !more || err != nil {
			return err
		}
		begin := p.Pos()
		key, err := p.Key()
		if err != nil {
			return err
		}
		name := p.name(key)
		if name == MetadataName {
			err = p.readMetadata(begin)
		} else {
			err = p.entry(name, begin)
		}
		if err != nil {
			return err
		}
		if p.enough {
			return errStop
		}
	}
}
