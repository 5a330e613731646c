// Checkpoints: what a file is, and what is in it.

package torch

import (
	"cmp"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// A Format is a form that files of checkpoints have. Its text is fit for reports.
type Format string

// The formats.
const (
	FormatZip    Format = "pytorch-zip"    // of version 1.6 and above
	FormatScript Format = "torchscript"    // the same with programs beside it
	FormatStream Format = "pytorch-legacy" // of versions before
	FormatTar    Format = "pytorch-tar"    // of version 0.1
	FormatPickle Format = "pickle"         // a state dict in no container
	FormatNPZ    Format = "npz"            // arrays of NumPy
)

// Options are what a checkpoint is read by. The zero value, like nil, is the default.
type Options struct {
	// Pickle judges the pickles, and has their limits. Nil means the defaults.
	Pickle *pickle.Options

	// Root is the path of the value that has the weights, with dots, as in
	// "model.state_dict". "" means the one that the package comment says.
	Root string

	// All takes the tensors of everything, whatever Root is.
	All bool

	// Dense makes dense tensors of sparse ones, of COO that is coalesced and of CSR. It
	// reads where their values are to open the file.
	Dense bool

	// Quantized takes quantized tensors as the integers that they have. Beside one called
	// "w" are then "w.scale" and "w.zero_point" and, if there is one for each index of a
	// dimension, that as "w.axis".
	Quantized bool

	// Values makes Checkpoint.Values.
	Values bool

	// MaxBytes is how many bytes all tensors together may have. Strides can make
	// terabytes out of four bytes. 0 means 64 times the size of the file, but 1 GiB at
	// least.
	MaxBytes int64

	// NoChecksum opens archives although the checksum of their pickle is wrong.
	NoChecksum bool
}

// maxBytes returns the limit that o has for a file of that size.
func (o *Options) maxBytes(size int64) int64 {
	const least, factor, most = 1 << 30, 64, 1 << 62
	return cmp.Or(o.MaxBytes, max(least, factor*min(size, most/factor)))
}

// A Checkpoint is the tensors of a file, and what else is in it. It may be read by any
// number of goroutines, and must not be changed.
type Checkpoint struct {
	Format Format

	// Root is the path of the value whose tensors are Tensors, "" for all that is in
	// the file.
	Root string

	// Tensors are in the order of the pickle. They read from the file, and end with it.
	Tensors []*safetensors.Tensor

	// Skipped is all else: other values of the root, and what is not in the root.
	Skipped []Skipped

	// Values are the plain values of all that is in the file, whatever the root is; nil if
	// Options.Values is not set, or in an archive of NumPy.
	Values *Values

	// Warnings are what is odd about the file and yet no reason to refuse it.
	Warnings []string

	// Report judges the pickle that names the tensors; nil if there is none. Other
	// parts of the file are not judged here.
	Report *pickle.Report

	extents []extent  // of Tensors, in the same order
	records []*record // that Tensors need, and that have checksums
	tiles   tiles     // of Tensors that are gathered
}

// A Skipped is a value of the checkpoint that is not among its tensors, or a tree of
// them.
type Skipped struct {
	Path string // from the top
	What string // as in "an int", or "3 tensors and 40 other values"

	// Tensors is how many tensors are in it, and Values how much else.
	Tensors, Values int

	// Unsupported says whether it is a tensor of the root, for which the format
	// safetensors has no form.
	Unsupported bool

	// Form is what it is, if an option gives such tensors a form.
	Form Form
}

// A Form is a kind of tensor that safetensors has no form for, and an option gives one.
type Form string

// The forms.
const (
	FormSparse    Form = "sparse"    // Options.Dense
	FormQuantized Form = "quantized" // Options.Quantized
)

// Open opens the checkpoint of the given size behind r.
//
// The error is a *FormatError if the file is no checkpoint, which
// errors.Is(err, [ErrNotCheckpoint]) tells, if it has no such root ([ErrNoRoot]), or if
// it cannot be trusted to be read as its writer meant; any other is of reading r.
func Open(r io.ReaderAt, size int64, o *Options) (*Checkpoint, error) {
	if o == nil {
		o = new(Options)
	}
	f := &file{r: r, size: size, opts: o, Checkpoint: &Checkpoint{tiles: tiles{most: tileSize}}}
	if err := f.open(); err != nil {
		return nil, err
	}
	return f.Checkpoint, nil
}

// A file is a checkpoint that is being read.
type file struct {
	*Checkpoint
	r    io.ReaderAt
	size int64
	opts *Options
}

// warn takes note of what is odd, and no reason to refuse the file.
func (f *file) warn(text string) {
	const most = 100
	if len(f.Warnings) < most {
		f.Warnings = append(f.Warnings, text)
	}
}

// open finds out what the file is, and reads it as that.
func (f *file) open() error {
	head := make([]byte, min(f.size, filetype.HeadSize))
	if err := bytesio.ReadFull(f.r, head, 0); err != nil {
		return err
	}
	at, err := zipwalk.Find(f.r, f.size)
	if err != nil {
		return err
	}
	switch {
	case at == 0:
		return f.archive()
	case at > 0:
		// A pickle in front of an archive is one file to PyTorch, and another to Python.
		return refuse("an archive begins within the file, or something stands before it: readers differ on what the file is")
	case tarwalk.Has(head):
		return f.tar()
	case !looksLikePickle(head):
		t := filetype.DetectHead(head)
		return notCheckpoint("it is %s. %s", t, t.Advice())
	}
	return f.stream()
}

// looksLikePickle reports whether head may begin a pickle: with PROTO, or, before there
// was that, with an opcode that the first value of a checkpoint has.
func looksLikePickle(head []byte) bool {
	switch filetype.DetectHead(head).Kind {
	case filetype.Pickle, filetype.TorchLegacy:
		return true
	case filetype.Text, filetype.Unknown:
		return len(head) > 1 && (head[0] == 0x80 && head[1] <= 1 || strings.IndexByte("(c]}IL\x8a", head[0]) >= 0)
	}
	return false
}
