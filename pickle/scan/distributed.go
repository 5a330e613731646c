// Distributed checkpoints of PyTorch: archives in a row, and metadata that is compared with the shards.

package scan

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/distributed"
)

// A File is another file in the folder of the scanned one.
type File interface {
	io.ReaderAt
	io.Closer
}

// slicesOf examines the ranges that the metadata of a distributed checkpoint refers to. Together they fill each
// file; any other range can be a pickle that is hidden in tensor data or in another file.
func (p *part) slicesOf(g *pickle.Graph) error {
	files := make(map[string][]distributed.Slice)
	for c := range distributed.Results(g) {
		s, is, ok := distributed.Of(c)
		switch {
		case !is:
			continue
		case !p.Spend(costVerdict):
			p.OverWork(0)
			return nil
		case !ok:
			p.Find(RuleBadOffset, c.Offset(), "the position of a value of a distributed checkpoint is not as PyTorch writes it")
		case !s.IsShard():
			p.Find(RuleUnsafeName, c.Offset(), "a value of a distributed checkpoint is in %s, which is no shard in its folder",
				quoted(s.File))
		default:
			files[s.File] = append(files[s.File], s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list := files[name]
		if i := distributed.Fill(list); i >= 0 {
			p.Find(RuleBadOffset, 0, "the values of a distributed checkpoint do not fill %s: one at byte %d does not follow "+
				"another", quoted(name), list[i].Offset)
		} else if err := p.archivesAt(name, list); err != nil {
			return err
		}
	}
	return nil
}

// archivesAt reports slices that are not the archives of a file.
func (p *part) archivesAt(name string, list []distributed.Slice) error {
	if p.Beside == nil || p.within != nil {
		return nil
	}
	r, size, err := p.Beside(name)
	if r == nil || err != nil {
		return err
	}
	defer r.Close()
	spans, err := zipwalk.Row(r, size, p.MaxMembers)
	if err != nil {
		return err
	}
	ends := map[int64]bool{size: true}
	for _, span := range spans {
		p.Spend(costPart)
		ends[span.End] = true
	}
	for _, s := range list {
		if end := s.Offset + s.Length; !ends[end] {
			p.Find(RuleBadOffset, 0, "a value of a distributed checkpoint ends at byte %d of %s, where no archive ends", end,
				quoted(name))
			return nil
		}
	}
	return nil
}

// formatRow is the format of a file that consists of several archives of PyTorch. Each is read by itself: the file
// ".metadata" in the same folder has the position of each.
const formatRow = "pytorch-distcp"

// row analyzes the archives of a part that consists of several; done is false for any other. Only a shard may
// consist of several: under another name they are ambiguous.
func (p *part) row() (done bool, err error) {
	if extensionOf(p.name) != ".distcp" {
		return false, nil
	}
	spans, err := zipwalk.Row(p.file, p.size, p.MaxMembers)
	if len(spans) == 0 && err == nil {
		spans, err = zipwalk.CutRow(p.file, p.size, p.MaxMembers)
	}
	if len(spans) == 0 || err != nil {
		return false, err
	}
	p.Is(formatRow)
	p.holds, p.zipped = true, true
	for _, span := range spans {
		p.Spend(4 * costPart) // an archive has headers and a directory
		if p.crowded() {
			return true, nil
		}
		sub := p.section(fmt.Sprintf("archive@%d", span.Begin), span)
		p.known.Add(span)
		if err := p.inside(sub); err != nil {
			return true, err
		}
	}
	return true, nil
}
