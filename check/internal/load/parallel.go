// Tensor parallelism: sizes that devices share.

package load

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// rows are the matrices whose inputs are divided, and columns those whose outputs are, in the layers of language
// models. (vLLM 0.33.0: model_executor/layers/linear.py, RowParallelLinear, ColumnParallelLinear.)
var (
	rows = []string{
		"self_attn.o_proj", "mlp.down_proj", "block_sparse_moe.w2", "mlp.experts.down_proj", "mlp.shared_expert.down_proj",
		"mlp.shared_experts.down_proj", "block_sparse_moe.experts.w2", "mlp.dense_4h_to_h", "mlp.fc2", "mlp.fc_out",
	}
	columns = []string{
		"mlp.gate_proj", "mlp.up_proj", "mlp.gate_up_proj", "mlp.experts.gate_proj", "mlp.experts.up_proj",
		"mlp.shared_expert.gate_proj", "mlp.shared_expert.up_proj", "mlp.shared_experts.gate_proj",
		"mlp.shared_experts.up_proj", "block_sparse_moe.experts.w1", "block_sparse_moe.experts.w3", "mlp.dense_h_to_4h",
		"mlp.fc1", "mlp.fc_in", "self_attn.q_proj",
	}
)

// judgeParallel reports sizes that the number of devices does not divide.
func judgeParallel(_ context.Context, m *Model) {
	if m.Ranks <= 1 || m.Adapter || !m.Described || len(m.For(servers...)) == 0 {
		return
	}
	m.judgeHeads()
	if n, v, ok := m.Int(config.Vocab); ok && n > 0 && (n+63)/64*64%m.Ranks != 0 {
		m.parallel(v, m.For(loader.VLLM), "%s is %v when it is padded to a multiple of 64, which %d devices cannot share",
			v.Sentence(), wording.Grouped((n+63)/64*64), m.Ranks)
	}
	shapes := make(map[string]*sharing) // by what follows the number of the layer
	for file, ti := range m.Tensors() {
		m.look(shapes, file, ti)
	}
	for _, kind := range slices.Sorted(maps.Keys(shapes)) {
		m.judgeSharing(kind, shapes[kind])
	}
}

// parallel reports a setting.
func (m *Model) parallel(v config.Value, names []loader.Name, format string, args ...any) {
	m.Add(Fault{Rule: rule.TensorParallel, File: m.ConfigPath, Span: rule.SpanOf(v)}, names, format, args...)
}

// judgeHeads compares the heads of attention with the number of devices. With fewer heads of keys and values than
// devices, several devices have the same.
func (m *Model) judgeHeads() {
	heads, v, ok := m.Int(config.Heads)
	if !ok || heads == 0 {
		return
	}
	if heads%m.Ranks != 0 {
		m.parallel(v, m.For(servers...), "%s has %s, which %d devices cannot share", m.quoted(), v.Sentence(), m.Ranks)
	}
	groups, of, ok := m.Int(config.KVHeads)
	if !ok || groups == 0 || m.Text.First("kv_lora_rank").Kind() != 0 {
		return
	}
	if groups >= m.Ranks && groups%m.Ranks != 0 || groups < m.Ranks && m.Ranks%groups != 0 {
		m.parallel(of, m.For(servers...), "%s has %s, which %d devices can neither share nor repeat equally", m.quoted(),
			of.Sentence(), m.Ranks)
	}
}

// A sharing is the shape of one kind of matrix.
type sharing struct {
	file  string
	first *safetensors.TensorInfo // a tensor of the first matrix
	size  int64                   // of the divided dimension, 0 if unknown
	group int64                   // the number of its elements that share a scale, 0 if none do
	unit  string
}

