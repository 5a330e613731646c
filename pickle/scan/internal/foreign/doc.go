// The part that is analyzed, and what scan offers for it.

// Package foreign analyzes parts of files in formats other than pickle: graphs, schemas,
// configurations of models, HDF5 and serialized Java objects.
package foreign

import (
	"io"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// MostConfig is the maximum size of a configuration that is read, in bytes.
const MostConfig = 16 << 20

// CostJSON is the cost of a byte of a configuration, in cheap pickle instructions.
const CostJSON = 1

// A Part is the part of a file to analyze.
type Part struct {
	Sink
	File io.ReaderAt
	Size int64
	Name string        // its last element
	Kind filetype.Kind // by the first bytes
	Deep bool          // whether all bytes are searched
	Most int64         // the maximum number of bytes to search in one range
}

// A Sink receives what is found in a part, and does what needs the rest of the scan.
type Sink interface {
	Formats
	Gaps
	// Find receives a finding with the usual severity of its rule.
	Find(rule pickle.Rule, off int64, format string, args ...any)
	// Add receives a finding.
	Add(f pickle.Finding)
	// Import receives a name that loading the part imports, and the kind of element that has it.
	Import(how string, im pickle.Import)
	// Configures receives a name that loading a configuration imports.
	Configures(full, how string, off int64, verdict pickle.Verdict, rule pickle.Rule)
	// Verdict returns the verdict of the policy on importing a name.
	Verdict(module, name string) pickle.Verdict
	// At returns the n bytes at off, or fewer at the end of the part.
	At(off int64, n int) ([]byte, error)
	// Pickles analyzes pickles in values of the given kind.
	Pickles(kind string, list [][]byte) error
	// Numbers examines tensor data, which begins with head.
	Numbers(span extent.Span, head []byte) error
	// Sweep searches bytes that no format accounts for.
	Sweep(span extent.Span) error
	// Value judges a text that is a value of a file, such as metadata.
	Value(key, text string, off int64)
	// SearchAll searches all of a range for pickles.
	SearchAll(span extent.Span) error
}

// Formats are the formats of a part.
type Formats interface {
	// Is receives a format of the part.
	Is(format string)
	// Rename replaces the first format of the part.
	Rename(format string)
	// Format returns the first format of the part.
	Format() string
	// Formats returns the number of formats that were detected.
	Formats() int
	// Lookalike receives the format of a part that may be named like a checkpoint.
	Lookalike(format string)
	// Swept says that the rest of the part needs no search.
	Swept()
}

// Gaps are what was not analyzed, and the budget of work.
type Gaps interface {
	// Unanalysed receives what is not analyzed in principle.
	Unanalysed(format string, args ...any)
	// Unscanned receives what was not analyzed, however large the budget is.
	Unscanned(off int64, format string, args ...any)
	// OverWork says that the budget of work was spent at off.
	OverWork(off int64)
	// Spend takes work from the budget and reports whether any is left.
	Spend(n int64) bool
}

// A namer passes the names in JSON on, with what the JSON is.
type namer struct {
	*Part
	how string
}

// Name implements evidence.Sink.
func (n namer) Name(full string, off int64, verdict pickle.Verdict, rule pickle.Rule) {
	n.Configures(full, n.how, off, verdict, rule)
}

// quoted returns a name for use in a message.
func quoted(name string) string { return wording.Quote(name) }

// bytesOf returns a number of bytes with its unit.
func bytesOf(n int64) string { return wording.Count(n, "byte") }
