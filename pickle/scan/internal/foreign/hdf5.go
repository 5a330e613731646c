// HDF5, the container of Keras before version 3.

package foreign

import (
	"bytes"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/hdf5"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
)

// RuleConfigSearch is the rule about HDF5 files that were searched and not parsed.
const RuleConfigSearch pickle.Rule = "config-search"

// HDF5 analyzes an HDF5 file. Its bytes are searched for the configuration of a model, which is an
// attribute stored as plain text, and for pickles, which PyTables stores in attributes and loads.
// Attributes behind the bytes that are searched are found by the structure of the file.
// A member is the first file of an archive, which is analyzed itself, too.
func (p *Part) HDF5(at int64, member bool) error {
	if !member {
		p.Is("hdf5")
		p.Swept()
		if err := p.Sweep(extent.Span{End: at}); err != nil {
			return err
		}
	}
	c, err := hdf5.Analyze(p.File, p.Size, at, p.Spend)
	if err := p.limited(err); err != nil {
		return err
	}
	if err := p.reported(&c.Report, p.File); err != nil {
		return err
	}
	const usual = 256 << 20 // bytes
	end := p.Size
	if !p.Deep && p.Size > usual {
		end = usual
	}
	switch {
	case c.Unread == "" && !c.Pickled:
	case end < p.Size:
		p.Unscanned(end, "only the first %s of the HDF5 file were searched for the configuration of a model", bytesOf(end))
	case c.Unread != "" && !member:
		p.Find(RuleConfigSearch, at, "the HDF5 file was searched for configurations, not parsed completely")
		if c.Damaged {
			break // no program opens it
		}
		p.Unanalysed("the structure of the HDF5 file was not read completely: %s", c.Unread)
	}
	if err := p.searchHDF5(extent.Span{Begin: at, End: end}); err != nil {
		return err
	}
	for _, a := range c.Attributes {
		if err := p.attribute(a); err != nil {
			return err
		}
		if a.End > end {
			if err := p.searchHDF5(extent.Span{Begin: a.Pos, End: a.End}); err != nil {
				return err
			}
		}
	}
	return nil
}

// attribute judges the value of an attribute if it is a text that may name code.
func (p *Part) attribute(span evidence.Span) error {
	if span.Len() > evidence.MostText || !p.Spend(span.Len()/16+1) {
		return nil // it is searched for configurations
	}
	b, err := p.At(span.Pos, int(min(span.Len(), 64)))
	if err != nil || bytes.IndexByte(bytes.TrimRight(b, "\x00"), 0) >= 0 {
		return err // numbers
	}
	text := make([]byte, span.Len())
	if err := bytesio.ReadFull(p.File, text, span.Pos); err != nil {
		return err
	}
	if text = bytes.TrimRight(text, "\x00"); evidence.MayName(text) {
		p.Value("", string(text), span.Pos)
	}
	return nil
}

// searchHDF5 searches a range for configurations and pickles.
func (p *Part) searchHDF5(span extent.Span) error {
	if err := p.configs(span); err != nil {
		return err
	}
	return p.SearchAll(span)
}

// configs analyzes the configurations in a range. The number of bytes parsed as JSON is
// limited, because a hostile file may contain beginnings of objects everywhere.
func (p *Part) configs(span extent.Span) error {
	const most = 128 << 20 // bytes
	s := config.NewSearch(p.File, span.Begin, span.End, MostConfig, p.Spend)
	for at, left := span.Begin, int64(most); at < span.End; {
		begin, err := s.Next(at)
		if err != nil || begin < 0 {
			return err
		}
		switch {
		case left <= 0:
			p.Unscanned(begin, "there are more possible configurations than are analyzed")
			return nil
		case !p.Spend(0):
			p.OverWork(begin)
			return nil
		}
		text, read, err := s.Object(begin)
		if err != nil {
			return err
		}
		p.Spend(2 * CostJSON * read)
		at, left = begin+p.possibleConfig(text, begin), left-read
	}
	return nil
}

// possibleConfig analyzes the object at the start of a text, and returns its length.
func (p *Part) possibleConfig(text []byte, begin int64) int64 {
	c := config.NewReader(text, begin, keras.Judge{Sink: namer{p, "config"}})
	switch err := c.Value(); {
	case c.TooDeep:
		p.Unscanned(begin, "a possible configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil && c.Classes > 0 && begin+int64(len(text)) >= p.Size && c.Pos() >= len(text):
		p.Find(pickle.RuleTruncated, p.Size, "what looks like a model configuration is truncated: %v", err)
	case err != nil && c.Classes > 0:
		p.Find(evidence.RuleBadConfig, begin, "what looks like a model configuration is invalid JSON: %v", err)
	}
	return int64(max(c.Pos(), 1))
}
