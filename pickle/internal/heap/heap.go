// The heap: values as numbered nodes, without a pointer among them.

// Package heap holds the values that a pickle makes: inert, small and without pointers.
// They are made by the machine, and looked at as a Value.
package heap

import (
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Ref is a value: the number of its node.
type Ref uint32

// The nodes that every heap begins with. None of them can change, so one node
// serves all their uses.
const (
	Unknown Ref = iota // what a broken program would have had
	None
	True
	False
	EmptyTuple
	Int0      // and the 255 integers after it
	first Ref = Int0 + 256
)

// A Node is a value. A checkpoint has millions of them, so they are small, and
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
type Node struct {
	Kind  Kind
	Flags uint8
	Depth uint16 // how deep values are nested in it, as far as it counts
	N     uint32
	A     uint64
}

// The flags of nodes.
const (
	flagText     = 1 << iota // of an int: it is kept as digits
	LittleEndian             // of an int: it is kept as two's complement, little-endian
	flagSpan                 // of a text: it is left in the file
	Bytes8                   // of a str: it was 8-bit, and the loader decodes it
	Embedded                 // of a text: it begins like a pickle or an archive
	Hashless                 // of a tuple: something in it cannot be a key
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

// A Call is what would be called with what, and what would be done to the
// result afterwards.
type Call struct {
	Off    int64
	Callee Ref
	Args   Ref
	Kwargs Ref
	State  Ref    // of the last BUILD
	items  uint64 // what is appended, a chain of runs
	pairs  uint64 // what is set by key, another
	Op     opcode.Code
	Built  bool // whether there was a BUILD
}

// A Name is an import, as whoever judges it knows it.
type Name interface {
	Resolved() (module, name string) // as Python 3 resolves it
	Label() string                   // as part of a message
}

// A Heap holds values. It only grows.
type Heap struct {
	r      io.ReaderAt // what spans are of
	nodes  []*[chunkSize]Node
	chunk  *[chunkSize]Node // the one that is filled
	count  int
	pages  [][]Ref // tuples' items, and runs of items: the next run, how many, items
	page   int     // the one that is filled
	large  int64   // how many items are in pages of their own
	calls  []*[callChunk]Call
	called int
	spans  []span
	blocks []*strings.Builder
	names  []Name // those that nodes of KindGlobal refer to
}

// Reuse makes the heap, which is to be empty, one of other bytes.
func (a *Heap) Reuse(r io.ReaderAt) { a.r = r }

// Value returns the value of a number.
func (a *Heap) Value(r Ref) Value { return Value{a, r} }

// Size returns how many values there are: the next one is that number.
func (a *Heap) Size() int { return a.count }

// Calls returns how many calls there are.
func (a *Heap) Calls() int { return a.called }

// NameOf returns the import that a node of KindGlobal stands for.
func (a *Heap) NameOf(n *Node) Name { return a.names[n.A] }

// AddName adds the value of an import.
func (a *Heap) AddName(i Name) Ref {
	a.names = append(a.names, i)
	return a.Add(Node{Kind: KindGlobal, A: uint64(len(a.names) - 1)})
}

// New returns a heap for the values of size bytes. A checkpoint has about
// an item for six bytes, so that the first page need not be moved.
func New(r io.ReaderAt, size int64) *Heap {
	a := &Heap{r: r, pages: [][]Ref{make([]Ref, 0, min(size/6+8, pageSize))}}
	a.Reset()
	return a
}

// Reset forgets all values but those that every heap begins with.
func (a *Heap) Reset() {
	a.pages, a.page, a.large = append(a.pages[:0], append(a.pages[0][:0], 0)), 0, 0
	a.called, a.spans = 0, a.spans[:0]
	a.blocks, a.names = nil, nil
	if a.count > 0 {
		a.count, a.chunk = int(first), a.nodes[0]
		return
	}
	a.turn()
	a.count = copy(a.chunk[:], firstNodes[:])
}

// firstNodes are those that every heap begins with.
var firstNodes = func() (list [first]Node) {
	for i, k := range []Kind{KindUnknown, KindNone, KindBool, KindBool, KindTuple} {
		list[i].Kind = k
	}
	list[True].A = 1
	for i := range uint64(256) {
		list[uint64(Int0)+i] = Node{Kind: KindInt, A: i}
	}
	return list
}()

// At returns a node, which stays where it is.
func (a *Heap) At(r Ref) *Node { return &a.nodes[r>>chunkBits][r&(chunkSize-1)] }

// Add adds a value and returns its number.
func (a *Heap) Add(n Node) Ref {
	i := a.count & (chunkSize - 1)
	if i == 0 {
		a.turn()
	}
	a.chunk[i] = n
	a.count++
	return Ref(a.count - 1)
}

// turn makes the next chunk the one that is filled.
func (a *Heap) turn() {
	i := a.count >> chunkBits
	if i == len(a.nodes) {
		a.nodes = append(a.nodes, new([chunkSize]Node))
	}
	a.chunk = a.nodes[i]
}

// CallAt returns a call, which stays where it is.
func (a *Heap) CallAt(i uint64) *Call { return &a.calls[i/callChunk][i%callChunk] }

// AddCall adds a call and returns its number.
func (a *Heap) AddCall(c Call) uint64 {
	i := a.called
	if i/callChunk == len(a.calls) {
		a.calls = append(a.calls, new([callChunk]Call))
	}
	a.calls[i/callChunk][i%callChunk] = c
	a.called++
	return uint64(i)
}

// Memory returns how many bytes the values take, without what is kept to grow.
func (a *Heap) Memory() int64 {
	const nodeSize, callSize, spanSize, nameSize = 16, 48, 16, 400
	return int64(a.count)*nodeSize + a.ItemCount()*4 + int64(a.called)*callSize +
		int64(len(a.spans))*spanSize + int64(len(a.blocks))*textBlock + int64(len(a.names))*nameSize
}

// ItemCount returns how many items there is room for in the pages that are begun.
func (a *Heap) ItemCount() int64 {
	if len(a.pages) == 1 {
		return int64(len(a.pages[0]))
	}
	return int64(len(a.pages))*pageSize + a.large
}