// look finds out the divided dimension of a matrix of the first layer that has it.
func (m *Model) look(shapes map[string]*sharing, file string, ti *safetensors.TensorInfo) {
	dot := strings.LastIndexByte(ti.Name, '.')
	stack, number, rest := parts.Layer(ti.Name[:max(dot, 0)])
	if number < 0 || len(ti.Shape) != 2 || path.Ext("x."+stack) != ".layers" || strings.Contains(stack, "vis") {
		return
	}
	if _, expert := parts.Expert(rest); expert {
		rest = rest[:strings.Index(rest, "experts.")] + "experts" + rest[strings.LastIndexByte(rest, '.'):]
	}
	isRow := slices.Contains(rows, rest)
	if !isRow && !slices.Contains(columns, rest) {
		return
	}
	one := shapes[rest]
	if one == nil {
		one = &sharing{file: file, first: ti}
		shapes[rest] = one
	}
	if isScale(one.first.Name) {
		one.first, one.file = ti, file
	}
	out, in := ti.Shape[0], ti.Shape[1]
	switch leaf := ti.Name[dot+1:]; {
	case leaf == "weight" && parts.KindOf(ti.Dtype)&(parts.Float|parts.Float8) != 0:
		one.size = pick(isRow, in, out)
		if len(m.Tile) == 2 && parts.KindOf(ti.Dtype) == parts.Float8 {
			one.group, one.unit = pick(isRow, m.Tile[1], m.Tile[0]), "the block"
		}
	case leaf == "scales" && isRow && one.group == 0 && (m.Method == "awq" || m.Method == "gptq" && !m.ordered()):
		one.groups(out, m.Group)
	case leaf == "weight_scale" && isRow && m.Format == "pack-quantized" && one.group == 0:
		one.groups(in, m.Group)
	}
}

func pick(isRow bool, row, column int64) int64 {
	if isRow {
		return row
	}
	return column
}

// groups sets the size and the group size by the number of groups. A single group is not divided.
func (s *sharing) groups(n, group int64) {
	if n > 1 && group > 0 && group < 1<<31 && n < 1<<31 {
		s.size, s.group, s.unit = n*group, group, "groups"
	}
}

// ordered reports whether GPTQ has ordered the inputs, so that each device needs all scales.
func (m *Model) ordered() bool {
	is, _ := m.Quant.First("desc_act").Bool()
	return is
}

// judgeSharing compares the divided dimension with the number of devices.
func (m *Model) judgeSharing(kind string, s *sharing) {
	at := Fault{Rule: rule.TensorParallel, File: s.file, Tensor: s.first.Name, Span: s.first.Entry}
	side := "outputs"
	if slices.Contains(rows, kind) {
		side = "inputs"
	}
	switch {
	case s.size == 0:
	case s.size%m.Ranks != 0:
		m.Add(at, m.For(servers...), "%s has %v %s, which %d devices cannot share", wording.Quote(kind),
			wording.Grouped(s.size), side, m.Ranks)
	case s.group > 0 && s.size/m.Ranks%s.group != 0 && s.unit == "groups":
		m.Add(at, m.For(servers...), "%s has %v %s in %v groups of %v, which %d devices cannot share: %s",
			wording.Quote(kind), wording.Grouped(s.size), side, wording.Grouped(s.size/s.group), wording.Grouped(s.group),
			m.Ranks, possible(s.size, s.group))
	case s.group > 0 && s.size/m.Ranks%s.group != 0:
		m.Add(at, m.For(servers...), "%s has %v %s in blocks of %v, and each of %d devices would have %v: %s",
			wording.Quote(kind), wording.Grouped(s.size), side, wording.Grouped(s.group), m.Ranks,
			wording.Grouped(s.size/m.Ranks), possible(s.size, s.group))
	}
}

// possible says on how many devices a matrix can be, of the powers of 2 up to 8.
func possible(size, group int64) string {
	var list []string
	for _, n := range []int64{1, 2, 4, 8} {
		if size%n == 0 && size/n%group == 0 {
			list = append(list, wording.Grouped(n).String())
		}
	}
	return strings.Join(list, " or ") + " can"
}
