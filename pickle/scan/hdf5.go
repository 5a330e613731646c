// HDF5, the container of Keras before version 3.

package scan

import (
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/hdf5"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
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

// configs analyzes the configurations in a range. The number of bytes parsed as JSON is
// limited, because a hostile file may contain beginnings of objects everywhere.
func (p *part) configs(span extent.Span) error {
	const most = 128 << 20 // bytes
	s := config.NewSearch(p.file, span.Begin, span.End, mostConfig, p.spend)
	for at, left := span.Begin, int64(most); at < span.End; {
		begin, err := s.Next(at)
		if err != nil || begin < 0 {
			return err
		}
		if left <= 0 || p.left <= 0 {
			p.overBudget(begin, "there are more possible configurations than are analyzed")
			return nil
		}
		text, read, err := s.Object(begin)
		if err != nil {
			return err
		}
		p.spend(2 * costJSON * read)
		at, left = begin+p.possibleConfig(text, begin), left-read
	}
	return nil
}

// possibleConfig analyzes the object at the start of a text, and returns its length.
func (p *part) possibleConfig(text []byte, begin int64) int64 {
	c := config.NewReader(text, begin, keras.Judge{Sink: jsonSink{p, "config"}})
	switch err := c.Value(); {
	case c.TooDeep:
		p.unscanned(begin, "a possible configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil && c.Classes > 0:
		p.find(RuleBadConfig, begin, "what looks like a model configuration is invalid JSON: %v", err)
	}
	return int64(max(c.Pos(), 1))
}
