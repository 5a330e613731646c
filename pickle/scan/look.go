// Looking: what a part is, by its bytes, and whatever else it is.

package scan

import (
	"bytes"
	"fmt"

	"github.com/weightools/safetensors/pickle/internal/codec"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/java"
)

// look finds out what a part is, and has each format that it is look at it.
func look(p *part) error {
	switch {
	case p.size == 0:
		p.format = "empty"
		return nil
	case p.depth > p.MaxDepth:
		p.format = "unknown"
		p.unscanned(0, "it lies %d levels deep, and %d are opened", p.depth, p.MaxDepth)
		return nil
	case p.members >= p.MaxMembers:
		p.format = "unknown"
		p.overBudget(0, "there are more parts than the %d that are looked at", p.MaxMembers)
		return nil
	case !p.spend(costPart):
		p.format = "unknown"
		p.overWork(0)
		return nil
	}
	p.members++
	head, err := p.at(0, headSize)
	if err != nil {
		return err
	}
	head = bytes.Clone(head)
	for _, step := range []func([]byte) error{p.boxes, p.data, p.pickle, p.tail} {
		if err := step(head); err != nil {
			return err
		}
	}
	if p.formats > 1 {
		p.find(RulePolyglot, 0, "the bytes are a %s, and %s besides", p.format, times(p.formats-1, "another format", "other formats"))
	}
	if p.formats == 0 {
		return p.unknown(head)
	}
	return p.rest()
}

// boxes looks at the formats that hold others.
func (p *part) boxes(head []byte) error {
	if string(head[:min(len(head), 4)]) == "PK\x03\x04" {
		return p.zip()
	}
	if tarwalk.Has(head) {
		return p.tar()
	}
	for _, c := range codec.Detect(head) {
		if ok, err := p.wrapped(c); ok || err != nil {
			return err
		}
	}
	return nil
}

// data looks at the formats that hold data, and may hold code besides.
func (p *part) data(head []byte) error {
	for _, f := range [...]struct {
		magic func([]byte) bool
		look  func([]byte) error
	}{
		{func(head []byte) bool { return bytes.HasPrefix(head, []byte(npy.Magic)) }, p.npy},
		{java.Is, p.java},
		{p.isSafetensors, p.safetensors},
		{isJSON, p.json},
	} {
		if f.magic(head) {
			return f.look(head)
		}
	}
	if at, err := p.hdf5At(); at >= 0 || err != nil {
		if err != nil {
			return err
		}
		return p.hdf5(at)
	}
	return p.named(head)
}

// tail looks for an archive at the end of the part, where Python finds it whatever
// stands before: in the comment of an image, or in the last string of a pickle. One that
// is a member of another archive is looked at as that.
func (p *part) tail([]byte) error {
	const endSize = 22 // bytes of the smallest archive
	if p.zipped || p.size < endSize {
		return nil
	}
	end, err := zipwalk.Find(p.file, p.size)
	if err != nil || end < 0 || (p.holds || p.packed) && p.known.Has(end) {
		return err
	}
	return p.zip()
}

// times returns a number and what it is a number of.
func times(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf("%d %s", n, many)
}
