// Storages: the arrays that tensors are views of, and their data.

package torch

import (
	"hash/crc32"
	"io"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/strided"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// A storage is an array. Tensors of one storage can share data.
type storage struct {
	key   string
	class string // without its module
	r     io.ReaderAt
	base  int64 // offset in r
	size  int64 // size in bytes
	big   bool  // the data is big-endian
	// unpacked means that r is sequential and restarts for earlier offsets.
	unpacked bool
	record   *record  // nil without a checksum
	root     *storage // the storage that this one is a part of, or nil
}

// whole returns the storage that s is a part of, or s.
func (s *storage) whole() *storage {
	if s.root != nil {
		return s.root
	}
	return s
}

// A record is an archive member with a checksum.
type record struct {
	name string
	r    io.ReaderAt
	size int64
	crc  uint32
}

// check verifies the checksum, and calls told, if that is not nil, with numbers of bytes that were read.
func (c *record) check(told func(bytes int64)) error {
	sum := crc32.NewIEEE()
	buf := make([]byte, min(c.size+1, 1<<20))
	n, err := io.CopyBuffer(tellingWriter{sum, told}, io.NewSectionReader(c.r, 0, c.size), buf)
	if err != nil {
		return err
	}
	if n < c.size {
		return io.ErrUnexpectedEOF
	}
	if got := sum.Sum32(); got != c.crc {
		return refuse("%s has checksum %08x, but the archive says %08x: the file is damaged or was modified",
			quoted(c.name), got, c.crc)
	}
	return nil
}

// A tellingWriter calls told, if it is not nil, with numbers of bytes. It hides other methods of the writer, which
// makes io.CopyBuffer use its buffer.
type tellingWriter struct {
	io.Writer
	told func(bytes int64)
}

// Write writes b.
func (w tellingWriter) Write(b []byte) (int, error) {
	if w.told != nil {
		w.told(int64(len(b)))
	}
	return w.Writer.Write(b)
}

// storages finds storages by persistent ID.
type storages interface {
	// find returns the storage. The error is a *FormatError if the storage is missing or differs from the ID.
	find(id *torchfile.Storage) (*storage, error)
}

// viewed returns the part of s that the ID describes as a view, or s if it describes none. Offset and size of views are
// in elements.
func (s *storage) viewed(id *torchfile.Storage) (*storage, error) {
	if id.View == nil {
		return s, nil
	}
	width := id.ElementSize()
	begin, end := id.View.Offset, id.View.Offset+id.View.Elements
	if begin < 0 || end < begin || width == 0 || end > s.size/width {
		return nil, refuse("view %s has the elements %d to %d of storage %s, which has %s",
			quoted(id.View.Key), begin, end, quoted(s.key), wording.Count(s.size, "byte"))
	}
	part := *s
	part.base, part.size, part.root = s.base+begin*width, (end-begin)*width, s.whole()
	return &part, nil
}

// sequential returns a reader of decompressed or decoded data of the given size. Open starts from the beginning.
func sequential(name string, size int64, open func() (io.Reader, error)) io.ReaderAt {
	return &strided.Sequential{Open: open, Size: size, Damaged: func(n int64) error {
		return refuse("%s decompresses to %s instead of %s", quoted(name), wording.Count(n, "byte"),
			wording.Count(size, "byte"))
	}}
}
