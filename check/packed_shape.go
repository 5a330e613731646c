// Shapes of packed weights, compared with the shapes of their companions and with the configuration.

package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/packing"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// mismatches are modules whose shapes do not fit, by what does not fit.
type mismatches map[string]*mismatch

// A mismatch is the modules with one kind of fault, and the details of the first.
type mismatch struct {
	tally
	detail string
}

// add counts a module. The format says what is wrong; the numbers of the first module are kept.
func (all mismatches) add(weight end, format string, args ...any) {
	one := all[format]
	if one == nil {
		one = &mismatch{detail: fmt.Sprintf(format, args...)}
		all[format] = one
	}
	one.tally.add(weight.info, weight.shard)
}

func (all mismatches) report(m *subject, rule safetensors.Rule) {
	for _, format := range slices.Sorted(maps.Keys(all)) {
		one := all[format]
		m.report(rule, &one.tally, "is packed:", "are packed: in the first,", "%s", one.detail)
	}
}

// A shapeJudge compares shapes.
type shapeJudge struct {
	config        *config.Quantization // empty if the configuration is about another set
	wrong, untold mismatches           // faults of shapes, and contradictions with the configuration
	bits, group   int64                // of all modules; 0 if unknown
	tile          []int64
	widths        map[*safetensors.TensorInfo]int64 // of packed words, as counted
	method        string
}

// newShapeJudge returns a judge with the settings that apply to all modules alike.
func newShapeJudge(m *subject) *shapeJudge {
	j := &shapeJudge{config: new(config.Quantization), wrong: make(mismatches), untold: make(mismatches)}
	if !m.described || m.Quant == nil || m.PerModule {
		return j
	}
	j.config = &m.Quantization
	switch j.method = m.Method; j.method {
	case "gptq", "awq", "compressed-tensors":
		j.group = m.Group
		if bits := m.Width(); bits >= 2 && bits <= 8 && (j.group != 0 || j.method != "compressed-tensors") {
			j.bits = bits
		}
	case "fp8":
		j.tile = m.Tile
	}
	return j
}

// judgeShapes compares the shapes of the parts of each module with each other, and with the configuration.
func (p *packed) judgeShapes(m *subject) {
	j := newShapeJudge(m)
	if slices.ContainsFunc(p.Modules, func(one packing.Module) bool { return one.Have.Has(parts.QWeight) }) {
		j.widths = m.widths()
	}
	for i := range p.Modules {
		p.judgeModule(&p.Modules[i], j)
	}
	j.wrong.report(m, RuleQuantShape)
	j.untold.report(m, RuleQuantConfig)
}

// judgeModule judges one module. Tensors with an unusual number of dimensions belong to unknown forms.
func (p *packed) judgeModule(one *packing.Module, j *shapeJudge) {
	get := func(role parts.Role) end { return p.get(one, role) }
	switch weight := get(parts.Weight); {
	case one.Have.Has(parts.QWeight):
		j.judgeRows(get(parts.QWeight), get(parts.Scales), get(parts.Zeros), get(parts.GroupIndex))
	case one.Have.Has(parts.Packed) && one.Kind == parts.U8:
		j.judgePairs(get(parts.Packed), get(parts.Scale))
	case one.Have.Has(parts.Packed):
		j.judgeWords(get(parts.Packed), get(parts.Scale))
	case weight.info == nil:
		j.judgeBlocks(get(parts.Blocks), get(parts.Scales))
	case one.Kind == parts.U8 && one.Have.Has(parts.Scale2):
		j.judgePairs(weight, get(parts.Scale))
	case one.Kind == parts.U8 && one.Have.Has(parts.Absmax):
		j.judgeAbsmax(weight, get(parts.Absmax))
	case one.Kind == parts.Float8 && one.Have.Has(parts.ScaleInv):
		j.judgeTiles(weight, get(parts.ScaleInv))
	case one.Kind == parts.Int32:
		j.judgeAffine(weight, get(parts.Scales), get(parts.Biases), one.Name)
	}
}

// matrix returns the dimensions of a tensor that has two of usable size.
func (e end) matrix() (rows, columns int64, ok bool) {
	if e.info == nil || len(e.info.Shape) != 2 {
		return 0, 0, false
	}
	rows, columns = e.info.Shape[0], e.info.Shape[1]
	return rows, columns, rows > 0 && columns > 0 && rows < maxDimension && columns < maxDimension
}

// shape returns the shape of a tensor for messages.
func (e end) shape() string { return e.info.ShapeString() }

