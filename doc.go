// Package safetensors reads, validates and writes safetensors files, the format in
// which most neural network weights are published.
//
// A file has three parts:
//
//	8 bytes   N, a little-endian uint64
//	N bytes   the header: a JSON object with the name, dtype, shape
//	          and position of each tensor
//	the rest  the data: the bytes of the tensors, little-endian, row-major,
//	          without gaps or overlaps
//
// # Reading
//
// Open opens a file on disk, and NewFile one behind any io.ReaderAt. Both read only
// the header. The bytes of a tensor are read when you ask for them:
//
//	f, err := safetensors.Open("model.safetensors")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	t, err := f.Tensor("lm_head.weight")
//	if err != nil {
//		return err
//	}
//	row, err := t.Slice(safetensors.At(42)) // reads nothing yet
//	if err != nil {
//		return err
//	}
//	values := make([]float32, row.NumElems())
//	_, err = safetensors.DecodeAt(row, values, 0) // reads one row
//
// Read returns the elements in their own type, DecodeAt returns them as floats, and
// Tensor.Convert returns a tensor of another dtype. Files, slices, conversions and
// Go slices all give the same type, *Tensor, and Encode writes any *Tensor, so
// these operations compose.
//
// Use package github.com/weightools/safetensors/checkpoint for models of several
// files and for remote models. This package does not use the network.
//
// # Validating
//
// Files may be hostile. Open and NewFile accept a file only if it breaks no Rule of
// severity Nonconforming or Invalid, and allocate memory in proportion to its
// actual size, not to lengths that it claims. Otherwise they return a *Violation,
// which names the broken rule, the tensor and the bytes. Validate reports all
// violations, including warnings and notes.
//
// A header takes up to 128 bytes of memory for each tensor in addition to its own
// size, 8 bytes for each dimension, and about 110 for each member of
// "__metadata__". An Opener can set lower limits than the format.
//
// # Writing
//
// WriteFile writes tensors to a file that appears under its name only when it is
// complete, and Encode writes to any io.Writer. Both order tensors as the reference
// implementation does, so equal tensors give equal files. Use an Encoder to set
// options.
//
// # Concurrency and mapped files
//
// A File and its tensors may be used by several goroutines at once. No function of
// this package panics on any input.
//
// Reading a file that changes while it is open returns an error or other bytes, but
// never zeros for truncated data. This holds for mapped files too, if they are read
// through ReadAt or WriteTo. But Bytes of a mapped file refers to the mapping: if
// another process truncates the file, touching the truncated part crashes the
// program. Map files only if no process does that.
package safetensors

//go:generate go test -run TestRulesDoc . -update
