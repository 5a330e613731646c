// Dtypes of at most 16 bits: counting patterns.

package stats

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/weightools/safetensors/internal/num"
)

// patterns counts the patterns of a dtype of at most 16 bits. Each pattern is decoded once, at the end.
//
// The table of words has more counters than a small tensor has elements, and looking at all of them takes longer than
// counting. So elements of 16 bits are sorted if there are few, and those of 8 and 4 bits are counted by bytes.
type patterns struct {
	codec *num.Codec
	small bool           // words are not used
	few   []byte         // the elements of a small tensor, if they have 16 bits
	bytes [4][256]uint32 // the bytes of a small tensor, and those at the ends of blocks
	words *words         // from wordTables; nil if there are none
}

// The largest small tensors, in bytes. fewMost elements are sorted in the time in which 64 Ki counters are read.
const (
	fewMost   = 16 << 10
	bytesMost = 512 << 10
)

// wordTables has tables whose counters are 0. Clearing a new one takes as long as counting 200 KiB.
var wordTables = sync.Pool{New: func() any { return new(words) }}

// newPatterns returns an accumulator for a tensor of size bytes.
func newPatterns(codec *num.Codec, size int64) *patterns {
	p := &patterns{codec: codec}
	switch codec.Bits() {
	case 16:
		p.small = size <= fewMost
	case 4, 8:
		p.small = size <= bytesMost
	}
	if !p.small {
		p.words = wordTables.Get().(*words)
	}
	return p
}

func (p *patterns) add(b []byte) {
	width := p.codec.Bits()
	switch {
	case p.small && width == 16:
		p.few = append(p.few, b...)
	case p.small:
		p.single(b)
	case width == 16:
		p.words.elements(b)
	case width == 6:
		p.words.sixes(b)
	default:
		even := len(b) &^ 1
		p.words.groups(b[:even])
		p.single(b[even:])
	}
}

// single counts bytes. Consecutive ones have different counters, because equal ones would wait for each other.
func (p *patterns) single(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		v := le.Uint64(b)
		p.bytes[0][uint8(v)]++
		p.bytes[1][uint8(v>>8)]++
		p.bytes[2][uint8(v>>16)]++
		p.bytes[3][uint8(v>>24)]++
		p.bytes[0][uint8(v>>32)]++
		p.bytes[1][uint8(v>>40)]++
		p.bytes[2][uint8(v>>48)]++
		p.bytes[3][uint8(v>>56)]++
	}
	for _, c := range b {
		p.bytes[0][c]++
	}
}

// merge adds the counts of other, which is of the same tensor, and cannot be used afterwards.
func (p *patterns) merge(other *patterns) {
	p.few = append(p.few, other.few...)
	for i := range p.bytes {
		for c, n := range &other.bytes[i] {
			p.bytes[i][c] += n
		}
	}
	if p.words != nil {
		p.words.merge(other.words)
		other.list(nil)
	}
}

// list appends the patterns that occur to list, ascending, and how often. Then nothing is counted.
func (p *patterns) list(list []count) []count {
	width := p.codec.Bits()
	if width == 16 && p.small {
		return sorted(list, p.few)
	}
	if p.words != nil {
		limit := 1 << 16
		if width == 6 {
			limit = 1 << 12
		}
		list = p.words.take(list, limit)
		wordTables.Put(p.words)
		p.words = nil
	}
	if width == 16 {
		return list
	}
	return p.split(list)
}

// sorted appends the elements of b to list, which have 16 bits, sorted by their bytes, the lower one first.
func sorted(list []count, b []byte) []count {
	var starts [2][257]uint32
	for i := 0; i < len(b); i += 2 {
		starts[0][int(b[i])+1]++
		starts[1][int(b[i+1])+1]++
	}
	for i := range 256 {
		starts[0][i+1] += starts[0][i]
		starts[1][i+1] += starts[1][i]
	}
	from, to := make([]uint16, len(b)/2), make([]uint16, len(b)/2)
	for i := 0; i < len(b); i += 2 {
		at := &starts[0][b[i]]
		from[*at] = uint16(b[i]) | uint16(b[i+1])<<8
		*at++
	}
	for _, e := range from {
		at := &starts[1][e>>8]
		to[*at] = e
		*at++
	}
	for i, e := range to {
		if i > 0 && e == to[i-1] {
			list[len(list)-1].n++
		} else {
			list = append(list, count{1, e})
		}
	}
	return list
}

// split replaces words of several elements by these, and adds those in single bytes. The order of elements in a word
// does not matter.
func (p *patterns) split(list []count) []count {
	width := p.codec.Bits()
	var counts [256]uint64
	put := func(word uint16, bits int, n uint64) {
		for ; bits > 0; bits -= width {
			counts[word&(1<<width-1)] += n
			word >>= width
		}
	}
	wordBits := 16
	if width == 6 {
		wordBits = 12
	}
	for _, c := range list {
		put(c.pattern, wordBits, c.n)
	}
	for i := range p.bytes { // empty for 6 bits
		for c, n := range &p.bytes[i] {
			put(uint16(c), 8, uint64(n))
		}
	}
	list = list[:0]
	for pattern, n := range counts {
		if n > 0 {
			list = append(list, count{n, uint16(pattern)})
		}
	}
	return list
}

// quantiles returns the quantiles qs of numbers, or nil if there are none. It sorts them.
func quantiles(numbers []multiple, qs []float64, kind num.Kind) []Value {
	if len(numbers) == 0 {
		return nil
	}
	// Patterns and numbers differ in their order, so sort them. There are at most some thousand.
	slices.SortFunc(numbers, func(a, b multiple) int { return cmp.Compare(a.x, b.x) })
	ranks := make([]int64, len(numbers)) // the last position of each
	var total int64
	for i, m := range numbers {
		total += m.n
		ranks[i] = total
	}
	values := make([]Value, len(qs))
	for i, q := range qs {
		place := min(max(1, int64(math.Ceil(q*float64(total)))), total)
		at, _ := slices.BinarySearch(ranks, place)
		values[i] = valueOf(numbers[at].x, kind)
	}
	return values
}
