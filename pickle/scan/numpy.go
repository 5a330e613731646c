// NumPy arrays: a header that is a Python literal, and numbers or a pickle after it.

package scan

import (
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/npy"
)

// npy looks at a NumPy array. Whether it is a pickle depends on its dtype alone.
func (p *part) npy(head []byte) error {
	p.is("npy")
	prefix, ok := npy.ReadPrefix(head)
	if !ok {
		p.unscanned(0, "the header of the array is cut off")
		return nil
	}
	if !prefix.Exists() {
		p.find(RuleBadHeader, 6, "the array is of version %d.%d of its format, which does not exist", prefix.Major, prefix.Minor)
	}
	data := prefix.Begin + prefix.Length
	const most = 1 << 20 // bytes of a header; NumPy reads 10,000 unless it is told to trust it
	if data > p.size || prefix.Length > most {
		p.find(RuleBadHeader, prefix.Begin, "the header of the array is said to take %s", bytesOf(prefix.Length))
		return p.npyUnknown(prefix.Begin)
	}
	text := make([]byte, prefix.Length)
	if err := bytesio.ReadFull(p.file, text, prefix.Begin); err != nil {
		return err
	}
	header, err := npy.Parse(text)
	switch size := header.Size; {
	case err != nil:
		p.find(RuleBadHeader, prefix.Begin, "the header of the array is no literal: %v", err)
		return p.npyUnknown(data)
	case header.Objects:
		return p.npyObjects(data)
	case size < 0:
		p.find(RuleBadHeader, 0, "the header of the array has no dtype or no shape that NumPy knows")
		return p.npyUnknown(data)
	case size > p.size-data:
		if !p.goesOn {
			p.find(pickle.RuleTruncated, data, "the array takes %s, and %d are there", bytesOf(size), p.size-data)
		}
		p.explain(0, p.size)
		return nil
	default:
		p.explain(0, data+size)
		return p.behind(data+size, "the array")
	}
}

// npyObjects looks at the pickle that an array of objects is.
func (p *part) npyObjects(data int64) error {
	p.find(RuleNumPyObject, data, "the array has objects in it: numpy.load unpickles them if it is told to, and did so by default before 1.16.3")
	sub := p.section("pickle", extent.Span{Begin: data, End: p.size})
	sub.loaded = true
	p.explain(0, p.size)
	return p.inside(sub)
}

// npyUnknown searches an array of which it is not known what is in it.
func (p *part) npyUnknown(from int64) error {
	p.swept = true
	if from >= p.size {
		return nil
	}
	return p.sweep(extent.Span{Begin: from, End: p.size})
}
