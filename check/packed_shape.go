// Shapes of packed weights: whether those of the parts of one module fit each other.

package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
)

// mismatches are modules whose shapes do not fit, by what does not.
type mismatches map[string]*mismatch

// A mismatch is the modules that are at fault in one way, with the numbers of the
// first.
type mismatch struct {
	tally
	detail string
}

// add counts a module. What is wrong is a format, and its numbers are those of the
// first module.
func (all mismatches) add(weight end, format string, args ...any) {
	one := all[format]
	if one == nil {
		one = &mismatch{detail: fmt.Sprintf(format, args...)}
		all[format] = one
	}
	one.tally.add(weight.info, weight.shard)
}

func (all mismatches) report(m *weights, rule safetensors.Rule) {
	for _, format := range slices.Sorted(maps.Keys(all)) {
		one := all[format]
		m.report(rule, &one.tally, "is packed:", "are packed: in the first,", "%s", one.detail)
	}
}

// judgeShapes compares the shapes of the parts of each module with each other, and
// with the configuration.
func (p *packed) judgeShapes(m *weights) {
	wrong, untold := make(mismatches), make(mismatches)
	told := m.toldOf()
	for i := range p.modules {
		p.judgeModule(&p.modules[i], told, wrong, untold)
	}
	wrong.report(m, RuleQuantShape)
	untold.report(m, RuleQuantConfig)
}

// judgeModule judges one module by the form of its weight. Tensors of other numbers
// of dimensions than are usual are of forms that are not known here.
func (p *packed) judgeModule(one *module, told *told, wrong, untold mismatches) {
	get := func(part part) end { return p.get(one, part) }
	switch {
	case one.have.has(partQWeight):
		judgeRows(get(partQWeight), get(partScales), get(partZeros), get(partGIdx), told, wrong, untold)
	case one.have.has(partPacked):
		judgeWords(get(partPacked), get(partScale), told, wrong, untold)
	case one.have.has(partPacked4):
		judgePairs(get(partPacked4), get(partScale), wrong)
	case one.have.has(partWeightU8) && one.have.has(partScale2):
		judgePairs(get(partWeightU8), get(partScale), wrong)
	case one.have.has(partWeightU8) && one.have.has(partAbsmax):
		judgeAbsmax(get(partWeightU8), get(partAbsmax), wrong)
	case one.have.has(partBlocks):
		judgeBlocks(get(partBlocks), get(partBlockScales), wrong)
	case one.have.has(partWeightF8) && one.have.has(partScaleInv):
		judgeTiles(get(partWeightF8), get(partScaleInv), told, wrong, untold)
	case one.have.has(partWeightU32):
		judgeAffine(get(partWeightU32), get(partScales), get(partBiases), one.name, told, wrong, untold)
	}
}

// matrix returns the two dimensions of a tensor that has two, and elements.
func (e end) matrix() (rows, columns int64, ok bool) {
	if e.info == nil || len(e.info.Shape) != 2 {
		return 0, 0, false
	}
	rows, columns = e.info.Shape[0], e.info.Shape[1]
	return rows, columns, rows > 0 && columns > 0 && rows < maxDimension && columns < maxDimension
}

// judgeRows judges a weight of GPTQ, [in*bits/32, out] with scales [groups, out] and
// zeros [groups, out*bits/32], or of AWQ, [in, out*bits/32] with the same.
func judgeRows(weight, scales, zeros, gIdx end, told *told, wrong, untold mismatches) {
	a, b, ok := weight.matrix()
	groups, out, has := scales.matrix()
	if !ok || !has || weight.info.Dtype != safetensors.I32 || a == groups {
		return // not AWQ with its axes swapped: [out, in*bits/32] with scales [out, ...]
	}
	g, d, ok := zeros.matrix()
	switch {
	case b != out && told.method == "gptq":
		wrong.add(weight, "the shape %s has other columns than the scales %s, where both have one for each output", weight.info.ShapeString(), scales.info.ShapeString())
		return
	case b != out && told.method != "awq":
		return // a form that is not known
	case ok && g != groups:
		wrong.add(weight, "the zero points %s and the scales %s are of different numbers of groups", zeros.info.ShapeString(), scales.info.ShapeString())
		return
	case !ok || zeros.info.Dtype != safetensors.I32:
		return
	}
	bits := bitsOf(d, out, told.bits)
	if bits == 0 {
		wrong.add(weight, "the zero points %s are of no whole number of bits for %d outputs", zeros.info.ShapeString(), out)
		return
	}
	in := a
	if b == out {
		in = 32 * a / bits
	}
	if b != out && b != d {
		wrong.add(weight, "the shape %s has other columns than the zero points %s, which are packed alike", weight.info.ShapeString(), zeros.info.ShapeString())
		return
	}
	if b == out && gIdx.info != nil && len(gIdx.info.Shape) == 1 && gIdx.info.Shape[0] > 0 {
		if n := gIdx.info.Shape[0]; n >= maxDimension || ceil(n*bits, 32) != a {
			wrong.add(weight, "the %d rows hold %d inputs of %d bits, and the g_idx is of %d", a, in, bits, n)
			return
		}
		in = gIdx.info.Shape[0]
	}
	told.compare(weight, bits, in, groups, untold)
}

// bitsOf returns how many bits numbers have of which so many words hold a row; 0 if
// no number of bits from 2 to 8 does. The last word need not be full, so there may be
// several, of which the one that is told is likeliest.
func bitsOf(words, numbers, told int64) int64 {
	if told > 0 && ceil(numbers*told, 32) == words {
		return told
	}
	for bits := int64(2); bits <= 8; bits++ {
		if ceil(numbers*bits, 32) == words {
			return bits
		}
	}
	return 0
}

