// Texts: configurations, templates and source code.

package scan

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/texts"
)

// A textJudge reports what package texts finds in a part.
type textJudge struct{ *part }

// Found reports a finding.
func (t textJudge) Found(f pickle.Finding) { t.add(f) }

// Imports reports a name.
func (t textJudge) Imports(im texts.Import) {
	t.configures(im.Name, im.How, im.At, im.Verdict, im.Rule)
}

// Gap reports something that was not read.
func (t textJudge) Gap(at int64, what string) { t.overBudget(at, "%s", what) }

// Unread reports source code.
func (t textJudge) Unread(what string) { t.unanalysed("%s", what) }

// JudgeName returns the policy's verdict on a name.
func (t textJudge) JudgeName(module, name string) pickle.Verdict { return t.judgeName(module, name) }

// Spend takes work from the budget.
func (t textJudge) Spend(n int64) bool { return t.spend(n) }

// texts returns a reader of the texts in the part.
func (p *part) texts() *texts.Reader {
	return &texts.Reader{Visitor: textJudge{p}, Name: p.name, Within: p.within != nil && p.within.holds}
}

// isText reports whether head is the start of a text: in UTF-8, in another Unicode encoding
// with a byte order mark, or in an encoding of one byte to a character.
func isText(head []byte) bool {
	if filetype.IsText(head) {
		return true
	}
	if wide(head) {
		return filetype.IsText(config.UTF8(head[:len(head)&^3]))
	}
	high := 0
	for _, c := range head {
		if c < ' ' && strings.IndexByte("\t\n\r\f", c) < 0 || c == 0x7f || 0x80 <= c && c < 0xa0 {
			return false
		}
		if c >= 0x80 {
			high++
		}
	}
	return len(head) > 0 && high < len(head)/4
}

// wide reports whether a text begins with a byte order mark of UTF-16 or UTF-32.
func wide(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// text analyzes a part that begins like a text.
func (p *part) text() error {
	switch filetype.Kind(p.format) {
	case "", filetype.Unknown, filetype.Python, filetype.Script:
		p.format = string(filetype.Text)
	}
	if p.size > texts.MostText {
		head, err := p.at(0, 2)
		if err == nil && wide(head) {
			p.overBudget(0, "the text has %s, more than are read", bytesOf(p.size))
			return nil
		}
		return cmp.Or(err, p.largeText())
	}
	text, err := p.readText()
	if err != nil {
		return err
	}
	if f := p.texts().Text(text); f != "text" {
		p.format = f
	}
	if at := bytes.IndexAny(text, controls); at >= 0 {
		p.unanalysed("it begins like a text, but is binary from byte %d", at)
		return p.opaqueData()
	}
	p.explain(0, p.size)
	return nil
}

// controls are characters that no text contains.
const controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12"

// textToo analyzes a part of another format as a text, too, if it is one.
func (p *part) textToo(head []byte) error {
	if p.size > texts.MostText || !isText(head) {
		return nil
	}
	text, err := p.readText()
	if err == nil && !bytes.ContainsAny(text, controls) {
		p.texts().Text(text)
	}
	return err
}

// readText reads a text and converts it to UTF-8.
func (p *part) readText() ([]byte, error) {
	text := make([]byte, p.size)
	if err := bytesio.ReadFull(p.file, text, 0); err != nil {
		return nil, err
	}
	if wide(text) {
		return config.UTF8(text), nil
	} else if !utf8.Valid(text) {
		return latin(text), nil
	}
	return text, nil
}

// latin converts a text in which each byte is a character.
func latin(text []byte) []byte {
	b := make([]byte, 0, len(text)+len(text)/16)
	for _, c := range text {
		b = utf8.AppendRune(b, rune(c))
	}
	return b
}

// largeText searches a text that is too large to be read for what could name code. If there is
// nothing, it is data.
func (p *part) largeText() error {
	const block, overlap = 64 << 10, 64
	signs := [...]string{"!!", "!<", "%TAG", "_target_", "class_path", "__class__", "__globals__", "attr(", "auto_map",
		"trust_remote_code", "\\x", "\\u"}
	buf := make([]byte, block)
	for at := int64(0); at < p.size; at += block - overlap {
		if !p.spend(block / 4) {
			p.overWork(at)
			return nil
		}
		b := buf[:min(block, p.size-at)]
		if err := bytesio.ReadFull(p.file, b, at); err != nil {
			return err
		}
		for _, sign := range signs {
			if i := bytes.Index(b, []byte(sign)); i >= 0 {
				p.overBudget(at+int64(i), "the text has %s, more than are read, and contains %s", bytesOf(p.size), quoted(sign))
				return nil
			}
		}
	}
	p.explain(0, p.size)
	return nil
}
