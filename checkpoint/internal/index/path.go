// Names of shards in an index.

package index

import (
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/internal/wording"
)

// judgePaths judges the name of each shard once, at its first entry.
func (p *Parser) judgePaths() {
	bad := make(map[string]int) // number of tensors of each invalid name
	for name := range p.shards {
		if naming.Fault(name, p.ends...) != "" {
			bad[name] = 0
		}
	}
	if len(bad) == 0 {
		return
	}
	var first []*Entry
	for i := range p.Index.Tensors {
		e := &p.Index.Tensors[i]
		n, ok := bad[e.Shard]
		if !ok {
			continue
		}
		if bad[e.Shard]++; n == 0 {
			first = append(first, e)
		}
	}
	if over := len(first) - finding.MaxOfRule; over > 0 {
		first = first[:finding.MaxOfRule] // before formatting them
		p.Omit(finding.IndexPath, over)
	}
	for _, e := range first {
		p.Add(finding.IndexPath, e.Tensor, e.Span, "shard %s, of %s of the index, is not opened: its name %s",
			wording.Quote(e.Shard), wording.Count(bad[e.Shard], "tensor"), naming.Fault(e.Shard, p.ends...))
	}
}
