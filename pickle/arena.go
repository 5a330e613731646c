// The arena: values as numbered nodes, without a pointer among them.

package pickle

import (
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A ref is a value: the number of its node.
type ref uint32

// The nodes that every arena begins with. None of them can change, so one node
// serves all their uses.
const (
	refUnknown ref = iota // what a broken program would have had
	refNone
	refTrue
	refFalse
	refEmptyTuple
	refInt0      // and the 255 integers after it
	refFirst ref = refInt0 + 256
)

// A node is a value. A checkpoint has millions of them, so they are small, and
// hold no pointers that the collector would have to follow.
//
//	int         a is the number, or with flagText a text of digits or bytes
//	float       a is its bits
//	str, bytes  a is where the text is, n how long; or with flagSpan a is a span
//	tuple       a is where its items are, n how many there are
//	list, dict, a is the first run of items, and in the upper half the last one;
//	set         n is how many there are, of a dict twice as many as entries
//	global      a is the global
//	call        a is the call
//	persistent  a is the id's node
type node struct {
	kind  Kind
	flags uint8
	depth uint16 // how deep values are nested in it, as far as it counts
	n     uint32
	a     uint64
}

// The flags of nodes.
const (
	flagText     = 1 << iota // of an int: it is kept as digits
	flagLE                   // of an int: it is kept as two's complement, little-endian
	flagSpan                 // of a text: it is left in the file
	flagBytes8               // of a str: it was 8-bit, and the loader decodes it
	flagEmbedded             // of a text: it begins like a pickle or an archive
	flagHashless             // of a tuple: something in it cannot be a key
)

const (
	chunkBits = 10 // nodes come in chunks of 1,024, so growing copies nothing
	chunkSize = 1 << chunkBits
	callChunk = 512 // and calls in chunks of 512
	textBlock = 64 << 10

	pageBits = 14 // items come in pages of 16,384, and what has more at once in a page of its own
	pageSize = 1 << pageBits
)

// A span is a text that is left in the file.
type span struct{ off, size int64 }

// A call is what would be called with what, and what would be done to the
// result afterwards.
type call struct {
	off    int64
	callee ref
	args   ref
	kwargs ref
	state  ref    // of the last BUILD
	items  uint64 // what is appended, a chain of runs
	pairs  uint64 // what is set by key, another
	op     opcode.Code
	built  bool // whether there was a BUILD
}

// An arena holds values. It only grows.
type arena struct {
	r      io.ReaderAt // what spans are of
	nodes  []*[chunkSize]node
	chunk  *[chunkSize]node // the one that is filled
	count  int
	pages  [][]ref // tuples' items, and runs of items: the next run, how many, items
	page   int     // the one that is filled
	large  int64   // how many items are in pages of their own
	calls  []*[callChunk]call
	called int
	spans  []span
	blocks []*strings.Builder
	names  []*global // those that nodes of KindGlobal refer to
}

// newArena returns an arena for the values of size bytes. A checkpoint has about
// an item for six bytes, so that the first page need not be moved.
func newArena(r io.ReaderAt, size int64) *arena {
	a := &arena{r: r, pages: [][]ref{make([]ref, 0, min(size/6+8, pageSize))}}
	a.reset()
	return a
}

// reset forgets all values but those that every arena begins with.
func (a *arena) reset() {
	a.pages, a.page, a.large = append(a.pages[:0], append(a.pages[0][:0], 0)), 0, 0
	a.called, a.spans = 0, a.spans[:0]
	a.blocks, a.names = nil, nil
	if a.count > 0 {
		a.count, a.chunk = int(refFirst), a.nodes[0]
		return
	}
	a.turn()
	a.count = copy(a.chunk[:], firstNodes[:])
}

// firstNodes are those that every arena begins with.
var firstNodes = func() (list [refFirst]node) {
	for i, k := range []Kind{KindUnknown, KindNone, KindBool, KindBool, KindTuple} {
		list[i].kind = k
	}
	list[refTrue].a = 1
	for i := range uint64(256) {
		list[uint64(refInt0)+i] = node{kind: KindInt, a: i}
	}
	return list
}()

// at returns a node, which stays where it is.
func (a *arena) at(r ref) *node { return &a.nodes[r>>chunkBits][r&(chunkSize-1)] }

// add adds a value and returns its number.
func (a *arena) add(n node) ref {
	i := a.count & (chunkSize - 1)
	if i == 0 {
		a.turn()
	}
	a.chunk[i] = n
	a.count++
	return ref(a.count - 1)
}

// turn makes the next chunk the one that is filled.
func (a *arena) turn() {
	i := a.count >> chunkBits
	if i == len(a.nodes) {
		a.nodes = append(a.nodes, new([chunkSize]node))
	}
	a.chunk = a.nodes[i]
}

// callAt returns a call, which stays where it is.
func (a *arena) callAt(i uint64) *call { return &a.calls[i/callChunk][i%callChunk] }

// addCall adds a call and returns its number.
func (a *arena) addCall(c call) uint64 {
	i := a.called
	if i/callChunk == len(a.calls) {
		a.calls = append(a.calls, new([callChunk]call))
	}
	a.calls[i/callChunk][i%callChunk] = c
	a.called++
	return uint64(i)
}

// memory returns how many bytes the values take, without what is kept to grow.
func (a *arena) memory() int64 {
	const nodeSize, callSize, spanSize, nameSize = 16, 48, 16, 400
	return int64(a.count)*nodeSize + a.itemCount()*4 + int64(a.called)*callSize +
		int64(len(a.spans))*spanSize + int64(len(a.blocks))*textBlock + int64(len(a.names))*nameSize
}

// itemCount returns how many items there is room for in the pages that are begun.
func (a *arena) itemCount() int64 {
	if len(a.pages) == 1 {
		return int64(len(a.pages[0]))
	}
	return int64(len(a.pages))*pageSize + a.large
}

// room makes room for n items that stay together, and returns where: the number of a
// page, and in the lower pageBits the place in it.
func (a *arena) room(n int) uint64 {
	p := a.pages[a.page]
	switch {
	case len(p)+n <= pageSize:
	case n > pageSize/4: // a page of its own, so that what is left of this one is not lost
		a.pages = append(a.pages, make([]ref, 0, n))
		a.large += int64(n)
		return uint64(len(a.pages)-1) << pageBits
	default:
		a.pages = append(a.pages, make([]ref, 0, pageSize))
		a.page = len(a.pages) - 1
	}
	return uint64(a.page)<<pageBits | uint64(len(a.pages[a.page]))
}

// put adds items where room has made room for them.
func (a *arena) put(at uint64, items ...ref) {
	p := &a.pages[at>>pageBits]
	*p = append(*p, items...)
}

// itemsAt returns n items.
func (a *arena) itemsAt(at uint64, n int) []ref {
	p := a.pages[at>>pageBits]
	i := int(at & (pageSize - 1))
	return p[i : i+n : i+n]
}

// text keeps a text of at most maxText bytes, and returns where it is. The
// blocks are strings.Builders, out of which strings can be cut without a copy.
func (a *arena) text(b []byte) uint64 {
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
func (a *arena) textAt(at uint64, n uint32) string {
	if n == 0 {
		return ""
	}
	i := int(at & 0xffff)
	return a.blocks[at>>16].String()[i : i+int(n)]
}

// string returns the text of a str, bytes or bytearray; false if it is left in
// the file.
func (a *arena) string(n *node) (string, bool) {
	if n.flags&flagSpan != 0 {
		return "", false
	}
	return a.textAt(n.a, n.n), true
}

// addText adds a text of size bytes. If b is not all of it, it is left in the
// file, at off.
func (a *arena) addText(k Kind, flags uint8, b []byte, off, size int64) ref {
	if int64(len(b)) < size {
		a.spans = append(a.spans, span{off, size})
		return a.add(node{kind: k, flags: flags | flagSpan, n: uint32(min(size, 1<<32-1)), a: uint64(len(a.spans) - 1)})
	}
	return a.add(node{kind: k, flags: flags, n: uint32(len(b)), a: a.text(b)})
}

// addTuple adds a tuple of the items.
func (a *arena) addTuple(k Kind, items []ref) ref {
	if len(items) == 0 && k == KindTuple {
		return refEmptyTuple
	}
	n := node{kind: k, n: uint32(len(items)), a: a.room(len(items))}
	for _, item := range items {
		n.hold(a.at(item))
	}
	a.put(n.a, items...)
	return a.add(n)
}

// hold notes that an item is in n.
func (n *node) hold(item *node) {
	if d := item.depth + 1; d > n.depth && item.depth < 1<<16-1 {
		n.depth = d
	}
	switch item.kind {
	case KindList, KindDict, KindSet, KindByteArray:
		n.flags |= flagHashless
	case KindTuple:
		n.flags |= item.flags & flagHashless
	}
}

// extend adds items to a chain of runs, which is its first run, and in the upper
// half its last. A run at the end of the page that is filled is made longer.
func (a *arena) extend(chain *uint64, items []ref) {
	if len(items) == 0 {
		return
	}
	if last := *chain >> 32; last != 0 {
		head := a.itemsAt(last, 2)
		p := &a.pages[last>>pageBits]
		end := int(last&(pageSize-1)) + 2 + int(head[1])
		if end == len(*p) && int(last>>pageBits) == a.page && end+len(items) <= pageSize {
			head[1] += ref(len(items))
			*p = append(*p, items...)
			return
		}
	}
	run := a.room(2 + len(items))
	a.put(run, 0, ref(len(items)))
	a.put(run, items...)
	if last := *chain >> 32; last == 0 {
		*chain = run
	} else {
		a.itemsAt(last, 2)[0] = ref(run)
	}
	*chain = *chain&(1<<32-1) | run<<32
}

// runs calls yield with the runs of a chain, until it returns false.
func (a *arena) runs(chain uint64, yield func([]ref) bool) {
	for run := uint64(uint32(chain)); run != 0; {
		head := a.itemsAt(run, 2)
		if !yield(a.itemsAt(run+2, int(head[1]))) {
			return
		}
		run = uint64(head[0])
	}
}

// each calls yield with what is directly in a value, until it returns false.
func (a *arena) each(r ref, yield func([]ref) bool) {
	switch n := a.at(r); n.kind {
	case KindTuple, KindFrozenSet:
		if n.n > 0 {
			yield(a.itemsAt(n.a, int(n.n)))
		}
	case KindList, KindDict, KindSet:
		a.runs(n.a, yield)
	case KindPersistent:
		yield([]ref{ref(n.a)})
	case KindCall:
		c := a.callAt(n.a)
		if !yield([]ref{c.callee, c.args, c.kwargs, c.state}) {
			return
		}
		a.runs(c.items, yield)
		a.runs(c.pairs, yield)
	}
}
