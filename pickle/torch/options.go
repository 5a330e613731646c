// Options, and names of formats.

package torch

import (
	"cmp"

	"github.com/weightools/safetensors/pickle"
)

// A Format is a file format of checkpoints.
type Format string

// The formats.
const (
	FormatZip    Format = "pytorch-zip"    // PyTorch 1.6 and later
	FormatScript Format = "torchscript"    // a PyTorch archive with programs
	FormatStream Format = "pytorch-legacy" // PyTorch before 1.6
	FormatTar    Format = "pytorch-tar"    // PyTorch 0.1
	FormatPickle Format = "pickle"         // a state dict without a container
	FormatNPZ    Format = "npz"            // NumPy arrays
)

// Options configure Open. A nil pointer and the zero value select the defaults.
type Options struct {
	// Pickle are the options for the analysis of pickles. The default of MaxMemory is 24 MiB and a quarter of the size
	// of the file, but at most the default of package pickle. The names of tensors and of skipped values, and their
	// lists, may take as much again.
	Pickle *pickle.Options

	// Budget multiplies the default limits of Pickle and of MaxBytes. 0 means 1.
	Budget int

	// Root is the dotted path of the value with the weights, for example "model.state_dict". "" selects the root
	// automatically; see the package comment.
	Root string

	// All takes all tensors of the file, regardless of Root.
	All bool

	// Dense converts coalesced COO and CSR tensors to dense ones. Opening the file then reads the positions of their
	// values.
	Dense bool

	// Quantized takes quantized tensors as integers. A tensor "w" is accompanied by "w.scale" and "w.zero_point", and
	// by "w.axis" if they vary along a dimension.
	Quantized bool

	// Parts takes the parts that a process has of distributed tensors (DTensor), and fills Checkpoint.Parts.
	Parts bool

	// Values fills Checkpoint.Values.
	Values bool

	// Empty accepts archives without tensors.
	Empty bool

	// MaxBytes is the maximum size of all tensors together in bytes. Strides can expand four bytes to terabytes. 0
	// means 16 times the size of the file, and at least 256 MiB.
	MaxBytes int64

	// NoChecksum ignores wrong checksums of pickles in archives.
	NoChecksum bool
}

// forSize returns a copy of the options for a file of the given size, in which Pickle is not nil. o may be nil.
func (o *Options) forSize(size int64) *Options {
	var own Options
	if o != nil {
		own = *o
	}
	var p pickle.Options
	if own.Pickle != nil {
		p = *own.Pickle
	}
	const least, part, most, opcodes = 24 << 20, 4, 256 << 20, 50_000_000
	n := int64(max(own.Budget, 1))
	if p.MaxMemory <= 0 {
		p.MaxMemory = min(least+size/part, most) * n
	}
	if p.MaxOpcodes <= 0 {
		p.MaxOpcodes = opcodes * n
	}
	own.Pickle = &p
	return &own
}

// maxBytes returns the limit for a file of the given size.
func (o *Options) maxBytes(size int64) int64 {
	const least, factor, most = 256 << 20, 16, 1 << 54
	return cmp.Or(o.MaxBytes, max(least, factor*min(size, most/factor))*int64(max(o.Budget, 1)))
}

// A Form is a kind of tensor that safetensors cannot represent but an option can convert.
type Form string

// The forms.
const (
	FormSparse    Form = "sparse"    // Options.Dense
	FormQuantized Form = "quantized" // Options.Quantized
)

// Advice says which command writes tensors of the form, in one clause without a full stop. It is "" for "".
func (f Form) Advice() string {
	switch f {
	case FormSparse:
		return "`weigh convert --dense FILE -o NEW.safetensors` writes it with its zeros"
	case FormQuantized:
		return "`weigh convert --quantized FILE -o NEW.safetensors` writes its integers, scales and zero points"
	}
	return ""
}
