// HDF5, the container of Keras before version 3.

package scan

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/hdf5"
)

// hdf5Magic is the signature of HDF5, at offset 0 or, after a user block, at 512, 1024, 2048
// and so on.
const hdf5Magic = "\x89HDF\r\n\x1a\n"

// hdf5At returns the offset of an HDF5 file in the part, or -1. If the part has another
// format and its name does not promise HDF5, only the bytes that were read already are examined.
func (p *part) hdf5At() (int64, error) {
	most := p.size
	if p.formats > 0 && !p.saysHDF5() || p.plain {
		most = bytesio.WindowSize / 2
	}
	for at := int64(0); at <= min(p.size, most); at = max(512, 2*at) {
		if ok, err := p.begins(at, hdf5Magic); ok || err != nil {
			return at, err
		}
	}
	return -1, nil
}

// hdf5 analyzes an HDF5 file. Its bytes are searched for the configuration of a model, which is an
// attribute stored as plain text, and for pickles, which PyTables stores in attributes and loads.
// Attributes behind the bytes that are searched are found by the structure of the file.
func (p *part) hdf5(at int64) error {
	member := p.holds && p.known.Has(at) // the first file of an archive, which is analyzed itself, too
	if !member {
		p.is("hdf5")
		p.swept = true
		if err := p.sweep(extent.Span{End: at}); err != nil {
			return err
		}
	}
	c, err := hdf5.Analyze(p.file, p.size, at, p.spend)
	if err := p.limited(err); err != nil {
		return err
	}
	for _, f := range c.Findings {
		p.add(f)
	}
	const usual = 256 << 20 // bytes
	end := p.size
	if !p.Deep && p.size > usual {
		end = usual
	}
	switch {
	case c.Unread == "" && !c.Pickled:
	case end < p.size:
		p.unscanned(end, "only the first %s of the HDF5 file were searched for the configuration of a model", bytesOf(end))
	case c.Unread != "" && !member:
		p.find(RuleConfigSearch, at, "the HDF5 file was searched for configurations, not parsed completely")
		if c.Damaged {
			break // no program opens it
		}
		p.unanalysed("the structure of the HDF5 file was not read completely: %s", c.Unread)
	}
	if err := p.searchHDF5(extent.Span{Begin: at, End: end}); err != nil {
		return err
	}
	for _, a := range c.Attributes {
		if a.End > end {
			if err := p.searchHDF5(extent.Span{Begin: a.Pos, End: a.End}); err != nil {
				return err
			}
		}
	}
	return nil
}

// searchHDF5 searches a range for configurations and pickles.
func (p *part) searchHDF5(span extent.Span) error {
	if err := p.configs(span); err != nil {
		return err
	}
	opts := p.pickleOptions()
	opts.Search = true
	r, err := pickle.Analyze(io.NewSectionReader(p.file, span.Begin, span.Len()), span.Len(), opts)
	if err != nil {
		return err
	}
	p.searched(r, span.Begin)
	p.hidden(r, span.Begin)
	return nil
}

// A search looks for JSON objects, which may be configurations.
type search struct {
	*part
	end   int64
	block []byte // the bytes read last
	begin int64  // their offset
}

// mostKey is the number of bytes from which the beginning of a JSON object is detected.
const mostKey = 4 << 10

// configs analyzes the configurations in a range. The number of bytes parsed as JSON is
// limited, because a hostile file may contain beginnings of objects everywhere.
func (p *part) configs(span extent.Span) error {
	const blockSize, most = 1 << 20, 128 << 20 // bytes
	s := &search{part: p, end: span.End, block: make([]byte, 0, min(blockSize, span.Len()))}
	for at, left := span.Begin, int64(most); at < s.end; {
		begin, err := s.next(at)
		if err != nil || begin < 0 {
			return err
		}
		if left <= 0 || p.left <= 0 {
			p.overBudget(begin, "there are more possible configurations than are analyzed")
			return nil
		}
		end, read, err := s.config(begin)
		if err != nil {
			return err
		}
		p.spend(2 * costJSON * read)
		at, left = end, left-read
	}
	return nil
}

// from returns the bytes at off: at least mostKey, or fewer at the end.
func (s *search) from(off int64) ([]byte, error) {
	have := s.begin + int64(len(s.block))
	if s.begin <= off && min(off+mostKey, s.end) <= have {
		return s.block[off-s.begin:], nil
	}
	s.begin, s.block = off, s.block[:min(int64(cap(s.block)), s.end-off)]
	return s.block, bytesio.ReadFull(s.file, s.block, off)
}

// next returns the offset of the next possible JSON object at or after off, or -1.
func (s *search) next(off int64) (int64, error) {
	for off < s.end {
		b, err := s.from(off)
		if err != nil {
			return -1, err
		}
		i := bytes.IndexByte(b, '{')
		if i < 0 {
			s.spend(int64(len(b)) / perInstr)
			off += int64(len(b))
			continue
		}
		if !s.spend(2 + int64(i)/perInstr) {
			return off, nil // the budget is spent
		}
		off += int64(i)
		if b, err = s.from(off); err != nil {
			return -1, err
		}
		if config.Begins(b[:min(mostKey, len(b))]) {
			return off, nil
		}
		off++
	}
	return -1, nil
}

// config analyzes the object at begin and returns its end and the number of bytes read. Most
// objects are short, so more bytes are read only when needed.
func (s *search) config(begin int64) (end, read int64, err error) {
	for size := int64(512); ; size = min(8*size, mostConfig) {
		text, err := s.text(begin, size)
		if err != nil {
			return 0, 0, err
		}
		read += int64(len(text))
		whole := int64(len(text)) < size || size == mostConfig
		if end := bytes.IndexByte(text, 0); end >= 0 {
			text, whole = text[:end], true
		}
		text = config.Lenient(text)
		// Scan the object first, without reporting, and read more if it is truncated. The
		// scanner stops before a truncated escape.
		const escape = len(`\ud834`)
		scanner := jsonscan.New(text)
		if _, _, err := scanner.Skip(); err != nil && scanner.Pos()+escape > len(text) && !whole {
			continue
		}
		c := config.NewReader(text, begin, kerasJudge{part: s.part})
		switch err := c.Value(); {
		case c.TooDeep:
			s.unscanned(begin, "a possible configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
		case err != nil && c.Classes > 0:
			s.find(RuleBadConfig, begin, "what looks like a model configuration is invalid JSON: %v", err)
		}
		return begin + int64(max(c.Pos(), 1)), read, nil
	}
}

// text returns a copy of the n bytes at off, or of fewer at the end.
func (s *search) text(off, n int64) ([]byte, error) {
	if n <= mostKey {
		b, err := s.from(off)
		return bytes.Clone(b[:min(n, int64(len(b)))]), err
	}
	b := make([]byte, min(n, s.end-off))
	return b, bytesio.ReadFull(s.file, b, off)
}
