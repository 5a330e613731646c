// Storages: the runs of numbers that tensors are views of, and where they are.

package torch

import (
	"hash/crc32"
	"io"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// A storage is a run of numbers. Tensors of one storage may share bytes.
type storage struct {
	key   string
	class string // without its module
	r     io.ReaderAt
	base  int64 // where in r it begins
	size  int64 // in bytes
	big   bool  // whether its numbers are big-endian
	// unpacked says that r gives its bytes from front to back, and begins anew for those
	// before.
	unpacked bool
	record   *record  // nil if there is no checksum
	root     *storage // of which this one is a part; nil if of none
}

// whole returns the storage that s is a part of, or s.
func (s *storage) whole() *storage {
	if s.root != nil {
		return s.root
	}
	return s
}

// A record is a member of an archive that has a checksum.
type record struct {
	name string
	r    io.ReaderAt
	size int64
	crc  uint32
}

// check compares the checksum.
func (c *record) check() error {
	sum := crc32.NewIEEE()
	n, err := io.CopyBuffer(onlyWriter{sum}, io.NewSectionReader(c.r, 0, c.size), make([]byte, min(c.size+1, 1<<20)))
	if err != nil {
		return err
	}
	if n < c.size {
		return io.ErrUnexpectedEOF
	}
	if got := sum.Sum32(); got != c.crc {
		return refuse("%s has the checksum %08x, and the archive says %08x: the file is damaged, or was changed", quoted(c.name), got, c.crc)
	}
	return nil
}

// An onlyWriter hides what else a writer can do, so that the buffer is used.
type onlyWriter struct{ io.Writer }

// CheckSums reads the members of the archive that tensors are in, and compares their
// checksums. PyTorch does not. It is a *FormatError if one is wrong. Files that have no
// checksums are not read.
func (cp *Checkpoint) CheckSums() error {
	for _, c := range cp.records {
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckSumsOf is CheckSums for the members that some tensors are in, by their indices in
// Tensors.
func (cp *Checkpoint) CheckSumsOf(tensors []int) error {
	done := make(map[*record]bool)
	for _, i := range tensors {
		for _, c := range cp.extents[i].records {
			if done[c] {
				continue
			}
			done[c] = true
			if err := c.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sum returns the checksum that the archive has of the bytes of Tensors[i], a CRC-32 as
// of crc32.ChecksumIEEE. It returns false if the archive has none of just these bytes:
// the tensor is a part of a member, or its elements are in another order there.
//
// Who copies the tensor, and finds this sum in the copy, knows that the source was as its
// writer left it and that the copy is the same, and has read the source once.
func (cp *Checkpoint) Sum(i int) (crc uint32, ok bool) {
	x := &cp.extents[i]
	if !x.exact {
		return 0, false
	}
	return x.records[0].crc, true
}

// storages finds the storage that a persistent id names.
type storages interface {
	// find returns the storage. The error is a *FormatError if it is not there, or is not
	// as the pickle says.
	find(id *torchfile.Storage) (*storage, error)
}

// viewed returns the part of s that id says is a storage by itself, or s if there is
// no such part. All numbers of views are in elements.
func (s *storage) viewed(id *torchfile.Storage) (*storage, error) {
	if id.View == nil {
		return s, nil
	}
	width := id.ElementSize()
	begin, end := id.View.Offset, id.View.Offset+id.View.Elements
	if begin < 0 || end < begin || width == 0 || end > s.size/width {
		return nil, refuse("the view %s is the elements from %d to %d of the storage %s, which has %s", quoted(id.View.Key), begin, end, quoted(s.key), wording.Count(s.size, "byte"))
	}
	part := *s
	part.base, part.size, part.root = s.base+begin*width, (end-begin)*width, s.whole()
	return &part, nil
}
