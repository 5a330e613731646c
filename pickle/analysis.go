// The state of an analysis.

package pickle

import (
	"io"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// An analysis processes the streams of a range of bytes.
type analysis struct {
	o       *Options
	m       *judge
	all     *findings
	keep    bool // keep the values
	streams []Stream
	roots   []heap.Ref
	omitted int       // number of streams that are not listed
	end     int64     // end of the last stream
	gap     int64     // start of bytes outside any stream, -1 if there are none
	left    int64     // remaining instruction budget
	guesses int64     // remaining budget of the search
	gaveUp  bool      // the search has exhausted its budget
	tried   int64     // end of the longest attempt of the search
	inner   *analysis // for strings, reused
}

// beginAnalysis returns an analysis of size bytes with the policy of the options, which may be nil.
func beginAnalysis(r io.ReaderAt, size int64, o *Options) *analysis {
	o = o.filled()
	return newAnalysis(r, size, o, o.Policy.compile(), 0)
}

// newAnalysis returns an analysis of size bytes that are nested in depth strings.
func newAnalysis(r io.ReaderAt, size int64, o *Options, policy *names.Policy, depth int) *analysis {
	return &analysis{o: o, m: newJudge(r, size, o), all: newFindings(policy, depth, o.MaxReport), gap: -1,
		left: o.MaxOpcodes, guesses: mostGuesses(size)}
}

// reuse makes the analysis process other data.
func (a *analysis) reuse(r io.ReaderAt, size int64, o *Options) {
	m := a.m
	m.Restart(r, size, o.MaxMemory)
	a.o, m.o, a.streams, a.omitted, a.end, a.gap = o, o, nil, 0, 0, -1
	a.all = newFindings(a.all.policy, a.all.depth, o.MaxReport)
	a.left, a.guesses, a.tried, a.gaveUp = o.MaxOpcodes, mostGuesses(size), 0, false
}

// held returns the bytes used by finished streams.
func (a *analysis) held() int64 { return a.all.bytes + 12*int64(len(a.roots)) }

// drop stops keeping values because memory is exhausted, and lets the analysis continue.
func (a *analysis) drop() {
	a.keep = false
	clear(a.roots) // unknown from now on
	a.m.Result = heap.Unknown
}

// forgetAfter is the number of values of finished streams above which they are removed, unless they are to be kept.
const forgetAfter = 1 << 16

// costStream is the cost of starting a stream, in cheap instructions.
const costStream = 40

// An attempt is the result of reading a stream.
type attempt struct {
	Stream
	found  *findings
	result heap.Ref
	fault  opcode.Fault
	failed bool
	unread bool  // it starts with a persistent ID that no loader reads
	proto  bool  // it starts with PROTO
	cut    bool  // the data ends in it, and it starts with PROTO or has no other fault
	next   int64 // where to continue
}
