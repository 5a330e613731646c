// What has been measured so far.

package viewer

import (
	"math"
	"sync"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/stats"
)

// mostMeasured is the number of tensors whose statistics are kept, of about 100 bytes each.
const mostMeasured = 65536

// A brief is what is kept of the statistics of a tensor.
type brief struct {
	mean, std, absmax      float64
	count, zeros, nan, inf int64
	flags                  []string
}

// briefOf returns what is kept of statistics.
func briefOf(s *stats.Summary) *brief {
	b := &brief{mean: s.Mean, std: s.StdDev, count: s.Count, zeros: s.Zero, nan: s.NaN, inf: s.PosInf + s.NegInf,
		absmax: math.Max(math.Abs(s.Min.Float64()), math.Abs(s.Max.Float64()))}
	for _, f := range s.Flags() {
		b.flags = append(b.flags, string(f))
	}
	return b
}

// A measured has the statistics of tensors that were read.
type measured struct {
	mu    sync.Mutex
	items map[seen]*brief
}

// A seen is a tensor in one of its views.
type seen struct {
	id int
	as string
}

// put keeps the statistics of a tensor. If there are too many, it forgets the others.
func (m *measured) put(id int, as string, s *stats.Summary) *brief {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.items == nil || len(m.items) >= mostMeasured {
		m.items = make(map[seen]*brief)
	}
	b := briefOf(s)
	m.items[seen{id, as}] = b
	return b
}

// get returns the statistics of a tensor, or nil.
func (m *measured) get(id int, as string) *brief {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.items[seen{id, as}]
}

// size returns how many tensors were measured.
func (m *measured) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.items)
}

// Flags in addition to the flags of the statistics.
const (
	flagFinding = "finding" // a violation names the tensor
	flagPacked  = "packed"  // the tensor is a part of a packed weight
)

// flags returns the flags of a tensor.
func (o *opened) flags(id int, row listing.Row) []string {
	list := []string{}
	if o.accused[accused{o.files()[row.File].Path, row.Name}] {
		list = append(list, flagFinding)
	}
	if o.isPacked(id) {
		list = append(list, flagPacked)
	}
	for _, as := range []string{asWeight, asStored} {
		if b := o.values.get(id, as); b != nil {
			return append(list, b.flags...)
		}
	}
	return list
}

// An accused is a tensor that a violation names.
type accused struct{ file, tensor string }
