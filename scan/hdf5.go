// HDF5: the container of Keras before version 3, searched and not taken apart.

package scan

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/internal/extent"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/window"
	"github.com/weightools/safetensors/pickle"
)

// hdf5Magic is what an HDF5 file begins with, at 0, or at 512, 1024 and so on if the
// user put something before it.
const hdf5Magic = "\x89HDF\r\n\x1a\n"

// hdf5At returns where the part is an HDF5 file, -1 if nowhere. Of what is something
// else already only the start is looked at, which was read.
func (p *part) hdf5At() (int64, error) {
	most := int64(1 << 20) // a block of the user's that is larger is not looked behind
	if p.formats > 0 {
		most = window.Size / 2
	}
	for at := int64(0); at <= min(p.size, most); at = max(512, 2*at) {
		if ok, err := p.begins(at, hdf5Magic); ok || err != nil {
			return at, err
		}
	}
	return -1, nil
}

// hdf5 looks at an HDF5 file. The configuration of a model is the text of an attribute:
// no more is known of the file than that such texts stand in it as they are, so it is
// searched for them. PyTables keeps pickles in attributes, and loads them.
func (p *part) hdf5(at int64) error {
	p.is("hdf5")
	p.swept = true
	if err := p.sweep(extent.Span{End: at}); err != nil {
		return err
	}
	const usual = 256 << 20 // bytes
	end := p.size
	if !p.Deep && p.size > usual {
		end = usual
		p.unscanned(end, "of the HDF5 file the first %s were searched for the configuration of a model", bytesOf(end))
	}
	p.find(RuleConfigSearch, at, "the HDF5 file was searched for the text of a configuration, and not taken apart")
	if err := p.configs(extent.Span{Begin: at, End: end}); err != nil {
		return err
	}
	opts := p.pickleOptions()
	opts.Search = true
	r, err := pickle.Analyze(io.NewSectionReader(p.file, at, end-at), end-at, opts)
	if err == nil {
		p.hidden(r, at)
	}
	return err
}

// configs looks for configurations: texts with the word "class_name" in them. How many
// are tried is limited, since a hostile file has the word everywhere.
func (p *part) configs(span extent.Span) error {
	const word = `"class_name"`
	const block, tries = 1 << 20, 1000
	buf := make([]byte, min(block, span.Len()))
	for at, n := span.Begin, 0; at < span.End; n++ {
		i, err := p.index(buf, extent.Span{Begin: at, End: span.End}, word)
		if err != nil || i < 0 {
			return err
		}
		if n == tries {
			p.unscanned(i, "there are more texts than the %d that are looked at as configurations", tries)
			return nil
		}
		begin, err := p.configStart(i)
		if err != nil {
			return err
		}
		end, err := p.config(begin, span.End)
		if err != nil {
			return err
		}
		at = max(end, i+int64(len(word)))
	}
	return nil
}

// index returns where a word stands first in a span, -1 if it does not.
func (p *part) index(buf []byte, span extent.Span, word string) (int64, error) {
	for at := span.Begin; at < span.End; {
		b := buf[:min(int64(len(buf)), span.End-at)]
		if n, err := p.file.ReadAt(b, at); n < len(b) {
			return -1, err
		}
		if i := bytes.Index(b, []byte(word)); i >= 0 {
			return at + int64(i), nil
		}
		if len(b) < len(buf) || len(b) <= len(word) {
			break
		}
		at += int64(len(b) - len(word) + 1)
	}
	return -1, nil
}

// configStart returns where the text begins that has a byte at off: at the first brace
// after the last byte before it that is not printable.
func (p *part) configStart(off int64) (int64, error) {
	const most = 4 << 10 // bytes before it
	begin := max(off-most, 0)
	b, err := p.at(begin, int(off-begin))
	if err != nil {
		return 0, err
	}
	start := 0
	for i, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c > '~' {
			start = i + 1
		}
	}
	if brace := bytes.IndexByte(b[start:], '{'); brace >= 0 {
		return begin + int64(start+brace), nil
	}
	return off, nil
}

// config judges the configuration that begins at begin, and returns where it ends. Most
// are short, so more of the file is read only if it goes on.
func (p *part) config(begin, limit int64) (int64, error) {
	for size := int64(16 << 10); ; size = min(16*size, mostConfig) {
		text := make([]byte, min(limit-begin, size))
		if n, err := p.file.ReadAt(text, begin); n < len(text) {
			return 0, err
		}
		whole := int64(len(text)) < size || size == mostConfig
		if end := bytes.IndexByte(text, 0); end >= 0 {
			text, whole = text[:end], true
		}
		// A trial, which reports nothing, unless this is all of it.
		scanner := jsonscan.New(text)
		if _, _, err := scanner.Skip(); err != nil && scanner.Pos() >= len(text) && !whole {
			continue
		}
		c := newConfig(p, text, begin)
		if err := c.value(); err != nil {
			p.find(RuleBadConfig, begin, "what looks like the configuration of a model is no JSON: %v", err)
		}
		return begin + int64(max(c.Pos(), 1)), nil
	}
}
