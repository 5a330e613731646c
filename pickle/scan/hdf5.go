// HDF5: the container of Keras before version 3, searched and not taken apart.

package scan

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// hdf5Magic is what an HDF5 file begins with, at 0, or at 512, 1024 and so on if the
// user put something before it.
const hdf5Magic = "\x89HDF\r\n\x1a\n"

// hdf5At returns where the part is an HDF5 file, -1 if nowhere. Of what is something
// else already only the start is looked at, which was read.
func (p *part) hdf5At() (int64, error) {
	most := int64(1 << 20) // a block of the user's that is larger is not looked behind
	if p.formats > 0 {
		most = bytesio.WindowSize / 2
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
	if err != nil {
		return err
	}
	p.searched(r, at)
	p.hidden(r, at)
	return nil
}

// A search is for configurations: for JSON objects, whatever they are.
type search struct {
	*part
	end   int64
	block []byte // that was read last
	begin int64  // and where it begins
}

// mostKey is how many bytes of what may be a JSON object are looked at before it is
// read, unless the file ends.
const mostKey = 4 << 10

// configs looks for configurations. How much is read as JSON is limited, since a
// hostile file has the beginnings of objects everywhere.
func (p *part) configs(span extent.Span) error {
	const blockSize, most = 1 << 20, 128 << 20 // bytes
	s := &search{part: p, end: span.End, block: make([]byte, 0, min(blockSize, span.Len()))}
	for at, left := span.Begin, int64(most); at < s.end; {
		begin, err := s.next(at)
		if err != nil || begin < 0 {
			return err
		}
		if left <= 0 || p.left <= 0 {
			p.overBudget(begin, "there are more texts that may be configurations than are looked at")
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

// from returns the bytes at off, at least mostKey unless the end comes before.
func (s *search) from(off int64) ([]byte, error) {
	have := s.begin + int64(len(s.block))
	if s.begin <= off && min(off+mostKey, s.end) <= have {
		return s.block[off-s.begin:], nil
	}
	s.begin, s.block = off, s.block[:min(int64(cap(s.block)), s.end-off)]
	return s.block, bytesio.ReadFull(s.file, s.block, off)
}

// next returns where what may be a JSON object begins first, at off or behind it, -1 if
// none does.
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
			return off, nil // whatever it is
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

// config judges the object that begins at begin, if any class is named in it. It returns
// where it ends, and how many bytes were read. Most are short, so more of the file is
// read only if it goes on.
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
		// A trial, which reports nothing, unless this is all of it. Where an escape is cut
		// short, the scanner stays before it.
		const escape = len(`\ud834`)
		scanner := jsonscan.New(text)
		if _, _, err := scanner.Skip(); err != nil && scanner.Pos()+escape > len(text) && !whole {
			continue
		}
		c := config.NewReader(text, begin, kerasJudge{s.part})
		switch err := c.Value(); {
		case c.TooDeep:
			s.unscanned(begin, "what looks like a configuration is nested deeper than the %d levels that are read", jsonscan.MaxDepth)
		case err != nil && c.Classes > 0:
			s.find(RuleBadConfig, begin, "what looks like the configuration of a model is no JSON: %v", err)
		}
		return begin + int64(max(c.Pos(), 1)), read, nil
	}
}

// text returns n bytes, or fewer if the end comes before, for the caller to keep.
func (s *search) text(off, n int64) ([]byte, error) {
	if n <= mostKey {
		b, err := s.from(off)
		return bytes.Clone(b[:min(n, int64(len(b)))]), err
	}
	b := make([]byte, min(n, s.end-off))
	return b, bytesio.ReadFull(s.file, b, off)
}
