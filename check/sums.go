// Sums over a set: elements, bytes that a loader copies, weights that are not there.

package check

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// sums are counted over all tensors of a set.
type sums struct {
	elems, floats, buffers int64 // of all tensors; of those of floats; of those that are no parameters
	bytes                  int64
	begins                 int64 // where in the shard that is looked at the data begins
	misaligned             tally
	empty                  []tally // of each shard, weights of shape [0]
}

func (s *sums) look(ti *safetensors.TensorInfo, shard int, n name) {
	elems := ti.NumElems()
	s.elems += elems
	switch {
	case isBuffer(n.leaf):
		s.buffers += elems
	case isFloat(ti.Dtype) || isFloat8(ti.Dtype):
		s.floats += elems
	}
	s.bytes += ti.Size()
	if len(ti.Shape) == 1 && ti.Shape[0] == 0 && n.leaf == "weight" && isFloat(ti.Dtype) {
		for len(s.empty) <= shard {
			s.empty = append(s.empty, tally{})
		}
		s.empty[shard].add(ti, shard)
	}
	if width := int64(ti.Dtype.Bits() / 8); width > 1 && ti.Size() > 0 && (s.begins+ti.Offsets.Begin)%width != 0 {
		s.misaligned.add(ti, shard)
	}
}

// isBuffer says whether a tensor of that name is no parameter, but what a module
// keeps beside its parameters.
func isBuffer(leaf string) bool {
	switch leaf {
	case "inv_freq", "position_ids", "token_type_ids", "masked_bias", "num_batches_tracked", "running_mean", "running_var":
		return true
	}
	return false
}

func (s *sums) judge(m *weights) {
	if s.misaligned.n > 0 && !m.isFile() {
		m.found(m.file()).Add(RuleAlignmentCost, "", safetensors.Span{},
			"%v of %s, with %v of %s, lie at no multiple of their element's size, the first %s of %s: a loader that maps the files copies them",
			wording.Grouped(s.misaligned.n), count(m.tensors, "tensor"), wording.Grouped(s.misaligned.bytes), count(s.bytes, "byte"),
			quote(s.misaligned.first.Name), quote(m.shards[s.misaligned.shard].path))
	}
	if !m.isAdapter() {
		for i := range s.empty {
			m.report(RuleTensorEmpty, &s.empty[i], "is a weight", "are weights",
				"of shape [0], as DeepSpeed ZeRO-3 leaves behind of weights that it was not asked to gather")
		}
	}
	s.totalParameters(m)
}

// totalParameters compares what the index says of the number of parameters with the
// number of elements. Writers differ in what they count; so any of the numbers that
// they may mean will do.
func (s *sums) totalParameters(m *weights) {
	if m.index == nil || !m.whole || m.index.TotalParameters < 0 {
		return
	}
	if m.quant != nil || m.packed.any() {
		m.packedParameters()
		return
	}
	told := m.index.TotalParameters
	switch told {
	case s.elems, s.floats, s.elems - s.buffers, s.floats + s.buffers:
		return
	}
	m.found(m.set.Index).Add(RuleTotalParameters, "", safetensors.Span{},
		"total_parameters is %v, and the tensors of the index have %s", wording.Grouped(told), count(s.elems, "element"))
}
