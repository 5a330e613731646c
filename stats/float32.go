// F32 and C64: the fast loops.

package stats

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/weightools/safetensors/internal/num"
)

// singles processes blocks of F32. C64 is treated as twice as many F32.
type singles struct {
	floats
	lanes [4]lane // sums since the last flush
	laned bool    // whether there are any
	fast  fastSums
}

// A lane has sums for each sign and exponent. Consecutive numbers go to different lanes, because they
// usually belong to the same few classes and additions would wait for each other.
type lane struct {
	classes [2 << exponents32]struct {
		sum     uint64 // the count in the upper bits, and the sum of fractions
		squares uint64 // the sum of squares of fractions
	}
	// If the distance of lanes were a multiple of the page size, processors would confuse
	// additions in different lanes and wait.
	_ [320]byte
}

// laneSize is the maximum number of additions between flushes. The sum of so many fractions has less than
// sumBits bits, and the sum of squares less than 64.
const (
	laneSize = 1 << 18
	sumBits  = mantissa32 + 18
)

const _ = uint(laneSize - blockSize/4) // a block is not more

// spare has singles that are as good as new. They have 80 KiB, and making them takes longer than counting a norm.
var spare sync.Pool

func newSingles(codec *num.Codec) *singles {
	if s, ok := spare.Get().(*singles); ok {
		s.codec = codec
		return s
	}
	return &singles{floats: newFloats(codec, 0x1p-126, math.MaxFloat32, newClasses(mantissa32, exponents32))}
}

// release makes s as good as new, for another tensor. Its lanes are flushed.
func (s *singles) release() {
	if s.fast.n > 0 {
		s.fast = fastSums{}
	}
	s.reset()
	spare.Put(s)
}

// add processes a block in chunks: by vector instructions if all numbers of a chunk are alike in size, as most are.
func (s *singles) add(block []byte) {
	for chunk := range slices.Chunk(block, vectorChunk) {
		if hasVector && len(chunk) == vectorChunk {
			if lo, hi, zeros, ok := s.fast.add(chunk); ok {
				s.ordinary(float64(lo), float64(hi), zeros)
				continue
			}
		}
		s.addChunk(chunk)
	}
	s.flush()
}

// addChunk processes a chunk in two passes, for sums and for extremes. One pass would need too many registers,
// and in the second pass the chunk is in the first-level cache.
func (s *singles) addChunk(chunk []byte) {
	s.laned = true
	before := s.tiny()
	s.sum(chunk)
	tiny := s.tiny() - before // zeros, and subnormal numbers
	lo, hi, ordinary := extremes(chunk)
	if ordinary && (tiny == 0 || tiny == zeros(chunk)) {
		s.ordinary(float64(lo), float64(hi), tiny)
	} else {
		s.odd(chunk)
	}
}

func (s *singles) merge(other *singles) {
	s.floats.merge(&other.floats)
	s.fast.merge(&other.fast)
	other.release()
}

// report fills sum, except for the histogram.
func (s *singles) report(sum *Summary) {
	const lowest = 2 - 1<<(exponents32-1) - mantissa32
	var total [7]uint64 // 2^128 / 2^lowest, times 2^61
	var squares [13]uint64
	n := s.sums.total(total[:], squares[:]) + s.fast.n
	fixed(total[:]).addFixed(s.fast.sum[:], sumUnit-lowest)
	fixed(squares[:]).addFixed(s.fast.squares[:], squaresUnit-2*lowest)
	s.floats.report(sum, func(e int) uint64 { return s.sums.in(e) + s.fast.counts[e] },
		momentsOf(n, total[:], squares[:], lowest))
	s.release()
}

// sum adds the numbers of chunk to the lanes.
func (s *singles) sum(chunk []byte) {
	for ; len(chunk) >= 16; chunk = chunk[16:] {
		b := (*[16]byte)(chunk)
		s.lanes[0].add(binary.LittleEndian.Uint32(b[0:]))
		s.lanes[1].add(binary.LittleEndian.Uint32(b[4:]))
		s.lanes[2].add(binary.LittleEndian.Uint32(b[8:]))
		s.lanes[3].add(binary.LittleEndian.Uint32(b[12:]))
	}
	for ; len(chunk) >= 4; chunk = chunk[4:] {
		s.lanes[0].add(binary.LittleEndian.Uint32(chunk))
	}
}

