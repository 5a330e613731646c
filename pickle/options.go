// Options: the policy and the limits of an analysis.

package pickle

// Options are what an analysis goes by. The zero value, like a nil pointer,
// judges by the default policy and has the limits that each field names.
type Options struct {
	// Policy adds to the built-in lists. Nil adds nothing.
	Policy *Policy

	// MaxOpcodes is how many opcodes are read, of all streams together. What takes
	// longer than one counts as several: a name that has to be judged as 100, a
	// finding as 16, a stream as 40, and arguments that a call is judged by as one
	// for two of them. Of bytes that are searched for pickles 16 count as one. The
	// default, 50,000,000, is that of about 1,000,000 tensors.
	MaxOpcodes int64

	// MaxMemory is how many bytes the values and what is found may take, at most 8 GiB. The default
	// is 256 MiB; a tensor takes about 450 bytes.
	MaxMemory int64

	// MaxStreams ends the analysis after so many streams, with Report.End
	// saying where: what follows is then the caller's. The default is no end.
	MaxStreams int

	// MaxNesting is how deep pickles within strings of pickles are followed.
	// The default is 4.
	MaxNesting int

	// MaxReport is how many imports, how many calls and how many findings are
	// listed; what is dangerous has as many places again. The default is 10,000
	// of each.
	MaxReport int

	// NoSweep leaves bytes that are no pickle alone, where otherwise they are
	// searched for further pickles.
	NoSweep bool

	// Search says that no pickle is due at the first byte: the bytes are searched
	// for pickles, as those are that follow one.
	Search bool

	// PersistentID says whether a persistent id is one that the loader of this
	// file knows, besides those of PyTorch's storages. Nil knows no others.
	PersistentID func(id Value) bool
}

// maxOpcodes, and those that follow, return a field or its default; o may be nil.
func (o *Options) maxOpcodes() int64 {
	if o == nil || o.MaxOpcodes <= 0 {
		return 50_000_000
	}
	return o.MaxOpcodes
}

func (o *Options) maxMemory() int64 {
	if o == nil || o.MaxMemory <= 0 {
		return 256 << 20
	}
	return min(o.MaxMemory, 8<<30) // values have 32-bit numbers
}

func (o *Options) maxNesting() int {
	if o == nil || o.MaxNesting <= 0 {
		return 4
	}
	return o.MaxNesting
}

func (o *Options) maxReport() int {
	if o == nil || o.MaxReport <= 0 {
		return 10_000
	}
	return o.MaxReport
}

func (o *Options) policy() *Policy {
	if o == nil {
		return nil
	}
	return o.Policy
}
