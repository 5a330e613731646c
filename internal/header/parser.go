// The state of a parser, and its memory.

package header

import (
	"bytes"
	"errors"
	"unsafe"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// errStop ends parsing after a fault that makes the rest unreadable.
var errStop = errors.New("stop")

// Options are what a Parser accepts, and what it looks for.
type Options struct {
	MaxTensors  int   // the largest number of tensors; 0 means no limit
	MaxRank     int   // the largest number of dimensions of a tensor; 0 means no limit
	MaxMetadata int64 // the largest size in bytes of "__metadata__"; 0 means no limit

	// All looks for warnings and notes, too.
	All bool

	// Fatal reports whether a fault of the rule makes the header unusable, so
	// that parsing may end. nil means that no fault does.
	Fatal func(Rule) bool
}

// A Result is what a Parser made of a header.
type Result struct {
	Metadata map[string]string
	Tensors  []Info

	// ByName has the indices of Tensors in the order of their names. It is nil
	// if that is their own order.
	ByName []uint32

	// Faults are in the order of the bytes at fault, at most MaxOfRule of each
	// rule. Omitted is how many more there are, or nil.
	Faults  []Fault
	Omitted map[Rule]int

	// Complete reports whether the header was read to its end.
	Complete bool
}

// A Parser reads one header. It can be used once.
type Parser struct {
	jsonscan.Scanner
	Options
	Length    [LengthSize]byte // room for the bytes before the header
	text      []byte           // the header
	padded    []byte           // the header, and slack zeros after it
	dataStart int64

	tensors  []Info
	runs     []uint32 // indices where names do not ascend: see sortByName
	runsRoom [16]uint32
	metadata map[string]string
	sawMeta  bool
	dims     []int64 // memory for shapes
	rooms    int     // how many dimensions were allocated
	known    [1 << knownBits]knownShape
	unknown  knownShape         // memory for a shape that is not kept in known
	long     map[string][]int64 // shapes of very high rank, by their text

	// The previous plain entry: its dtype, the width of that in bits, the text of
	// the dtype with the closing quote as a masked word, and the digits of END as
	// two masked words.
	prev               string
	width              int
	prevWord, prevMask uint64
	endText, endMask   [2]uint64
	endSize            int

	// tiled reports whether every entry so far begins where the previous one ends,
	// at next. Then the entries need not be sorted.
	tiled bool
	next  int64

	mismatches []mismatch
	blind      bool     // some tensors are not in tensors, or have offsets that are not known
	escapes    bool     // some string has escapes
	byName     []uint32 // see Result
	indices    []uint32 // memory for sorting names

	faults []Fault
	counts [NumRules]int // of faults, kept or not
	enough bool          // a fault is fatal, and no later entry can annul it
}

// Reset prepares p for another header. It uses the memory of the one before again, to which that Result refers.
func (p *Parser) Reset() {
	clear(p.tensors)
	*p = Parser{Options: p.Options, padded: p.padded, tensors: p.tensors[:0], dims: p.dims[:0], indices: p.indices,
		rooms: cap(p.dims)}
}

// Room returns the memory of the header that was parsed before Reset, or nil.
func (p *Parser) Room() []byte { return p.padded }

// noOffsets are the Offsets of an entry whose data_offsets are invalid.
var noOffsets = Span{-1, -1}

// A mismatch is a fault of an entry whose fields are well-formed, but do not
// agree. It is small, since a hostile header is full of them, and becomes a
// Fault only if no later entry replaces this one.
type mismatch struct {
	entry      int
	rule       Rule
	begin, end uint64 // the data_offsets
	want       uint64 // the size that dtype and shape require
}

// Slack is how many zeros follow the header in memory. The parser reads whole
// words up to its end.
const Slack = 16

// name returns a string of the header as a view of the header's bytes. Names
// are the largest part of a header, so they are not copied.
func (p *Parser) name(s jsonscan.Str) string {
	b := p.Text(s.Begin, s.End)
	if s.Escaped {
		p.escapes = true
		n := len(jsonscan.Unescape(b))
		for i := n; i < len(b); i++ {
			b[i] = ' ' // the rest has to be valid UTF-8
		}
		b = b[:n]
	}
	return view(b)
}

// view returns bytes of the header as a string, without copying.
//
// The bytes are in a buffer that only this package refers to. Only Unescape in
// name writes to it, once for each string and before a view of that string
// exists. So a string never changes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// add adds a tensor of the given name. The caller sets the other fields.
func (p *Parser) add(name string) *Info {
	n := len(p.tensors)
	if n == cap(p.tensors) {
		p.grow()
	}
	p.tensors = p.tensors[:n+1]
	ti := &p.tensors[n]
	ti.Name = name
	// Compare while the previous name is still in the cache.
	if n > 0 && name <= p.tensors[n-1].Name {
		p.runs = append(p.runs, uint32(n))
	}
	return ti
}

// grow allocates memory for more tensors: for as many as the text so far
// suggests, but not more than it has objects. A hostile header may have strings
// full of braces; for others the number is exact.
func (p *Parser) grow() {
	const start = 1 << 15
	n := len(p.tensors)
	room := bytes.Count(p.text, []byte("{"))
	if n == 0 {
		room = min(room, start)
	} else {
		expected := int(1.25 * float64(n) * float64(len(p.text)) / float64(p.Pos()))
		if room <= n { // entries are arrays, and have no brace to count
			room = expected
		}
		room = min(room, expected)
	}
	grown := make([]Info, n, max(room, n+n/4+1))
	copy(grown, p.tensors)
	p.tensors = grown
}

// room returns memory for rank dimensions, in a block that many shapes share.
// The caller sets them before it calls take.
func (p *Parser) room(rank int) []int64 {
	n := len(p.dims)
	if p.dims == nil || cap(p.dims)-n < rank { // the shape of a scalar is empty, not nil
		// The first block is proportional to the text, later ones to what the text so
		// far needed, up to four times as much as before: the shapes of a model repeat
		// after its first layers.
		more := 1.25 * float64(p.rooms) * float64(len(p.text)-p.Pos()) / float64(p.Pos()+1)
		p.dims, n = make([]int64, 0, rank+max(128, len(p.text)>>13, min(int(more), 4*p.rooms))), 0
		p.rooms += cap(p.dims)
	}
	return p.dims[n : n+rank]
}

// take returns the first rank dimensions of what room returned last.
func (p *Parser) take(rank int) []int64 {
	n := len(p.dims)
	p.dims = p.dims[:n+rank]
	return p.dims[n : n+rank : n+rank]
}