// judgeWords judges integers of compressed-tensors: [out, in*bits/32] with scales
// [out, groups], or one for each output, or one.
func judgeWords(weight, scale end, told *told, wrong, untold mismatches) {
	rows, words, ok := weight.matrix()
	outs, groups, has := scale.matrix()
	switch {
	case !ok || !has || weight.info.Dtype != safetensors.I32:
	case rows != outs && outs != 1:
		wrong.add(weight, "the shape %s has other rows than the scales %s", weight.info.ShapeString(), scale.info.ShapeString())
	case told.bits > 0 && 32%told.bits == 0 && outs == rows && groups > 1: // of other bits, versions differ in how they pack
		told.compare(weight, told.bits, 32*words/told.bits, groups, untold)
	}
}

// judgePairs judges two numbers of 4 bits in each byte: [out, in/2] with scales
// [out, in/16] for NVFP4, and [out, in/32] for MXFP4. Some makers leave scales as the
// hardware wants them, filled up to multiples of 128 rows and 4 columns.
func judgePairs(weight, scale end, wrong mismatches) {
	rows, bytes, ok := weight.matrix()
	outs, groups, has := scale.matrix()
	switch {
	case !ok || !has:
	case rows != outs && ceil(rows, 128)*128 != outs:
		wrong.add(weight, "the shape %s has other rows than the scales %s", weight.info.ShapeString(), scale.info.ShapeString())
	case groups > 1 && !isFilled(groups, ceil(2*bytes, 16)) && !isFilled(groups, ceil(2*bytes, 32)):
		wrong.add(weight, "the %d inputs are in no groups of 16 or 32 for the scales %s", 2*bytes, scale.info.ShapeString())
	}
}

// isFilled says whether n is a number, or that filled up to a multiple of 4.
func isFilled(n, number int64) bool { return n == number || n == ceil(number, 4)*4 }

// judgeAbsmax judges 4 bits of bitsandbytes: bytes in one column, with one scale for
// each block of a power of two, from 64 numbers to 4,096.
func judgeAbsmax(weight, absmax end, wrong mismatches) {
	bytes, columns, ok := weight.matrix()
	if !ok || columns != 1 || len(absmax.info.Shape) != 1 {
		return
	}
	n := absmax.info.Shape[0]
	for block := int64(64); block <= 4096; block *= 2 {
		if ceil(2*bytes, block) == n {
			return
		}
	}
	wrong.add(weight, "the %d numbers are in no blocks of 64 to 4096 for %d scales", 2*bytes, n)
}

// judgeBlocks judges MXFP4: [..., blocks, 16] bytes with scales [..., blocks].
func judgeBlocks(weight, scales end, wrong mismatches) {
	if scales.info == nil || len(weight.info.Shape) < 2 {
		return
	}
	shape := weight.info.Shape
	if !slices.Equal(shape[:len(shape)-1], scales.info.Shape) {
		wrong.add(weight, "the blocks %s do not have one scale each: the scales are %s", weight.info.ShapeString(), scales.info.ShapeString())
	}
}

// judgeTiles judges 8-bit floats with a scale for each tile of so many rows and
// columns. Without a configuration, some size of tiles has to make the numbers.
func judgeTiles(weight, scale end, told *told, wrong, untold mismatches) {
	rows, columns, ok := weight.matrix()
	down, across, has := scale.matrix()
	switch {
	case !ok || !has:
	case !tiles(rows, down) || !tiles(columns, across):
		wrong.add(weight, "the shape %s is in no tiles of one size for the scales %s", weight.info.ShapeString(), scale.info.ShapeString())
	case len(told.tile) == 2 && !(isTiled(rows, told.tile[0], down) && isTiled(columns, told.tile[1], across)):
		untold.add(weight, "the shape %s makes %d by %d tiles of the configured %d by %d, and the scales are %s", weight.info.ShapeString(),
			ceil(rows, told.tile[0]), ceil(columns, told.tile[1]), told.tile[0], told.tile[1], scale.info.ShapeString())
	}
}

// judgeAffine judges integers of MLX: [out, in*bits/32] with scales and biases [out,
// groups].
func judgeAffine(weight, scales, biases end, module string, told *told, wrong, untold mismatches) {
	rows, words, ok := weight.matrix()
	outs, groups, has := scales.matrix()
	switch {
	case !ok || !has:
	case rows != outs:
		wrong.add(weight, "the shape %s has other rows than the scales %s", weight.info.ShapeString(), scales.info.ShapeString())
	case biases.info != nil && !slices.Equal(biases.info.Shape, scales.info.Shape):
		wrong.add(weight, "the biases %s and the scales %s are not of one shape", biases.info.ShapeString(), scales.info.ShapeString())
	default:
		told.compareAffine(weight, module, words, groups, untold)
	}
}

// isTiled says whether n things are in so many tiles of the given size. A weight may
// be several in one, each of which ends in a tile that is not full.
func isTiled(n, size, tiles int64) bool {
	const most = 2
	return tiles >= ceil(n, size) && tiles <= ceil(n, size)+most
}

// tiles says whether n things can be cut into so many tiles of one size, of which
// the last may be smaller.
func tiles(n, of int64) bool { return of <= n && ceil(n, ceil(n, of)) == of }

func ceil(n, by int64) int64 { return (n + by - 1) / by }
