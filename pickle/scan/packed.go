// Compressed data, and what it decompresses to.

package scan

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/codec"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/unpack"
)

// unpack decompresses data within the rest of the budgets.
func (s *scanning) unpack(c codec.Codec, raw func() io.Reader) (*unpack.File, error) {
	return unpack.Open(c, raw, unpack.Budget{Bytes: &s.MaxUnpacked, Work: &s.left})
}

// wrapped analyzes a part that is compressed as a whole. It returns false if the part only
// begins like compressed data.
func (p *part) wrapped(c codec.Codec) (bool, error) {
	u, err := p.unpack(c, func() io.Reader { return io.NewSectionReader(p.file, 0, p.size) })
	if err != nil {
		return false, err
	}
	start := errors.Is(u.Damage, io.ErrUnexpectedEOF) && p.saysPickle() // of what joblib and torch write
	if c.Weak && (u.Size == 0 && !start || p.plain) && u.Damage != nil && !errors.Is(u.Damage, unpack.ErrLimit) {
		return false, nil
	}
	p.Is(c.Name)
	p.packed = true
	p.Find(RuleCompressed, 0, "%s data decompresses to %s", c.Name, bytesOf(u.Size))
	if u.Damage != nil {
		p.Unscanned(0, "the %s data %s", c.Name, damage(u))
	}
	if u.Files > 1 {
		p.Find(pickle.RuleTrailing, 0, "the file consists of %d %s files; some loaders read only the first", u.Files, c.Name)
	}
	p.explain(0, u.Used)
	if errors.Is(u.Damage, unpack.ErrLimit) {
		p.explain(0, p.size) // the rest is compressed data, too
	}
	if u.Damage == nil {
		if err := p.behind(u.Used, "the compressed data"); err != nil {
			return true, err
		}
	}
	return true, p.opened(u, c.Name)
}

// damage says why decompression ended early, as the end of a sentence.
func damage(u *unpack.File) string {
	if errors.Is(u.Damage, io.ErrUnexpectedEOF) {
		return "is truncated"
	}
	return "cannot be decompressed completely: " + u.Damage.Error()
}

// opened analyzes decompressed data.
func (p *part) opened(u *unpack.File, name string) error {
	sub := p.newPart(p, name, u, u.Size)
	sub.name, sub.loaded = strings.TrimSuffix(p.name, extensionOf(p.name)), p.loaded
	sub.goesOn, sub.cut = errors.Is(u.Damage, unpack.ErrLimit), u.Damage != nil
	if err := p.inside(sub); err != nil || !sub.zipped {
		return err
	}
	return p.stored(sub)
}

// stored records an archive that compressed data contains unchanged: deflate does not compress what is compressed
// already. Python finds the same archive in both.
func (p *part) stored(sub *part) error {
	const most = 1<<16 - 1 // bytes of a block that is not compressed
	end, err := zipwalk.Find(p.file, p.size)
	if err != nil || end < 0 || sub.size > most {
		return err
	}
	unpacked, err := sub.At(0, int(sub.size))
	if err != nil {
		return err
	}
	begin := end - int64(bytes.LastIndex(unpacked, []byte("PK\x05\x06")))
	if packed, err := p.At(begin, int(sub.size)); err != nil || !bytes.Equal(packed, unpacked) {
		return err
	}
	p.zips.Add(extent.Span{Begin: begin, End: begin + sub.size})
	return nil
}

// behind reports bytes after the end of a format that should fill the part. They are
// searched later, with all other unexplained bytes.
func (p *part) behind(off int64, what string) error {
	rest := extent.Span{Begin: off, End: p.size}
	if rest.Len() <= 0 {
		return nil
	}
	zero, err := p.zero(rest)
	if err == nil && !zero {
		p.Find(pickle.RuleTrailing, off, "%s after the end of %s", bytesOf(rest.Len()), what)
	}
	return err
}
