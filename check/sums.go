// Sums over a set: elements, misaligned bytes, and empty weights.

package check

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// maxTables bounds the matrices that are remembered.
const maxTables = 100

// sums are counted over all tensors of a set.
type sums struct {
	elems, floats int64 // elements of all tensors, and of float tensors
	bytes         int64
	begins        int64 // where the data of the current shard begins
	misaligned    tally
	odd           *shard // the first whose data does not begin at a multiple of 8

	tables map[int64]bool // the numbers of elements of matrices outside of layers, such as embeddings
}

// enter begins a shard.
func (s *sums) enter(one *shard) {
	if s.begins = one.header.DataStart(); s.begins%8 != 0 && s.odd == nil {
		s.odd = one
	}
}

func (s *sums) look(ti *safetensors.TensorInfo, shard int, n name) {
	elems := ti.NumElems()
	s.elems += elems
	if parts.KindOf(ti.Dtype)&(parts.Float|parts.Float8) != 0 {
		s.floats += elems
	}
	if n.layer < 0 && len(ti.Shape) == 2 && len(s.tables) < maxTables {
		if s.tables == nil {
			s.tables = make(map[int64]bool)
		}
		s.tables[elems] = true
	}
	s.bytes += ti.Size()
	if width := int64(ti.Dtype.Bits() / 8); width > 1 && ti.Size() > 0 && (s.begins+ti.Offsets.Begin)%width != 0 {
		s.misaligned.Add(ti, shard)
	}
}

func (s *sums) judge(m *subject, isAdapter bool) {
	in := func(shard int) string {
		if len(m.shards) == 1 {
			return ""
		}
		return " in " + quote(m.shards[shard].path)
	}
	if text := s.alignment(m.tensors, in); text != "" {
		m.found(m.File()).Add(RuleAlignmentCost, "", safetensors.Span{}, "%s", text)
	}
	if !isAdapter {
		for _, one := range m.shards {
			if v := Ungathered(one.header); v != nil {
				m.found(one.path).Add(v.Rule, v.Tensor, v.Span, "%s", v.Detail)
				if n, first := m.partitions(folderOf(one.path)); n > 0 {
					m.found(one.path).Fix(fmt.Sprintf("The values are in %s of the training, *%s: join them with "+
						"`weigh convert FOLDER/%s -o NEW`.", count(n, "file"), partitionSuffix, first))
				}
			}
		}
	}
}

// partitionSuffix ends the names of the files in which DeepSpeed saves what each process has of the weights and of the
// optimizer's state. (deepspeed/utils/zero_to_fp32.py, get_optim_files.)
const partitionSuffix = "_optim_states.pt"

// partitions returns how many such files there are in a folder, or in the last one below it that has any, and the path
// of the first of them below the folder. A path that a shell would not take as it is counts for none.
func (s *subject) partitions(folder string) (n int, first string) {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
	for _, name := range s.Names {
		below := strings.TrimPrefix(name, folder+"/")
		if folder == "" {
			below = name
		} else if below == name {
			continue
		}
		if !strings.HasSuffix(below, partitionSuffix) || strings.Trim(below, plain) != "" || strings.Count(below, "/") > 1 {
			continue
		}
		switch in, last := folderOf(below), folderOf(first); {
		case first != "" && in == last:
			n++
		case len(in) > len(last) || len(in) == len(last) && in > last || first == "": // global_step900, global_step1000
			n, first = 1, below
		}
	}
	return n, first
}

// alignment describes the tensors that are not aligned, "" if all are. In returns where a shard is.
func (s *sums) alignment(tensors int, in func(shard int) string) string {
	switch {
	case s.misaligned.N > 0:
		return fmt.Sprintf("%v of %s (%v of %s) are not aligned to the size of their elements, the first %s%s: loaders "+
			"that map files must copy them", wording.Grouped(s.misaligned.N), count(tensors, "tensor"),
			wording.Grouped(s.misaligned.Bytes), count(s.bytes, "byte"), quote(s.misaligned.First.Name),
			in(s.misaligned.Shard))
	case s.odd != nil:
		return fmt.Sprintf("the data begins at byte %v of the file, which is not a multiple of 8: tensors of another dtype "+
			"would be misaligned", wording.Grouped(s.odd.header.DataStart()))
	}
	return ""
}

// Misaligned returns the violation of [RuleAlignmentCost] by a file with that header, which may be nil, or nil.
func Misaligned(h *safetensors.Header) *safetensors.Violation {
	if h == nil {
		return nil
	}
	var s sums
	s.enter(&shard{header: h})
	for i := range h.Tensors {
		s.look(&h.Tensors[i], 0, parse(h.Tensors[i].Name))
	}
	text := s.alignment(len(h.Tensors), func(int) string { return "" })
	if text == "" {
		return nil
	}
	f := rule.Findings()
	f.Add(RuleAlignmentCost, "", safetensors.Span{}, "%s", text)
	return f.Report().Violations[0]
}

// judgeParameters compares total_parameters of the index with the number of elements. Programs differ in what
// they count, so any number that they may mean is accepted.
func (s *sums) judgeParameters(m *subject) {
	total := m.index.TotalParameters
	for _, n := range []int64{s.elems, s.floats} {
		if total == n || s.isTwice(total-n) {
			return
		}
	}
	if canMean(m.counts(), total, s.isTwice) { // without buffers
		return
	}
	m.found(m.set.Index).Add(RuleTotalParameters, "", safetensors.Span{},
		"total_parameters is %v, but the tensors of the index have %s", wording.Grouped(total), count(s.elems, "element"))
}

// isTwice reports whether so many elements are those of a matrix that is stored once and has several names in the
// model, which transformers may count each: an embedding that is also the output layer, or that an encoder and a
// decoder share.
func (s *sums) isTwice(elems int64) bool {
	const most = 3 // names besides the stored one
	for times := int64(1); times <= most; times++ {
		if elems > 0 && elems%times == 0 && s.tables[elems/times] {
			return true
		}
	}
	return false
}

// Ungathered returns the violation of [RuleTensorEmpty] by a file with that header, which may be nil, or nil.
func Ungathered(h *safetensors.Header) *safetensors.Violation {
	if h == nil {
		return nil
	}
	first, words := parts.Ungathered(len(h.Tensors), func(i int) *safetensors.TensorInfo { return &h.Tensors[i] })
	if first == nil {
		return nil
	}
	f := rule.Findings()
	f.Add(RuleTensorEmpty, first.Name, first.Entry, "%s", words)
	return f.Report().Violations[0]
}
