// The decoder: literals and matches, by the bits of a range decoder.

package lzma

const (
	numStates   = 12
	mostPosBits = 4
	minMatch    = 2
)

// A lengths is the model by which lengths of matches are written.
type lengths struct {
	choice, choice2 prob
	low, mid        [1 << mostPosBits][8]prob
	high            [256]prob
}

// A decoder unpacks LZMA. Its models are what probabilities were learned so far.
type decoder struct {
	ranger
	history
	ended bool // the end mark was met

	literalContext, literalPos, posBits int // "lc", "lp" and "pb" of the specification
	state                               int // what the last few symbols were, as a number of 0 to 11
	rep                                 [4]uint32

	literals                      [][0x300]prob
	isMatch, isRep0Long           [numStates << mostPosBits]prob
	isRep, isRep0, isRep1, isRep2 [numStates]prob
	slots                         [4][64]prob
	special                       [128]prob // of distances with slots 4 to 13
	align                         [16]prob
	matchLength, repeatedLength   lengths
}

// properties sets what a byte of properties says, and resets the models.
func (d *decoder) properties(b byte) error {
	if b >= 9*5*5 {
		return errData
	}
	d.literalContext, d.literalPos, d.posBits = int(b%9), int(b/9%5), int(b/45)
	d.literals = make([][0x300]prob, 1<<(d.literalContext+d.literalPos)) // 6 MiB at most
	d.reset()
	return nil
}

// reset makes the models forget what they learned.
func (d *decoder) reset() {
	d.state, d.rep = 0, [4]uint32{}
	for i := range d.literals {
		fill(d.literals[i][:])
	}
	for _, probs := range [][]prob{d.isMatch[:], d.isRep0Long[:], d.isRep[:], d.isRep0[:], d.isRep1[:], d.isRep2[:], d.special[:], d.align[:]} {
		fill(probs)
	}
	for i := range d.slots {
		fill(d.slots[i][:])
	}
	for _, l := range []*lengths{&d.matchLength, &d.repeatedLength} {
		l.choice, l.choice2 = half, half
		for i := range l.low {
			fill(l.low[i][:])
			fill(l.mid[i][:])
		}
		fill(l.high[:])
	}
}

// fill sets all probabilities to one half.
func fill(probs []prob) {
	for i := range probs {
		probs[i] = half
	}
}

// decode unpacks n bytes or a few more, up to a match's length, or fewer if the end
// mark comes before. It returns how many it did.
func (d *decoder) decode(n int64) (int64, error) {
	begin := d.total
	for d.total-begin < n && !d.ended {
		pos := int(d.total) & (1<<d.posBits - 1)
		var err error
		switch {
		case d.bit(&d.isMatch[d.state<<mostPosBits+pos]) == 0:
			d.literal()
		case d.bit(&d.isRep[d.state]) == 0:
			err = d.match(pos)
		default:
			err = d.repeated(pos)
		}
		if d.err != nil {
			err = d.err
		}
		if err != nil {
			return d.total - begin, err
		}
	}
	return d.total - begin, nil
}

// literal unpacks a byte. Its model depends on the byte before it and on where it is;
// after a match also on the byte that the match would have gone on with.
func (d *decoder) literal() {
	low := int(d.total) & (1<<d.literalPos - 1)
	context := low<<d.literalContext + int(d.last(0))>>(8-d.literalContext)
	probs := &d.literals[context]
	symbol := uint32(1)
	if d.state >= 7 {
		matched := uint32(d.last(d.rep[0]))
		for symbol < 0x100 {
			bit := matched >> 7 & 1
			matched <<= 1
			got := d.bit(&probs[(1+bit)<<8+symbol])
			symbol = symbol<<1 | got
			if got != bit {
				break
			}
		}
	}
	for symbol < 0x100 {
		symbol = symbol<<1 | d.bit(&probs[symbol])
	}
	d.put(byte(symbol))
	switch {
	case d.state < 4:
		d.state = 0
	case d.state < 10:
		d.state -= 3
	default:
		d.state -= 6
	}
}

// after sets the state: one of two numbers, by whether a literal was before.
func (d *decoder) after(literal, other int) {
	if d.state < 7 {
		d.state = literal
	} else {
		d.state = other
	}
}

// match unpacks a match at a distance of its own. The distance of all ones is the
// mark of the end.
func (d *decoder) match(pos int) error {
	d.rep[3], d.rep[2], d.rep[1] = d.rep[2], d.rep[1], d.rep[0]
	n := d.length(&d.matchLength, pos)
	d.after(7, 10)
	d.rep[0] = d.distance(n)
	if d.rep[0] == 1<<32-1 {
		d.ended = true
		return nil
	}
	return d.repeat(d.rep[0], n+minMatch)
}

// repeated unpacks a match at one of the last four distances.
func (d *decoder) repeated(pos int) error {
	switch {
	case d.bit(&d.isRep0[d.state]) == 0:
		if d.bit(&d.isRep0Long[d.state<<mostPosBits+pos]) == 0 {
			d.after(9, 11)
			return d.repeat(d.rep[0], 1)
		}
	case d.bit(&d.isRep1[d.state]) == 0:
		d.rep[0], d.rep[1] = d.rep[1], d.rep[0]
	case d.bit(&d.isRep2[d.state]) == 0:
		d.rep[0], d.rep[1], d.rep[2] = d.rep[2], d.rep[0], d.rep[1]
	default:
		d.rep[0], d.rep[1], d.rep[2], d.rep[3] = d.rep[3], d.rep[0], d.rep[1], d.rep[2]
	}
	n := d.length(&d.repeatedLength, pos)
	d.after(8, 11)
	return d.repeat(d.rep[0], n+minMatch)
}

// length takes a length, less minMatch.
func (d *decoder) length(l *lengths, pos int) int {
	switch {
	case d.bit(&l.choice) == 0:
		return int(d.tree(l.low[pos][:], 3))
	case d.bit(&l.choice2) == 0:
		return 8 + int(d.tree(l.mid[pos][:], 3))
	}
	return 16 + int(d.tree(l.high[:], 8))
}

// distance takes the distance of a match, less one. A slot of six bits has its two
// highest bits and how many follow; of many, the upper are direct.
func (d *decoder) distance(length int) uint32 {
	slot := d.tree(d.slots[min(length, 3)][:], 6)
	if slot < 4 {
		return slot
	}
	bits := int(slot>>1) - 1
	v := (2 | slot&1) << bits
	if slot < 14 {
		return v + d.reverse(d.special[v-slot:], bits)
	}
	v += d.direct(bits-4) << 4
	return v + d.reverse(d.align[:], 4)
}
