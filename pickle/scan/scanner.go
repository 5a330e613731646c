// The scanner: its options and limits, and one scan.

package scan

import (
	"io"

	"github.com/weightools/safetensors/pickle"
)

// A Scanner says how files are scanned. The zero Scanner is the default.
type Scanner struct {
	// Policy says which names pickles may import. Nil means the built-in lists alone.
	Policy *pickle.Policy

	// Deep says to search bytes for pickles that no loader looks for there: the numbers
	// of tensors, and all of what belongs to no part of a file. Otherwise of the former
	// the first bytes are looked at, and of the latter 16 MiB.
	Deep bool

	// Visit, if it is not nil, is called for each pickle, in the order of the report. What it is given can be read until it returns.
	Visit func(Pickle)

	// MaxOpcodes is how much work a scan is, counted in instructions of pickles: see
	// pickle.Options. What is unpacked, searched or read as JSON counts as well. 0 means
	// UsualOpcodes, and a deep scan has one more for each byte.
	MaxOpcodes int64
	// MaxMemory is how many bytes the values of a pickle and what is found in it may
	// take, and the parts of archives as many. 0 means UsualMemory.
	MaxMemory int64
	// MaxDepth is how deep archives within archives are opened. 0 means 8.
	MaxDepth int
	// MaxUnpacked is how many bytes are unpacked in all. 0 means 256 MiB, or four times
	// the size of the file if that is more, and 1 GiB at most.
	MaxUnpacked int64
	// MaxMembers is how many members of archives are looked at in all. 0 means 100,000.
	MaxMembers int
	// MaxReport is how many imports, calls and findings are reported, of each. 0 means
	// 10,000.
	MaxReport int
}

// The limits that hold if a Scanner has none.
const (
	usualDepth    = 8
	usualMembers  = 100_000
	usualReport   = 10_000
	leastUnpacked = 256 << 20
	mostUnpacked  = 1 << 30
	usualSearch   = 16 << 20 // bytes of a range that nothing explains
)

// The budgets of work and memory that hold if a Scanner has none: with them any file is
// judged in two seconds and 64 MiB, but for the time to read it.
const (
	UsualOpcodes = 50_000_000
	UsualMemory  = 24 << 20
)

// A Pickle is a run of bytes that was judged as one pickle or several.
type Pickle struct {
	Member  string // the path of the part that it is in, "" for the file itself
	Offset  int64  // in that part
	Size    int64  // in bytes
	Bytes   io.ReaderAt
	Options *pickle.Options // by which it was judged
}
