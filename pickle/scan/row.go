// Zip archives in a row: the shards of distributed checkpoints of PyTorch.

package scan

import (
	"fmt"

	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

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
