// Values: what the values of a tensor say about how it was made.

package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// A verdict is what is kept of a tensor's values.
type verdict struct {
	counted  bool // there are values, and they were counted
	zero     bool // all are zero
	constant bool // all are equal, and not zero
	below    bool // infinities are all negative
	full     bool // the largest is the largest byte
	nan, inf int64
}

// A counted is a shard whose values were counted.
type counted struct {
	*shard
	verdicts []verdict // of its tensors
}

// isBlank reports whether all floats and matrices of a small set are zero. It was made for its shapes, as examples and
// tests are. In a large set, that is what an interrupted download leaves.
func isBlank(read []counted) bool {
	const small = 1 << 20
	size := int64(0)
	for _, s := range read {
		for i, v := range s.verdicts {
			ti := &s.header.Tensors[i]
			size += max(ti.Size(), 0)
			if v.counted && !v.zero && (ti.Dtype.Class() == safetensors.ClassFloat || isMatrix(ti)) {
				return false
			}
		}
	}
	return size < small
}

// judgeValues judges the values of a set.
func (m *subject) judgeValues(read []counted, isAdapter bool) {
	m.forget(read)
	var down []lora
	for _, s := range read {
		m.judgeNumbers(s.shard, s.verdicts, isAdapter)
		down = append(down, loras(s.header, s.verdicts)...)
	}
	if isAdapter {
		m.judgeChange(down)
		m.judgeAlphas(read)
	}
}

// forget clears the verdicts on packed weights that are stored as floats, as HQQ and bitsandbytes do on request: their
// bits are not those of numbers.
func (m *subject) forget(read []counted) {
	odd := func(v verdict) bool { return v.nan+v.inf > 0 || v.zero || v.constant }
	if !slices.ContainsFunc(read, func(s counted) bool { return slices.ContainsFunc(s.verdicts, odd) }) {
		return
	}
	packed := m.packedFloats()
	for _, s := range read {
		for i := range s.verdicts {
			if packed[&s.header.Tensors[i]] {
				s.verdicts[i] = verdict{}
			}
		}
	}
}

// judgeNumbers judges the tensors of a shard by their values.
func (m *subject) judgeNumbers(s *shard, verdicts []verdict, isAdapter bool) {
	var inRun map[int]bool // tensors that are reported as zeros
	if !isAdapter {        // every second matrix of an untrained adapter is zero
		inRun = m.judgeRuns(s, verdicts)
	}
	for i, v := range verdicts {
		if !v.counted {
			continue
		}
		ti := &s.header.Tensors[i]
		n := parse(ti.Name)
		_, role := parts.Split(ti.Name)
		switch at := s.header.FileSpan(ti); {
		case role.IsScale():
			m.judgeScale(s, ti, n, role, v)
		case v.nan > 0:
			m.found(s.path).Add(RuleNotFinite, ti.Name, at, "tensor %s has %s among %s", quote(ti.Name),
				count(v.nan, "NaN"), count(ti.NumElems(), "element"))
		case v.inf > 0 && !(v.below && n.leaf != "weight") && !isBound(n.leaf):
			m.found(s.path).Add(RuleNotFinite, ti.Name, at, "tensor %s has %s among %s",
				quote(ti.Name), count(v.inf, "infinite value"), count(ti.NumElems(), "element"))
		case (v.zero || v.constant) && !inRun[i] && isTrained(ti, n) && !isAdapter:
			all := "equal"
			if v.zero {
				all = "zero"
			}
			m.found(s.path).Add(RuleConstantWeight, ti.Name, at, "the %s of tensor %s, %s, are all %s",
				count(ti.NumElems(), "element"), quote(ti.Name), ti.ShapeString(), all)
		}
	}
}

// isBound reports whether a tensor is a bound, which is infinite until something was observed. Negative
// infinity also occurs in masks, and in biases of choices that must never be made.
func isBound(leaf string) bool {
	return strings.HasPrefix(leaf, "min_") || strings.HasPrefix(leaf, "max_") || leaf == "min" || leaf == "max"
}

// isTrained reports whether a tensor is a trained matrix, packed or not. Norms and biases often have equal
// values, and small tensors may have them by chance.
func isTrained(ti *safetensors.TensorInfo, n name) bool {
	const few = 64
	return isMatrix(ti) && ti.NumElems() >= few &&
		(n.leaf == "weight" || n.leaf == "qweight" || n.leaf == "weight_packed")
}

// isMatrix reports whether two dimensions or more are larger than 1.
func isMatrix(ti *safetensors.TensorInfo) bool {
	wide := 0
	for _, d := range ti.Shape {
		if d > 1 {
			wide++
		}
	}
	return wide >= 2
}

