// Options: policy and limits of an analysis.

package pickle

// Options configure an analysis. A nil pointer and the zero value select the default policy and limits.
type Options struct {
	// Policy adds to the built-in lists. Nil adds nothing.
	Policy *Policy

	// MaxOpcodes limits the number of instructions in all streams together. Expensive operations count as several: a
	// new name as 100, a finding as 16, a stream as 40, two arguments of a checked call as one. 16 bytes that are
	// searched for pickles count as one. The default is 50,000,000, enough for about 1,000,000 tensors.
	MaxOpcodes int64

	// MaxMemory limits the memory for values and findings in bytes; the maximum is 8 GiB. The default is 256 MiB. A
	// tensor uses about 450 bytes.
	MaxMemory int64

	// MaxStreams ends the analysis after this number of streams; Report.End is the offset of the rest. The default is
	// no limit.
	MaxStreams int

	// MaxNesting is the maximum nesting depth of pickles in strings of pickles. The default is 4.
	MaxNesting int

	// MaxReport is the maximum number of imports, of calls and of findings in the report; each list has the same room
	// again for dangerous entries. The default is 10,000.
	MaxReport int

	// NoSweep disables the search for pickles in bytes that are not a pickle.
	NoSweep bool

	// Search starts with a search for pickles instead of a pickle at the first byte.
	Search bool

	// PersistentID reports whether a persistent ID is known to the loader of this file, in addition to the IDs of
	// PyTorch's storages. Nil accepts no others.
	PersistentID func(id Value) bool
}

// filled returns the options with the default for each limit that is not set. o may be nil.
func (o *Options) filled() *Options {
	var f Options
	if o != nil {
		f = *o
	}
	if f.MaxOpcodes <= 0 {
		f.MaxOpcodes = 50_000_000
	}
	if f.MaxMemory <= 0 {
		f.MaxMemory = 256 << 20
	}
	f.MaxMemory = min(f.MaxMemory, 8<<30) // values have 32-bit indexes
	if f.MaxNesting <= 0 {
		f.MaxNesting = 4
	}
	if f.MaxReport <= 0 {
		f.MaxReport = 10_000
	}
	return &f
}
