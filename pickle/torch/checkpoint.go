// Checkpoints: what is found in a file.

package torch

import (
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/strided"
	"github.com/weightools/safetensors/pickle/torch/internal/dtensor"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// A Checkpoint contains the tensors of a file, and descriptions of its other contents. It is safe for concurrent use
// and must not be modified.
type Checkpoint struct {
	Format Format

	// Root is the path of the value that Tensors are taken from, "" for the whole file.
	Root string

	// Tensors are in the order of the pickle. They read from the file, which must stay open.
	Tensors []*safetensors.Tensor

	// Skipped lists everything else: other values in the root, and values outside it.
	Skipped []Skipped

	// Values are the plain values of the whole file, regardless of the root. It is nil without Options.Values, and for
	// NumPy archives.
	Values *Values

	// Parts describes the Tensors that are parts of distributed tensors, by name. It is nil without Options.Parts.
	Parts map[string]*Part

	// Warnings describe oddities that do not prevent reading.
	Warnings []string

	// Report is the analysis of the pickle that names the tensors, nil if there is none. It does not cover other parts
	// of the file.
	Report *pickle.Report

	extents []extent      // of Tensors, in the same order
	records []*record     // records with checksums that Tensors read
	tiles   strided.Tiles // for Tensors that are gathered
}

// A Part says which part of a distributed tensor a tensor is.
type Part = dtensor.Part

// A Skipped is a value, or a tree of values, that is not among the tensors.
type Skipped struct {
	Path string // dotted path from the top
	What string // for example "an int", or "3 tensors and 40 other values"

	// Tensors is the number of tensors in it, and Values the number of other values.
	Tensors, Values int

	// Unsupported reports whether it is a tensor of the root that safetensors cannot represent.
	Unsupported bool

	// Form is the kind of such a tensor if an option supports it.
	Form Form

	fix string // advice, or ""
}

// Values are the numbers, strings, lists and dicts of a checkpoint.
type Values struct {
	// JSON is one value on one line. Dicts become objects in their order, with keys converted to strings. Lists, tuples
	// and sets become arrays. NaN and infinities become the strings "NaN", "Infinity" and "-Infinity"; other floats
	// have a point or an exponent, which distinguishes them from ints. Values that are not plain are omitted from
	// objects, and are null in arrays. Objects and arrays without any plain value are omitted.
	JSON []byte

	// LeftOut lists the values that are neither plain nor tensors: objects, names, bytes, and keys that are not a str
	// or an int.
	LeftOut []Skipped

	Top pickle.Value // the value of the whole file
}

// A file is a checkpoint that is being opened.
type file struct {
	*Checkpoint
	r    io.ReaderAt
	size int64
	opts *Options

	class   func(string) tree.Saved // see tree.Looker.Class
	omitted int                     // number of tensors and values in Skipped
	taken   int64                   // approximate bytes of the tensors, and of Skipped
}

// take accounts for the memory that a tensor or a skipped value takes, and for its name.
func (f *file) take(name string, bytes int64) error {
	if f.taken += bytes + int64(len(name)); f.taken > f.opts.Pickle.MaxMemory {
		return exceeds("the tensors and values and their names exceed the limit of %s of memory",
			wording.Count(f.opts.Pickle.MaxMemory, "byte"))
	}
	return nil
}

// warn records an oddity that does not prevent reading.
func (f *file) warn(text string) {
	const most = 100
	if len(f.Warnings) < most {
		f.Warnings = append(f.Warnings, text)
	}
}

// otherArchive returns the error for an archive that is not a checkpoint.
func (f *file) otherArchive() error {
	t, err := filetype.Detect(f.r, f.size)
	if err != nil {
		return err
	}
	return notCheckpoint("it is %s. %s", t, t.Advice())
}
