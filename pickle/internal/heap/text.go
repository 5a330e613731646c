// Texts: kept in blocks if they are short, and left in the file if not.

package heap

import "strings"

// text keeps a text of at most maxText bytes, and returns where it is. The
// blocks are strings.Builders, out of which strings can be cut without a copy.
func (a *Heap) text(b []byte) uint64 {
	i := len(a.blocks) - 1
	if i < 0 || a.blocks[i].Len()+len(b) > a.blocks[i].Cap() {
		block := new(strings.Builder)
		block.Grow(min(4096<<min(len(a.blocks), 4), textBlock)) // larger and larger: most pickles are small
		a.blocks = append(a.blocks, block)
		i++
	}
	at := uint64(i)<<16 | uint64(a.blocks[i].Len())
	a.blocks[i].Write(b)
	return at
}

// textAt returns a text that was kept.
func (a *Heap) textAt(at uint64, n uint32) string {
	if n == 0 {
		return ""
	}
	i := int(at & 0xffff)
	return a.blocks[at>>16].String()[i : i+int(n)]
}

// string returns the text of a str, bytes or bytearray; false if it is left in
// the file.
func (a *Heap) string(n *Node) (string, bool) {
	if n.Flags&flagSpan != 0 {
		return "", false
	}
	return a.textAt(n.A, n.N), true
}

// AddText adds a text of size bytes. If b is not all of it, it is left in the
// file, at off.
func (a *Heap) AddText(k Kind, flags uint8, b []byte, off, size int64) Ref {
	if int64(len(b)) < size {
		a.spans = append(a.spans, span{off, size})
		return a.Add(Node{Kind: k, Flags: flags | flagSpan, N: uint32(min(size, 1<<32-1)), A: uint64(len(a.spans) - 1)})
	}
	return a.Add(Node{Kind: k, Flags: flags, N: uint32(len(b)), A: a.text(b)})
}

// AddDigits adds an int that does not fit 64 bits, as its digits.
func (a *Heap) AddDigits(digits []byte) Ref {
	return a.Add(Node{Kind: KindInt, Flags: flagText, N: uint32(len(digits)), A: a.text(digits)})
}
