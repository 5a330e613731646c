// The options and limits of scans.

package scan

import (
	"io"

	"github.com/weightools/safetensors/pickle"
)

// A Scanner holds the options of scans. The zero Scanner has the defaults.
type Scanner struct {
	// Policy lists the names that pickles may import. Nil means the built-in lists.
	Policy *pickle.Policy

	// Deep also searches bytes that no loader executes: tensor data, and all bytes that
	// belong to no part of the file. Otherwise only the first bytes of tensor data and the
	// first 16 MiB of such bytes are examined.
	Deep bool

	// Visit, if not nil, is called for each pickle, in the order of the report. The Pickle
	// can be read until Visit returns.
	Visit func(Pickle)

	// Beside, if not nil, opens another file in the folder of the one that is scanned, and returns it with its size. The
	// metadata of a distributed checkpoint is compared with its shards. The file is nil if it does not exist.
	Beside func(name string) (File, int64, error)

	// MaxOpcodes limits the work of a scan, counted in pickle instructions: see
	// pickle.Options. Decompressing, searching and reading JSON count as well. 0 means
	// UsualOpcodes, plus one for each byte in a deep scan.
	MaxOpcodes int64
	// MaxMemory limits the memory in bytes for the values and findings of a pickle, and
	// that for the list of parts. 0 means UsualMemory.
	MaxMemory int64
	// MaxDepth limits the nesting of archives. 0 means 8.
	MaxDepth int
	// MaxUnpacked limits the total size of decompressed data in bytes. 0 means 256 MiB or
	// four times the size of the file, whichever is more, but at most 1 GiB.
	MaxUnpacked int64
	// MaxMembers limits the total number of archive members. 0 means 100,000.
	MaxMembers int
	// MaxReport limits the number of imports, of calls and of findings in the report. 0
	// means 10,000.
	MaxReport int
}

// The default limits.
const (
	usualDepth    = 8
	usualMembers  = 100_000
	usualReport   = 10_000
	leastUnpacked = 256 << 20
	mostUnpacked  = 1 << 30
	usualSearch   = 16 << 20 // bytes of a range that no format explains
)

// The default budgets of work and memory. With them any file takes at most two seconds and
// 64 MiB, apart from the time to read it.
const (
	UsualOpcodes = 50_000_000
	UsualMemory  = 24 << 20
)

// A Pickle is a range of bytes that was analyzed as one or several pickles.
type Pickle struct {
	Member  string // path of the part that contains it, "" for the file itself
	Offset  int64  // in that part, in bytes
	Size    int64  // in bytes
	Bytes   io.ReaderAt
	Options *pickle.Options // with which it was analyzed
}