// add needs two additions for three sums, because the count is in the upper bits of the sum of fractions.
func (l *lane) add(pattern uint32) {
	fraction := uint64(pattern) & (1<<mantissa32 - 1)
	c := &l.classes[pattern>>mantissa32]
	c.sum += fraction + 1<<sumBits
	c.squares += fraction * fraction
}

// tiny returns the number of floats since the last flush with exponent 0.
func (s *singles) tiny() uint64 {
	var n uint64
	for i := range s.lanes {
		c := &s.lanes[i].classes
		n += c[0].sum>>sumBits + c[1<<exponents32].sum>>sumBits
	}
	return n
}

// flush adds the sums in the lanes to wider ones.
func (s *singles) flush() {
	s.fast.flush()
	if !s.laned {
		return
	}
	s.laned = false
	for i := range s.lanes {
		for k := range s.lanes[i].classes {
			if c := &s.lanes[i].classes[k]; c.sum != 0 {
				s.sums.all[k].add(c.sum>>sumBits, c.sum&(1<<sumBits-1), 0, c.squares, 0, 0)
				c.sum, c.squares = 0, 0
			}
		}
	}
}

// The patterns of -0 and of the largest number.
const (
	sign32    = 1 << 31
	largest32 = 0x7f7fffff
)

// extremes returns the smallest and the largest number of chunk. It returns false if the chunk contains a
// NaN, an infinity, or the largest number of the dtype, whose patterns are largest32 and above.
//
// Among positive numbers the largest has the largest pattern, and among negative numbers the smallest has.
// As int32, positive patterns are above negative ones, and as uint32 below. So both extremes are found by
// comparing patterns, which takes half the time of comparing floats.
func extremes(chunk []byte) (lo, hi float32, ordinary bool) {
	// Two of each, because a max has to wait for the previous one.
	top, bottom := int32(math.MinInt32), uint32(0)
	top1, bottom1 := top, bottom
	rest := chunk
	for ; len(rest) >= 16; rest = rest[16:] {
		b := (*[16]byte)(rest)
		u0, u1 := binary.LittleEndian.Uint32(b[0:]), binary.LittleEndian.Uint32(b[4:])
		u2, u3 := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
		top, bottom = max(top, int32(u0)), max(bottom, u0)
		top1, bottom1 = max(top1, int32(u1)), max(bottom1, u1)
		top, bottom = max(top, int32(u2)), max(bottom, u2)
		top1, bottom1 = max(top1, int32(u3)), max(bottom1, u3)
	}
	for ; len(rest) >= 4; rest = rest[4:] {
		u := binary.LittleEndian.Uint32(rest)
		top, bottom = max(top, int32(u)), max(bottom, u)
	}
	top, bottom = max(top, top1), max(bottom, bottom1)
	if top >= largest32 || bottom >= sign32|largest32 {
		return 0, 0, false
	}
	lo, hi = math.Float32frombits(bottom), math.Float32frombits(uint32(top))
	switch {
	case bottom == 0: // all are 0
	case bottom < sign32: // all are positive
		lo = nearestToZero(chunk)
	case top < 0: // all have one
		hi = nearestToZero(chunk)
	}
	return lo, hi, true
}

// nearestToZero returns the number of chunk nearest to zero, if all have the same sign.
func nearestToZero(chunk []byte) float32 {
	least := uint32(math.MaxUint32)
	for ; len(chunk) >= 4; chunk = chunk[4:] {
		least = min(least, binary.LittleEndian.Uint32(chunk))
	}
	return math.Float32frombits(least)
}

// zeros returns the number of zeros in chunk.
func zeros(chunk []byte) uint64 {
	var n uint64
	for ; len(chunk) >= 4; chunk = chunk[4:] {
		// Subtracting 1 borrows only from 0. A branch would be mispredicted for
		// scattered zeros.
		n += (uint64(binary.LittleEndian.Uint32(chunk)<<1) - 1) >> 63
	}
	return n
}
