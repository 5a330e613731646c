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
	p.is("npy")
	prefix, ok := npy.ReadPrefix(head)
	if !ok {
		p.unscanned(0, "the header of the array is truncated")
		return nil
	}
	if !prefix.Exists() {
		p.find(RuleBadHeader, 6, "the array has version %d.%d of its format, which does not exist", prefix.Major,
			prefix.Minor)
	}
	data := prefix.Begin + prefix.Length
	const most = 1 << 20 // bytes of a header; NumPy's default limit is 10,000
	if data > p.size || prefix.Length > most {
		p.find(RuleBadHeader, prefix.Begin, "the header of the array has a length of %s", bytesOf(prefix.Length))
		return p.npyUnknown(prefix.Begin)
	}
	text := make([]byte, prefix.Length)
	if err := bytesio.ReadFull(p.file, text, prefix.Begin); err != nil {
		return err
	}
	header, err := npy.Parse(text)
	switch size := header.Size; {
	case err != nil:
		p.find(RuleBadHeader, prefix.Begin, "the header of the array is not a Python literal: %v", err)
		return p.npyUnknown(data)
	case header.Objects:
		return p.npyObjects(data)
	case size < 0:
		p.find(RuleBadHeader, 0, "the header of the array has no valid dtype or shape")
		return p.npyUnknown(data)
	case size > p.size-data:
		if !p.goesOn {
			p.find(pickle.RuleTruncated, data, "the array is truncated: it needs %s, %d are present", bytesOf(size), p.size-data)
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
	p.find(RuleNumPyObject, data,
		"the array contains pickled objects: numpy.load loads them with allow_pickle, which was the default before 1.16.3")
	sub := p.section("pickle", extent.Span{Begin: data, End: p.size})
	sub.loaded = true
	p.explain(0, p.size)
	return p.inside(sub)
}

// npyUnknown searches an array whose content is unknown.
func (p *part) npyUnknown(from int64) error {
	p.swept = true
	if from >= p.size {
		return nil
	}
	return p.sweep(extent.Span{Begin: from, End: p.size})
}
