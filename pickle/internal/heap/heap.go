// The heap: values as numbered nodes without pointers.

// Package heap stores the values that a pickle describes, compactly and without pointers. The machine adds nodes;
// callers read them through Value.
package heap

import (
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Ref is a value, identified by the number of its node.
type Ref uint32

// The nodes that every heap starts with. They are immutable and shared.
const (
	Unknown Ref = iota // the result of an invalid program
	None
	True
	False
	EmptyTuple
	Int0      // followed by the integers 1 to 255
	first Ref = Int0 + 256
)

// A Node is a value. A checkpoint has millions of them, so nodes are small and have no pointers for the garbage
// collector to follow. N and A depend on the kind:
//
//	int         A is the number; with flagText, the position of its digits or bytes
//	float       A is the bits of the float64
//	str, bytes  A is the position of the text and N its length; with flagSpan, A is a span
//	tuple       A is the position of the items and N their number
//	list, dict, A is the first run of items in the lower half and the last run in the upper half;
//	set         N is the number of items (for a dict, keys plus values)
//	global      A is the index of the name
//	call        A is the index of the call
//	persistent  A is the node of the ID
type Node struct {
	Kind  Kind
	Flags uint8
	Depth uint16 // nesting depth of the value, saturating
	N     uint32
	A     uint64
}

// The flags of nodes.
const (
	flagText     = 1 << iota // int: stored as digits or bytes
	LittleEndian             // int: stored as little-endian two's complement
	flagSpan                 // text: not copied, but a span of the file
	Bytes8                   // str: an 8-bit string that the loader decodes
	Embedded                 // text: starts like a pickle or an archive
	Hashless                 // tuple: contains an unhashable value
	Escaped                  // str: a line in the file that was not decoded
)

const (
	chunkBits = 10 // nodes are allocated in chunks of 1,024 and never move
	chunkSize = 1 << chunkBits
	callChunk = 512 // calls are allocated in chunks of 512
	textBlock = 64 << 10

	pageBits = 14 // items are allocated in pages of 16,384; larger groups get a page of their own
	pageSize = 1 << pageBits
)

// A span is a text that is read from the file on demand.
type span struct{ off, size int64 }

// A Call is a call that a loader would make, and the changes to its result.
type Call struct {
	Off    int64
	Callee Ref
	Args   Ref
	Kwargs Ref
	State  Ref    // of the last BUILD
	items  uint64 // appended values, as a chain of runs
	pairs  uint64 // keys and values, as a chain of runs
	Op     opcode.Code
	Built  bool // there was a BUILD
}

// A Name is an import. Package pickle implements it.
type Name interface {
	Resolved() (module, name string) // as Python 3 resolves it
	Label() string                   // for messages
}

// A Heap stores values. It only grows.
type Heap struct {
	r      io.ReaderAt // the file that spans refer to
	nodes  []*[chunkSize]Node
	chunk  *[chunkSize]Node // the chunk being filled
	count  int
	pages  [][]Ref // items of tuples, and runs: the next run, the number of items, the items
	page   int     // the page being filled
	large  int64   // number of items in pages for large groups
	calls  []*[callChunk]Call
	called int
	spans  []span
	blocks []*strings.Builder
	names  []Name // for nodes of KindGlobal
}

// Reuse makes an empty heap store the values of another file.
func (a *Heap) Reuse(r io.ReaderAt) { a.r = r }

// Size returns the number of values, which is also the Ref of the next one.
func (a *Heap) Size() int { return a.count }

// Calls returns the number of calls.
func (a *Heap) Calls() int { return a.called }

// NameOf returns the import of a node of KindGlobal.
func (a *Heap) NameOf(n *Node) Name { return a.names[n.A] }

// AddName adds an import.
func (a *Heap) AddName(i Name) Ref {
	a.names = append(a.names, i)
	return a.Add(Node{Kind: KindGlobal, A: uint64(len(a.names) - 1)})
}

// New returns a heap for a pickle of size bytes. Checkpoints have about one item for six bytes, which sizes the first
// page.
func New(r io.ReaderAt, size int64) *Heap {
	a := &Heap{r: r, pages: [][]Ref{make([]Ref, 0, min(size/6+8, pageSize))}}
	a.Reset()
	return a
}

// Reset removes all values except those that every heap starts with.
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

// firstNodes are the nodes that every heap starts with.
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

// At returns the node of a value. Nodes do not move.
func (a *Heap) At(r Ref) *Node { return &a.nodes[r>>chunkBits][r&(chunkSize-1)] }

// Add adds a node and returns its Ref.
func (a *Heap) Add(n Node) Ref {
	i := a.count & (chunkSize - 1)
	if i == 0 {
		a.turn()
	}
	a.chunk[i] = n
	a.count++
	return Ref(a.count - 1)
}

// turn advances to the next chunk.
func (a *Heap) turn() {
	i := a.count >> chunkBits
	if i == len(a.nodes) {
		a.nodes = append(a.nodes, new([chunkSize]Node))
	}
	a.chunk = a.nodes[i]
}

// CallAt returns a call. Calls do not move.
func (a *Heap) CallAt(i uint64) *Call { return &a.calls[i/callChunk][i%callChunk] }

// AddCall adds a call and returns its index.
func (a *Heap) AddCall(c Call) uint64 {
	i := a.called
	if i/callChunk == len(a.calls) {
		a.calls = append(a.calls, new([callChunk]Call))
	}
	a.calls[i/callChunk][i%callChunk] = c
	a.called++
	return uint64(i)
}

// Memory returns the number of bytes that the values use, without spare capacity.
func (a *Heap) Memory() int64 {
	const nodeSize, callSize, spanSize, nameSize = 16, 48, 16, 400
	return int64(a.count)*nodeSize + a.itemCount()*4 + int64(a.called)*callSize +
		int64(len(a.spans))*spanSize + int64(len(a.blocks))*textBlock + int64(len(a.names))*nameSize
}

// itemCount returns the capacity for items in all pages.
func (a *Heap) itemCount() int64 {
	if len(a.pages) == 1 {
		return int64(len(a.pages[0]))
	}
	return int64(len(a.pages))*pageSize + a.large
}
