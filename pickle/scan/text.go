// Texts: JSON and others, which may be configurations of models.

package scan

import (
	"bytes"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/foreign"

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

// json analyzes a JSON text, which may be the configuration of a model.
func (p *part) json([]byte) error {
	judge := p.texts()
	if ok, err := p.settings(judge); err != nil || !ok {
		return err
	}
	return p.foreign().JSON(judge.Model)
}

// settings examines the part for names of code, and reports whether it is JSON. Invalid
// JSON is also read like other texts: nearly all JSON is YAML, too.
func (p *part) settings(judge *texts.Reader) (bool, error) {
	r, size := p.file, p.size
	head, err := p.At(0, headSize)
	if err != nil {
		return false, err
	}
	object := bytes.HasPrefix(bytes.TrimLeft(config.UTF8(head), " \t\r\n"), []byte("{"))
	if encoded := !bytes.Equal(config.UTF8(head), bytes.TrimPrefix(head, []byte("\ufeff"))); encoded && size > mostConfig {
		p.Unscanned(0, "the text has %s, more than are read in its encoding", bytesOf(size))
	} else if encoded {
		text := make([]byte, size)
		if err := bytesio.ReadFull(p.file, text, 0); err != nil {
			return false, err
		}
		text = config.UTF8(text)
		r, size = bytes.NewReader(text), int64(len(text))
	}
	valid, err := judge.JSON(r, size)
	if err != nil || !valid && !object {
		return false, err // a text that begins with a bracket
	}
	p.swept = true
	p.Is("json")
	if valid {
		return true, nil
	}
	return true, p.text()
}

// Configures reports a name that loading a configuration imports. Repetitions are counted.
func (p *part) Configures(full, how string, off int64, verdict pickle.Verdict, rule pickle.Rule) {
	key := p.path + "\x00" + string(rule) + "\x00" + full
	if i, ok := p.configured[key]; ok {
		p.report.Imports[i].Count++
		return
	}
	if p.configured == nil {
		p.configured = make(map[string]int)
	}
	if !p.noPlace(len(p.report.Imports), verdict) {
		p.configured[key] = len(p.report.Imports)
	}
	p.imports(Import{How: how, Import: pickle.Import{Name: full, ResolvedName: full, Offset: off, Count: 1, Called: true,
		Verdict: verdict, Rule: rule}})
}

// Verdict returns the policy's verdict on importing a name, by analyzing a pickle that
// does only that.
func (p *part) Verdict(module, name string) pickle.Verdict {
	text := func(b []byte, s string) []byte {
		n := len(s)
		return append(append(b, 'X', byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), s...)
	}
	program := append(text(text([]byte("\x80\x04"), module), name), "\x93."...)
	if !p.Spend(costVerdict) {
		p.OverWork(0)
		return pickle.Suspicious
	}
	opts := p.pickleOptions()
	opts.MaxOpcodes = costVerdict
	r, err := pickle.Analyze(strings.NewReader(string(program)), int64(len(program)), opts)
	if err != nil || len(r.Imports) == 0 {
		return pickle.Suspicious
	}
	return r.Imports[0].Verdict
}

// mostConfig is the maximum size of a configuration that is read, in bytes.
const mostConfig = foreign.MostConfig
