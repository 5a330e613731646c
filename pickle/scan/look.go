// Detection: every format that the bytes of a part have.

package scan

import (
	"bytes"
	"fmt"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/codec"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/foreign"
	"github.com/weightools/safetensors/pickle/scan/internal/java"
	"github.com/weightools/safetensors/pickle/scan/internal/promise"
)

// look detects the formats of a part, by content, and analyzes it as each of them.
func look(p *part) error {
	switch {
	case p.size == 0:
		p.format = "empty"
		return nil
	case p.depth > p.MaxDepth:
		p.format = "unknown"
		p.Unscanned(0, "it is nested %d levels deep; at most %d are opened", p.depth, p.MaxDepth)
		return nil
	case p.members >= p.MaxMembers:
		p.format = "unknown"
		p.overBudget(0, "there are more than %d parts; the rest was not analyzed", p.MaxMembers)
		return nil
	case !p.Spend(costPart):
		p.format = "unknown"
		p.OverWork(0)
		return nil
	}
	p.members++
	head, err := p.At(0, headSize)
	if err != nil {
		return err
	}
	head = bytes.Clone(head)
	p.detected = filetype.DetectHead(head)
	for _, step := range []func([]byte) error{p.boxes, p.data, p.graphs, p.pickle, p.tail} {
		if err := step(head); err != nil {
			return err
		}
	}
	if err := p.sitePath(); err != nil {
		return err
	}
	if p.formats > 0 && !p.ran && p.unpickled() {
		p.Find(pickle.RuleNotPickle, 0, "loaders unpickle %s by its name, but it is %s", quoted(p.name), p.format)
	}
	if p.formats > 1 {
		p.Find(RulePolyglot, 0, "the file is %s and %s at once: loaders may disagree on what it is", p.format,
			times(p.formats-1, "another format", "other formats"))
	}
	if p.formats == 0 {
		return p.unknown(head)
	}
	return p.rest()
}

// boxes analyzes archives and compressed data. One does not exclude the others: the name of a member of
// a tar archive can begin another.
func (p *part) boxes(head []byte) error {
	if string(head[:min(len(head), 4)]) == "PK\x03\x04" {
		if err := p.zip(); err != nil {
			return err
		}
	}
	if tarwalk.Has(head) {
		if err := p.tar(); err != nil {
			return err
		}
	}
	for _, c := range codec.Detect(head) {
		if ok, err := p.wrapped(c); ok || err != nil {
			return err
		}
	}
	return nil
}

// data analyzes formats of data that may contain code. One does not exclude the others.
func (p *part) data(head []byte) error {
	for _, f := range [...]struct {
		magic func([]byte) bool
		look  func([]byte) error
	}{
		{func(head []byte) bool { return bytes.HasPrefix(head, []byte(npy.Magic)) }, p.npy},
		{java.Is, p.java},
		{p.isSafetensors, p.safetensors},
		{foreign.IsJSON, p.json},
		{foreign.IsGGUF, p.gguf},
	} {
		if f.magic(head) {
			if err := f.look(head); err != nil {
				return err
			}
		}
	}
	if at, err := p.hdf5At(); err != nil {
		return err
	} else if at >= 0 {
		if err := p.foreign().HDF5(at, p.holds && p.known.Has(at)); err != nil {
			return err
		}
	}
	if ok, err := p.foreign().Others(head); ok || err != nil {
		return err
	}
	return p.named()
}

// tail looks for a zip archive at the end of the part, where Python finds it regardless of
// the bytes before it: in the comment of an image, for example, or in the last string of a
// pickle. An archive that is a member of another was analyzed already, and PyTorch reads storages
// from their beginning.
func (p *part) tail([]byte) error {
	const endSize = 22 // size of the smallest archive
	if p.zipped || p.size < endSize || p.plain {
		return nil
	}
	end, err := zipwalk.Find(p.file, p.size)
	if err != nil || end < 0 || p.zips.Has(end) {
		return err
	}
	return p.zip()
}

// times returns a number and a noun.
func times(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// hdf5Magic is the signature of HDF5, at offset 0 or, after a user block, at 512, 1024, 2048
// and so on.
const hdf5Magic = "\x89HDF\r\n\x1a\n"

// hdf5At returns the offset of an HDF5 file in the part, or -1. If the part has another
// format and its name does not promise HDF5, only the bytes that were read already are examined.
func (p *part) hdf5At() (int64, error) {
	most := p.size
	if p.formats > 0 && !promise.HDF5(p.name) || p.plain {
		most = bytesio.WindowSize / 2
	}
	for at := int64(0); at <= min(p.size, most); at = max(512, 2*at) {
		if ok, err := p.begins(at, hdf5Magic); ok || err != nil {
			return at, err
		}
	}
	return -1, nil
}
