// The format on one page, and how to read, check and write it.

// Package safetensors reads, checks and writes safetensors files, the format in
// which most neural network weights are published.
//
// A file is three things in a row:
//
//	8 bytes   N, a little-endian uint64
//	N bytes   the header: a JSON object that names each tensor,
//	          its dtype, its shape, and which bytes are its own
//	the rest  the data: the tensors' bytes, little-endian, row-major,
//	          without gap or overlap
//
// # Reading
//
// Open opens a file on disk, and NewFile one behind any io.ReaderAt. Both read
// the header alone; a tensor's bytes are read when they are asked for, and only
// those:
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
//	row, err := t.Slice(safetensors.At(42)) // nothing is read yet
//	if err != nil {
//		return err
//	}
//	values := make([]float32, row.NumElems())
//	_, err = safetensors.DecodeAt(row, values, 0) // now one row is
//
// Read gives the elements as they are, DecodeAt gives them as numbers, and
// Tensor.Convert (or a Converter, which can saturate) gives a tensor of another
// dtype. Everything that has tensors to give gives the one type, *Tensor: a file, a
// cut through a tensor, a tensor converted to another dtype, a Go slice. And
// everything that takes tensors takes it, Encode first of all. So these compose.
//
// For a model that is many files, or that is not on this machine, use package
// github.com/weightools/safetensors/checkpoint. This package knows of no network.
//
// # Checking
//
// Files come from strangers. Open and NewFile accept a file only if it breaks no
// Rule of severity Nonconforming or Invalid, and they allocate for what a file
// holds, not for what it claims to hold. The error is then a *Violation: it says
// which rule is broken, by which tensor, at which byte. Validate does not stop
// at the first, and reports the harmless ones too.
//
// A header takes up to 128 bytes of memory for each tensor, and its own size; a
// dimension takes 8 bytes, and a member of "__metadata__" about 110. An Opener
// sets limits below those of the format.
//
// # Writing
//
// WriteFile writes tensors as one file that appears when it is whole, and Encode to
// any writer, in the order in which the reference implementation would write them,
// so that equal tensors give equal bytes. An Encoder does it otherwise.
//
// # Stability and trust
//
// A File may be used by any number of goroutines at once, as may the tensors
// that it gives. No function of this package panics on any input, and none runs
// code that a file contains, for a file contains none.
//
// A file that changes while it is open gives an error or other bytes, never
// zeros for what is no longer there. A mapped file is the same to those who
// read through ReadAt and WriteTo. But Bytes of a mapped file is the file: if
// another process truncates it later, touching what was cut off ends the
// program. So map files only where nobody does that.
package safetensors

//go:generate go test -run TestRulesDoc . -update