// judgeScale judges the values of scales.
func (m *subject) judgeScale(s *shard, ti *safetensors.TensorInfo, n name, role parts.Role, v verdict) {
	fault := ""
	switch {
	case v.nan > 0:
		fault = "has " + count(v.nan, "scale") + " that are NaN"
	case v.inf > 0:
		fault = "has " + count(v.inf, "scale") + " that are infinite"
	case v.zero && ofWeight(ti, n.leaf, role):
		fault = "has only zero scales, which make all values zero"
	case v.full && role == parts.Scales && s.header.Lookup(strings.TrimSuffix(ti.Name, "_scales")+"_blocks") != nil:
		fault = "has scales of 255, which is NaN"
	default:
		return
	}
	m.found(s.path).Add(RuleScaleValue, ti.Name, s.header.FileSpan(ti), "tensor %s %s", quote(ti.Name), fault)
}

// ofWeight reports whether scales belong to a weight, and not to an activation, where some are zero until they
// are observed.
func ofWeight(ti *safetensors.TensorInfo, leaf string, role parts.Role) bool {
	return role == parts.Scales || role == parts.ScaleInv || role == parts.Absmax ||
		strings.HasPrefix(leaf, "weight_") || leaf == "scale_weight"
}

// A run of zeros is reported if it has at least so many tensors, trained matrices and bytes. Zero points and
// biases are often zero, and neighbors.
const (
	runTensors  = 3
	runMatrices = 2
	runBytes    = 4096 // a page, which is what a fault of a file system destroys
)

// judgeRuns reports consecutive tensors that are all zero, and returns which they are.
func (m *subject) judgeRuns(s *shard, verdicts []verdict) map[int]bool {
	var order []int // of the tensors that have bytes
	for i := range verdicts {
		if s.header.Tensors[i].Size() > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(s.header.Tensors[a].Offsets.Begin, s.header.Tensors[b].Offsets.Begin)
	})
	in := make(map[int]bool)
	for begin := 0; begin < len(order); {
		end, matrices := begin, 0
		for ; end < len(order) && verdicts[order[end]].zero; end++ {
			if ti := &s.header.Tensors[order[end]]; isTrained(ti, parse(ti.Name)) {
				matrices++
			}
		}
		if run := order[begin:end]; len(run) >= runTensors && matrices >= runMatrices {
			m.reportRun(s, run, end == len(order), in)
		}
		begin = end + 1
	}
	return in
}

func (m *subject) reportRun(s *shard, run []int, toEnd bool, in map[int]bool) {
	first, last := &s.header.Tensors[run[0]], &s.header.Tensors[run[len(run)-1]]
	at := safetensors.Span{Begin: s.header.FileSpan(first).Begin, End: s.header.FileSpan(last).End}
	if at.Len() < runBytes {
		return
	}
	for _, i := range run {
		in[i] = true
	}
	where := "in the middle of the file"
	if toEnd {
		where = "at the end of the file, as an incomplete download leaves them"
	}
	m.found(s.path).Add(RuleZeroRun, first.Name, at, "%s in a row, from %s to %s, are all zeros: %s %s",
		count(len(run), "tensor"), quote(first.Name), quote(last.Name), count(at.Len(), "byte"), where)
}

// A lora is the matrix of an adapter that is zero before training.
type lora struct {
	name string
	zero bool
}

// loras returns the matrices of a shard that are zero before training, by their names.
func loras(h *safetensors.Header, verdicts []verdict) (all []lora) {
	for i, v := range verdicts {
		name := h.Tensors[i].Name
		if m, ok := parts.MatrixOf(name); v.counted && ok && m.Kind == "LoRA" && !m.Down && parts.Last(name) != "bias" {
			all = append(all, lora{name, v.zero})
		}
	}
	return all
}

// judgeChange reports an adapter that modifies nothing.
func (m *subject) judgeChange(all []lora) {
	if !m.complete || len(all) == 0 || slices.ContainsFunc(all, func(l lora) bool { return !l.zero }) {
		return
	}
	m.found(m.File()).Add(RuleAdapterEmpty, all[0].name, safetensors.Span{},
		"the adapter changes nothing: the second matrix of each module is zero (%s, the first %s)",
		count(len(all), "module"), quote(all[0].name))
}

// judgeAlphas reports scalars of alpha that are zero. They need the data.
func (m *subject) judgeAlphas(read []counted) {
	var zero tally
	for i, s := range read {
		for t, v := range s.verdicts {
			ti := &s.header.Tensors[t]
			if p, ok := parts.AdapterOf(ti.Name); ok && v.zero && p.Role == parts.AdapterAlpha && !p.Weak && len(ti.Shape) == 0 {
				zero.Add(ti, i)
			}
		}
	}
	if zero.N > 0 {
		m.found(read[zero.Shard].path).Add(RuleAdapterAlpha, zero.First.Name, zero.First.Entry,
			"%s 0, which scales the module by 0: it changes nothing", zero.Subject("is", "are"))
	}
}
