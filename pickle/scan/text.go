// Texts: configurations, templates and source code.

package scan

import (
	"io"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/texts"
)

// A textJudge reports what package texts finds in a part.
type textJudge struct{ *part }

// Imports reports a name.
func (t textJudge) Imports(im texts.Import) {
	t.Configures(im.Name, im.How, im.At, im.Verdict, im.Rule)
}

// Gap reports something that was not read, which no larger budget changes.
func (t textJudge) Gap(at int64, what string) { t.Unscanned(at, "%s", what) }

// Unread reports source code.
func (t textJudge) Unread(what string) { t.Unanalysed("%s", what) }

// texts returns a reader of the texts in the part.
func (p *part) texts() *texts.Reader {
	return &texts.Reader{Visitor: textJudge{p}, Name: p.name, Within: p.within != nil && p.within.holds}
}

// text analyzes a part that begins like a text.
func (p *part) text() error {
	switch filetype.Kind(p.format) {
	case "", filetype.Unknown, filetype.Python, filetype.Script:
		p.format = string(filetype.Text)
	}
	if p.size > texts.MostText {
		return p.texts().Large(p.file, p.size)
	}
	text, err := p.readText()
	if err != nil {
		return err
	}
	if f := p.texts().Text(text); f != "text" {
		p.format = f
	}
	if at := texts.Control(text); at >= 0 {
		p.Unanalysed("it begins like a text, but is binary from byte %d", at)
		return p.opaqueData()
	}
	return nil
}

// textToo analyzes a part of another format as a text, too, if it is one.
func (p *part) textToo(head []byte) error {
	if p.size > texts.MostText || !texts.Is(head) {
		return nil
	}
	text, err := p.readText()
	if err == nil && texts.Control(text) < 0 {
		p.texts().Text(text)
	}
	return err
}

// sitePath analyzes a part of any format if Python may run its lines because of its name.
func (p *part) sitePath() error {
	if extensionOf(p.name) != ".pth" {
		return nil
	}
	_, err := p.texts().SitePath(io.NewSectionReader(p.file, 0, p.size))
	return err
}

// readText reads a text and converts it to UTF-8.
func (p *part) readText() ([]byte, error) {
	text := make([]byte, p.size)
	if err := bytesio.ReadFull(p.file, text, 0); err != nil {
		return nil, err
	}
	return texts.UTF8(text), nil
}