// judgeRows judges a weight of GPTQ, [in*bits/32, out] with scales [groups, out] and zeros
// [groups, out*bits/32], or of AWQ, [in, out*bits/32] with the same.
func (j *shapeJudge) judgeRows(weight, scales, zeros, index end) {
	a, b, ok := weight.matrix()
	groups, out, has := scales.matrix()
	if !ok || !has || weight.info.Dtype != safetensors.I32 || a == groups || parts.Last(weight.info.Name) != "qweight" {
		return // Marlin, which calls it "B", or AWQ with swapped axes: [out, in*bits/32] with scales [out, ...]
	}
	g, d, ok := zeros.matrix()
	switch {
	case b != out && j.method == "gptq":
		j.wrong.add(weight, "the shape %s and the scales %s differ in columns; both need one for each output",
			weight.shape(), scales.shape())
		return
	case b != out && j.method != "awq":
		return // an unknown form
	case ok && g != groups:
		j.wrong.add(weight, "the zero points %s and the scales %s have different numbers of groups", zeros.shape(),
			scales.shape())
		return
	case !ok || zeros.info.Dtype != safetensors.I32:
		return
	}
	bits := bitsOf(d, out, cmp.Or(j.widths[weight.info], j.bits))
	if bits == 0 {
		j.wrong.add(weight, "the zero points %s have no whole number of bits for %d outputs", zeros.shape(), out)
		return
	}
	in := a
	if b == out {
		in = 32 * a / bits
	}
	if b != out && b != d {
		j.wrong.add(weight, "the shape %s and the zero points %s differ in columns, but are packed alike",
			weight.shape(), zeros.shape())
		return
	}
	if b == out && index.info != nil && len(index.info.Shape) == 1 && index.info.Shape[0] > 0 {
		if n := index.info.Shape[0]; n >= maxDimension || clamp.CeilDiv(n*bits, 32) != a {
			j.wrong.add(weight, "the %d rows hold %d inputs of %d bits, but g_idx has %d", a, in, bits, n)
			return
		}
		in = index.info.Shape[0]
	}
	j.compare(weight, bits, in, groups)
}

// bitsOf returns the width at which the numbers of a row fill so many words, or 0 if it is not from 2 to 8 bits.
// The last word may be partly empty, so several widths may fit; the configured one is the most likely.
func bitsOf(words, numbers, configured int64) int64 {
	if configured > 0 && clamp.CeilDiv(numbers*configured, 32) == words {
		return configured
	}
	for bits := int64(2); bits <= 8; bits++ {
		if clamp.CeilDiv(numbers*bits, 32) == words {
			return bits
		}
	}
	return 0
}

// compare compares the bits and the number of groups of a weight with the configuration.
func (j *shapeJudge) compare(weight end, bits, in, groups int64) {
	switch {
	case j.bits > 0 && bits != j.bits:
		j.untold.add(weight, "the shape %s has %d bits, but the configuration says %d", weight.shape(), bits, j.bits)
	case j.group == -1 && groups != 1:
		j.untold.add(weight, "the %d inputs have %d groups of scales, but the configuration says one", in, groups)
	case j.group > 0 && j.group < maxDimension && groups != clamp.CeilDiv(in, j.group):
		j.untold.add(weight, "the %d inputs have %d groups of scales, but the configured group size of %d makes %d",
			in, groups, j.group, clamp.CeilDiv(in, j.group))
	}
}

// judgeWords judges integers of compressed-tensors: [out, in*bits/32] with scales [out, groups], or one for
// each output, or one.
func (j *shapeJudge) judgeWords(weight, scale end) {
	rows, words, ok := weight.matrix()
	outs, groups, has := scale.matrix()
	switch {
	case !ok || !has || weight.info.Dtype != safetensors.I32:
	case rows != outs && outs != 1:
		j.wrong.add(weight, "the shape %s and the scales %s differ in rows", weight.shape(), scale.shape())
	case j.method == "compressed-tensors" && j.bits > 0 && 32%j.bits == 0 && outs == rows && groups > 1:
		// Versions differ in how they pack other widths.
		j.compare(weight, j.bits, 32*words/j.bits, groups)
	}
}

// judgePairs judges two numbers of 4 bits in each byte: [out, in/2] with scales [out, in/16] for NVFP4, and
// [out, in/32] for MXFP4. MXFP6 has the same names. Some programs pad
// scales to multiples of 128 rows and 4 columns for the hardware.
func (j *shapeJudge) judgePairs(weight, scale end) {
	rows, bytes, ok := weight.matrix()
	outs, groups, has := scale.matrix()
	switch {
	case !ok || !has:
	case rows != outs && clamp.CeilDiv(rows, 128)*128 != outs:
		j.wrong.add(weight, "the shape %s and the scales %s differ in rows", weight.shape(), scale.shape())
	case 8*bytes == 6*32*groups: // MXFP6
	case groups > 1 && !isPadded(groups, clamp.CeilDiv(2*bytes, 16)) && !isPadded(groups, clamp.CeilDiv(2*bytes, 32)):
		j.wrong.add(weight, "the %d inputs make no groups of 16 or 32 for the scales %s", 2*bytes, scale.shape())
	}
}

