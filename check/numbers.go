// Numbers: what those of a tensor say about how it came to be.

package check

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// judgeNumbers judges the tensors of a shard by what was counted.
func (m *weights) judgeNumbers(s *shard, verdicts []verdict) {
	var in map[int]bool // of which tensors it was said that they are zeros
	if !m.isAdapter() { // one that was not trained has zeros in every other matrix
		in = m.judgeRuns(s, verdicts)
	}
	for i, v := range verdicts {
		if !v.counted {
			continue
		}
		ti := &s.header.Tensors[i]
		n := parse(ti.Name)
		part, _ := partOf(ti, n)
		switch at := s.header.FileSpan(ti); {
		case part.isScale():
			m.judgeScale(s, ti, n, part, v)
		case v.nan > 0:
			m.found(s.path).Add(RuleNotFinite, ti.Name, at, "of tensor %s, %s NaN, of %s", quote(ti.Name), are(v.nan, "number"), count(ti.NumElems(), "element"))
		case v.inf > 0 && !(v.below && n.leaf != "weight") && !isBound(n.leaf):
			m.found(s.path).Add(RuleNotFinite, ti.Name, at, "of tensor %s, %s infinite, of %s", quote(ti.Name), are(v.inf, "number"), count(ti.NumElems(), "element"))
		case (v.zero || v.constant) && !in[i] && isTrained(ti, n) && !m.isAdapter():
			all := "one number"
			if v.zero {
				all = "zero"
			}
			m.found(s.path).Add(RuleConstantWeight, ti.Name, at, "the %s of tensor %s, %s, are all %s",
				count(ti.NumElems(), "element"), quote(ti.Name), ti.ShapeString(), all)
		}
	}
}

// are returns so many things with their verb, as in "1 number is" and "2 numbers are".
func are(n int64, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
}

// isBound says whether a tensor of that name is a bound, which is infinite until
// something was observed. Minus infinity is in masks, and in biases of what shall never
// be chosen.
func isBound(leaf string) bool {
	return strings.HasPrefix(leaf, "min_") || strings.HasPrefix(leaf, "max_") || leaf == "min" || leaf == "max"
}

// isTrained says whether a tensor is a matrix whose numbers come from training, or
// are what these were packed to. Norms and biases have one number often, and what
// has few numbers may by chance.
func isTrained(ti *safetensors.TensorInfo, n name) bool {
	const few = 64
	return isMatrix(ti) && ti.NumElems() >= few && (n.leaf == "weight" || n.leaf == "qweight" || n.leaf == "weight_packed")
}

// isMatrix says whether two dimensions or more are larger than 1.
func isMatrix(ti *safetensors.TensorInfo) bool {
	wide := 0
	for _, d := range ti.Shape {
		if d > 1 {
			wide++
		}
	}
	return wide >= 2
}

// judgeScale judges scales. Those of blocks may be zero here and there, where all of
// a block is; but not all. An exponent of 255 is the NaN of E8M0, which MXFP4 has in
// bytes.
func (m *weights) judgeScale(s *shard, ti *safetensors.TensorInfo, n name, p part, v verdict) {
	fault := ""
	switch {
	case v.nan > 0:
		fault = are(v.nan, "scale") + " NaN"
	case v.inf > 0:
		fault = are(v.inf, "scale") + " infinite"
	case v.zero && ofWeight(n.leaf, p):
		fault = "all scales are zero, and make zeros of what they scale"
	case v.full && p == partBlockScales && s.header.Lookup(strings.TrimSuffix(ti.Name, "_scales")+"_blocks") != nil:
		fault = "scales are 255, which is NaN"
	default:
		return
	}
	m.found(s.path).Add(RuleScaleValue, ti.Name, s.header.FileSpan(ti), "of tensor %s, %s", quote(ti.Name), fault)
}

// ofWeight says whether scales are of a weight, and not of what is computed: of that,
// some are zero until they were observed.
func ofWeight(leaf string, p part) bool {
	return p == partBlockScales || p == partScaleInv || strings.HasPrefix(leaf, "weight_") || leaf == "scales" || leaf == "absmax" || leaf == "scale_weight"
}

