// Analyze and Load: every pickle in a range of bytes.

package pickle

import "io"

// Analyze judges the pickles that the size bytes behind r hold, one after another.
// It goes on past errors, and looks for further pickles behind them.
//
// The error is of reading r, never of what was read; the report then holds what
// was found before, and is not Complete.
func Analyze(r io.ReaderAt, size int64, o *Options) (*Report, error) {
	return &Report{Verdict: Suspicious, Reason: "this version does not judge yet"}, nil
}

// Load judges as Analyze does, and keeps what loading would have built. It takes
// about 300 bytes of memory for each tensor of a checkpoint.
func Load(r io.ReaderAt, size int64, o *Options) (*Graph, error) {
	report, err := Analyze(r, size, o)
	return &Graph{Report: report, arena: newArena(r)}, err
}

type global struct {
	resolvedModule, resolvedName string
}
