// The LZMA decoder: it turns the bits of the range decoder into literals and matches.

package lzma

const (
	numStates   = 12
	mostPosBits = 4
	minMatch    = 2

	// mostLiteralBits limits lc + lp, as liblzma does. It bounds the cost of a reset, which every LZMA2 chunk may
	// request.
	mostLiteralBits = 4
)

// lengths holds the probabilities for match lengths.
type lengths struct {
	choice, choice2 prob
	low, mid        [1 << mostPosBits][8]prob
	high            [256]prob
}

// A decoder decompresses LZMA data. It embeds the range decoder and the dictionary.
type decoder struct {
	ranger
	history
	ended bool // the end marker was decoded

	literalContext, literalPos, posBits int // lc, lp and pb in the specification
	state                               int // the kinds of the last few symbols, 0 to 11
	rep                                 [4]uint32

	literals                      [][0x300]prob
	isMatch, isRep0Long           [numStates << mostPosBits]prob
	isRep, isRep0, isRep1, isRep2 [numStates]prob
	slots                         [4][64]prob
	special                       [128]prob // for distances with slots 4 to 13
	align                         [16]prob
	matchLength, repeatedLength   lengths
}

// properties parses the properties byte and resets the decoder state.
func (d *decoder) properties(b byte) error {
	if b >= 9*5*5 {
		return errData
	}
	d.literalContext, d.literalPos, d.posBits = int(b%9), int(b/9%5), int(b/45)
	if d.literalContext+d.literalPos > mostLiteralBits {
		return errData
	}
	if n := 1 << (d.literalContext + d.literalPos); n <= cap(d.literals) {
		d.literals = d.literals[:n]
	} else {
		d.literals = make([][0x300]prob, n)
	}
	d.reset()
	return nil
}

// reset resets all probabilities to their initial values.
func (d *decoder) reset() {
	d.state, d.rep = 0, [4]uint32{}
	for i := range d.literals {
		fill(d.literals[i][:])
	}
	for _, probs := range [...][]prob{
		d.isMatch[:], d.isRep0Long[:], d.isRep[:], d.isRep0[:], d.isRep1[:], d.isRep2[:], d.special[:], d.align[:],
	} {
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

// decode decompresses at least n bytes, unless the end marker comes first, and at most one match length more.
// It returns the number of bytes it appended to the history.
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

// literal decodes one byte. The probabilities depend on the previous byte and on the position; after a match they
// also depend on the byte that would have continued the match.
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

// after updates the state: one value if the previous symbol was a literal, another if it was a match.
func (d *decoder) after(literal, other int) {
	if d.state < 7 {
		d.state = literal
	} else {
		d.state = other
	}
}

// match decodes a match with an explicit distance. A distance of all ones is the end marker.
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

// repeated decodes a match at one of the last four distances.
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

// length decodes a match length minus minMatch.
func (d *decoder) length(l *lengths, pos int) int {
	switch {
	case d.bit(&l.choice) == 0:
		return int(d.tree(l.low[pos][:], 3))
	case d.bit(&l.choice2) == 0:
		return 8 + int(d.tree(l.mid[pos][:], 3))
	}
	return 16 + int(d.tree(l.high[:], 8))
}

// distance decodes a match distance minus one. A 6-bit slot gives the two highest bits and the number of bits that
// follow; the upper bits of long distances are stored without probabilities.
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
