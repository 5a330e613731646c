// NumPy arrays: a header that is a Python literal, followed by numbers or a pickle.

package scan

import (
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/npy"
)

// npy analyzes a NumPy array. Only an array of objects is a pickle.
func (p *part) npy(head []byte) error {
	p.Is("npy")
	prefix, ok := npy.ReadPrefix(head)
	if !ok {
		p.Unscanned(0, "the header of the array is truncated")
		return nil
	}
	if !prefix.Exists() {
		p.Find(RuleBadHeader, 6, "the array has version %d.%d of its format, which does not exist", prefix.Major,
			prefix.Minor)
	}
	data := prefix.Begin + prefix.Length
	const most = 256 << 10 // bytes of a header; NumPy's default limit is 10,000
	switch {
	case data > p.size && prefix.Length <= most:
		p.Find(pickle.RuleTruncated, prefix.Begin, "the header of the array is truncated: it has %s, %d are present",
			bytesOf(prefix.Length), p.size-prefix.Begin)
		return p.npyUnknown(prefix.Begin, data)
	case data > p.size || prefix.Length > most:
		p.Find(RuleBadHeader, prefix.Begin, "the header of the array has a length of %s", bytesOf(prefix.Length))
		return p.npyUnknown(prefix.Begin, data)
	}
	text := make([]byte, prefix.Length)
	if err := bytesio.ReadFull(p.file, text, prefix.Begin); err != nil {
		return err
	}
	header, err := npy.Parse(text)
	switch size := header.Size; {
	case err != nil:
		p.Find(RuleBadHeader, prefix.Begin, "the header of the array is not as NumPy writes it: %v", err)
		return p.npyUnknown(data, data)
	case header.Objects:
		return p.npyObjects(data)
	case size < 0:
		p.Find(RuleBadHeader, 0, "the header of the array has no valid dtype or shape")
		return p.npyUnknown(data, data)
	case size > p.size-data:
		if !p.goesOn {
			p.Find(pickle.RuleTruncated, data, "the array is truncated: it needs %s, %d are present", bytesOf(size), p.size-data)
		}
		p.explain(0, p.size)
		return nil
	default:
		p.explain(0, data+size)
		return p.behind(data+size, "the array")
	}
}

// npyObjects analyzes the pickle of an array of objects.
func (p *part) npyObjects(data int64) error {
	p.Find(RuleNumPyObject, data,
		"the array contains pickled objects: numpy.load loads them with allow_pickle, which was the default before 1.16.3")
	return p.npyPickle(data)
}

// npyPickle analyzes the bytes from data on as a pickle.
func (p *part) npyPickle(data int64) error {
	sub := p.section("pickle", extent.Span{Begin: data, End: p.size})
	sub.loaded = true
	p.explain(0, p.size)
	return p.inside(sub)
}

// npyUnknown analyzes an array whose elements are unknown, and may be a pickle at data. It also searches the bytes from
// begin on.
func (p *part) npyUnknown(begin, data int64) error {
	p.swept = true
	if begin >= p.size {
		return nil
	}
	if err := p.Sweep(extent.Span{Begin: begin, End: p.size}); err != nil || data >= p.size {
		return err
	}
	return p.npyPickle(data)
}
