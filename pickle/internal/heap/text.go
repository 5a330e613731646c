// Texts: short ones are copied to blocks, long ones stay in the file.

package heap

import "strings"

// text copies a text of at most opcode.MaxText bytes and returns its position. The blocks are strings.Builders, whose
// contents can be sliced without copying.
func (a *Heap) text(b []byte) uint64 {
	i := len(a.blocks) - 1
	if i < 0 || a.blocks[i].Len()+len(b) > a.blocks[i].Cap() {
		block := new(strings.Builder)
		block.Grow(min(4096<<min(len(a.blocks), 4), textBlock)) // start small: most pickles are
		a.blocks = append(a.blocks, block)
		i++
	}
	at := uint64(i)<<16 | uint64(a.blocks[i].Len())
	a.blocks[i].Write(b)
	return at
}

// textAt returns a copied text.
func (a *Heap) textAt(at uint64, n uint32) string {
	if n == 0 {
		return ""
	}
	i := int(at & 0xffff)
	return a.blocks[at>>16].String()[i : i+int(n)]
}

// string returns the text of a str, bytes or bytearray; it returns false if the text is only in the file.
func (a *Heap) string(n *Node) (string, bool) {
	if n.Flags&flagSpan != 0 {
		return "", false
	}
	return a.textAt(n.A, n.N), true
}

// AddText adds a text of size bytes. If b is not all of it, the node refers to the file at off.
func (a *Heap) AddText(k Kind, flags uint8, b []byte, off, size int64) Ref {
	if int64(len(b)) < size {
		a.spans = append(a.spans, span{off, size})
		return a.Add(Node{Kind: k, Flags: flags | flagSpan, N: uint32(min(size, 1<<32-1)), A: uint64(len(a.spans) - 1)})
	}
	return a.Add(Node{Kind: k, Flags: flags, N: uint32(len(b)), A: a.text(b)})
}

// AddDigits adds an int that does not fit into 64 bits, as digits.
func (a *Heap) AddDigits(digits []byte) Ref {
	return a.Add(Node{Kind: KindInt, Flags: flagText, N: uint32(len(digits)), A: a.text(digits)})
}