// isPadded reports whether n is a number, or the next multiple of 4.
func isPadded(n, number int64) bool { return n == number || n == clamp.CeilDiv(number, 4)*4 }

// judgeAbsmax judges 4 bits of bitsandbytes: bytes in one column, with one scale for each block of 32 to 4,096
// numbers, a power of two.
func (j *shapeJudge) judgeAbsmax(weight, absmax end) {
	bytes, columns, ok := weight.matrix()
	if !ok || columns != 1 || len(absmax.info.Shape) != 1 {
		return
	}
	n := absmax.info.Shape[0]
	for block := int64(32); block <= 4096; block *= 2 {
		if clamp.CeilDiv(2*bytes, block) == n {
			return
		}
	}
	j.wrong.add(weight, "the %d numbers make no blocks of 32 to 4096 for %d scales", 2*bytes, n)
}

// judgeBlocks judges MXFP4 of gpt-oss: [..., blocks, 16] bytes with scales [..., blocks].
func (j *shapeJudge) judgeBlocks(weight, scales end) {
	if weight.info == nil || scales.info == nil || len(weight.info.Shape) < 2 || weight.info.Dtype != safetensors.U8 {
		return
	}
	shape := weight.info.Shape
	if !slices.Equal(shape[:len(shape)-1], scales.info.Shape) {
		j.wrong.add(weight, "the blocks %s need one scale each, but the scales are %s", weight.shape(), scales.shape())
	}
}

// judgeTiles judges FP8 with a scale for each tile of rows and columns. Without a configuration, some size of
// tile must fit.
func (j *shapeJudge) judgeTiles(weight, scale end) {
	rows, columns, ok := weight.matrix()
	down, across, has := scale.matrix()
	switch {
	case !ok || !has:
	case !isDivided(rows, down) || !isDivided(columns, across):
		j.wrong.add(weight, "the shape %s cannot be divided into equal tiles for the scales %s", weight.shape(),
			scale.shape())
	case len(j.tile) == 2 && !(isTiled(rows, j.tile[0], down) && isTiled(columns, j.tile[1], across)):
		j.untold.add(weight, "the shape %s makes %d by %d tiles of the configured %d by %d, but the scales are %s",
			weight.shape(),
			clamp.CeilDiv(rows, j.tile[0]), clamp.CeilDiv(columns, j.tile[1]), j.tile[0], j.tile[1], scale.shape())
	}
}

// isTiled reports whether n rows or columns make so many tiles of a size. A weight may combine several, each of
// which ends with a partial tile.
func isTiled(n, size, tiles int64) bool {
	const most = 2
	return tiles >= clamp.CeilDiv(n, size) && tiles <= clamp.CeilDiv(n, size)+most
}

// isDivided reports whether n rows or columns can be divided into so many tiles of one size. The last tile may be
// smaller.
func isDivided(n, tiles int64) bool {
	return tiles <= n && clamp.CeilDiv(n, clamp.CeilDiv(n, tiles)) == tiles
}

// judgeAffine judges integers of MLX: [out, in*bits/32] with scales and biases [out, groups].
func (j *shapeJudge) judgeAffine(weight, scales, biases end, module string) {
	rows, words, ok := weight.matrix()
	outs, groups, has := scales.matrix()
	switch {
	case !ok || !has:
	case rows != outs:
		j.wrong.add(weight, "the shape %s and the scales %s differ in rows", weight.shape(), scales.shape())
	case biases.info != nil && !slices.Equal(biases.info.Shape, scales.info.Shape):
		j.wrong.add(weight, "the biases %s and the scales %s differ in shape", biases.shape(), scales.shape())
	case j.method == "mlx":
		j.compareAffine(weight, module, words, groups)
	}
}

// compareAffine compares a weight of MLX with the configuration of its module. The number of inputs follows
// from words and bits, and from groups.
func (j *shapeJudge) compareAffine(weight end, module string, words, groups int64) {
	at, ok := j.config.MLXWidth(module)
	if !ok || at.Bits < 2 || at.Bits > 8 || at.Group < 1 || at.Group >= maxDimension {
		return
	}
	if words*32 != groups*at.Group*at.Bits {
		j.untold.add(weight, "the %d words of a row hold %d numbers of the configured %d bits, but %d groups of %d make %d",
			words, words*32/at.Bits, at.Bits, groups, at.Group, groups*at.Group)
	}
}