// A run of zeros is reported if it is this long: tensors, of which so many are
// matrices that were trained, and bytes. Zero points and biases are all zero often,
// and stand beside one another.
const (
	runTensors  = 3
	runMatrices = 2
	runBytes    = 4096 // a page: what is lost by a fault of a file system
)

// judgeRuns reports tensors that follow one another in the file and are all zero. It
// returns which they are.
func (m *weights) judgeRuns(s *shard, verdicts []verdict) map[int]bool {
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

func (m *weights) reportRun(s *shard, run []int, toEnd bool, in map[int]bool) {
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
		where = "up to the end of the file, as a download leaves it that reserved its space and did not fill it"
	}
	m.found(s.path).Add(RuleZeroRun, first.Name, at, "%s in a row, from %s to %s, are all zeros: %s %s",
		count(len(run), "tensor"), quote(first.Name), quote(last.Name), count(at.Len(), "byte"), where)
}

// A lora is the matrix of an adapter by which what it adds is zero at first.
type lora struct {
	name string
	zero bool
}

// loras returns those of a shard, by the names that they have.
func loras(h *safetensors.Header, verdicts []verdict) (all []lora) {
	for i, v := range verdicts {
		for k := range sides {
			if _, after, ok := strings.Cut(h.Tensors[i].Name, sides[k].up); v.counted && ok && (after == "" || after[0] == '.') {
				all = append(all, lora{h.Tensors[i].Name, v.zero})
				break
			}
		}
	}
	return all
}

// judgeChange reports an adapter all of which adds zero.
func (m *weights) judgeChange(all []lora) {
	if !m.isAdapter() || !m.whole || len(all) == 0 || slices.ContainsFunc(all, func(l lora) bool { return !l.zero }) {
		return
	}
	m.found(m.file()).Add(RuleAdapterEmpty, all[0].name, safetensors.Span{},
		"the adapter changes nothing: the second matrices of all its modules are zeros, %d in number, the first %s", len(all), quote(all[0].name))
}

// judgeTied compares an output layer with the input layer to which the configuration
// ties it.
func (m *weights) judgeTied(ctx context.Context) {
	in, out := m.ends.embedding, m.ends.head
	tied, _ := m.config.flag("tie_word_embeddings")
	if !m.described || !tied || in.info == nil || out.info == nil || !sameKind(in.info, out.info) {
		return
	}
	same, err := m.sameBytes(ctx, in, out)
	switch {
	case err != nil && ctx.Err() == nil:
		m.failed(m.shards[out.shard].path, err)
	case err == nil && !same:
		m.found(m.shards[out.shard].path).Add(RuleTiedDiffers, out.info.Name, out.info.Entry,
			"tensor %s has other bytes than %s, to which %s ties it", quote(out.info.Name), quote(in.info.Name), quote(m.config.path))
	}
}

// sameBytes says whether two tensors of one kind have the same bytes.
func (m *weights) sameBytes(ctx context.Context, a, b end) (bool, error) {
	const chunk = 1 << 20 // bytes
	var readers [2]io.Reader
	for i, e := range []end{a, b} {
		object, err := m.from.Open(ctx, m.shards[e.shard].path)
		if err != nil {
			return false, err
		}
		defer object.Close()
		readers[i] = m.shards[e.shard].section(object.ReaderAt(ctx), e.info)
	}
	var bufs [2][]byte
	for i := range bufs {
		bufs[i] = make([]byte, min(a.info.Size(), chunk))
	}
	for left := a.info.Size(); left > 0; left -= int64(len(bufs[0])) {
		for i := range bufs {
			bufs[i] = bufs[i][:min(left, int64(len(bufs[i])))]
			if _, err := io.ReadFull(readers[i], bufs[i]); err != nil {
				return false, err
			}
		}
		if !bytes.Equal(bufs[0], bufs[1]) {
			return false, nil
		}
	}
	return true, nil
}
