// Files: a header, and the tensors behind it.

package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/mmap"
	"github.com/weightools/safetensors/internal/source"
)

// An Opener opens files in a way of one's choice. The zero Opener is that of
// Open, NewFile, Validate and ReadHeader.
type Opener struct {
	// Lenient accepts what the reference implementation accepts, rather than
	// what the specification does: of two tensors of one name, the last wins.
	Lenient bool

	// Mapped maps the file into memory where the system can, so that
	// Tensor.Bytes need not copy. See the package comment on what it risks.
	Mapped bool

	// MaxHeaderSize is the largest header accepted, in bytes.
	// 0 means the format's limit, 100,000,000.
	MaxHeaderSize int64

	// MaxTensors is the largest number of tensors accepted. 0 means no limit.
	MaxTensors int

	// MaxRank is the largest number of dimensions accepted of a tensor.
	// 0 means no limit.
	MaxRank int

	// MaxMetadata is how many bytes of the header "__metadata__" may take.
	// 0 means no limit.
	MaxMetadata int64
}

// plainOpener is the Opener of those who have not made one. It is never changed.
var plainOpener Opener

func (o *Opener) maxHeaderSize() int64 {
	if o.MaxHeaderSize > 0 {
		return o.MaxHeaderSize
	}
	return MaxHeaderSize
}

// least returns the severity from which on a violation is an error.
func (o *Opener) least() Severity {
	if o.Lenient {
		return Invalid
	}
	return Nonconforming
}

// Validate is [Validate] with o's limits.
func (o *Opener) Validate(r io.ReaderAt, size int64) (*Report, error) { return o.judge(r, size, true) }

// ReadHeader is [ReadHeader] with o's limits.
func (o *Opener) ReadHeader(r io.Reader) (*Header, error) {
	var first [lengthSize]byte
	if n, err := io.ReadFull(r, first[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, violation(RuleTooShort, "", Span{0, int64(n)}, "the file has %d bytes, and a file has at least 8", n)
	} else if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(first[:])
	if limit := o.maxHeaderSize(); n > uint64(limit) {
		head := make([]byte, filetype.HeadSize)
		more, _ := io.ReadFull(r, head[copy(head, first[:]):]) // the file is refused already
		if v := notSafetensors(filetype.DetectHead(head[:lengthSize+more]), lengthSize); v != nil {
			return nil, v
		}
		return nil, headerTooLarge(header.Saturate(n), limit)
	}
	text, got, err := header.ReadAll(r, int64(n))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, violation(RuleHeaderSize, "", Span{0, lengthSize},
			"the header is said to take %d bytes, and the file has %d after the length", n, got)
	}
	if err != nil {
		return nil, err
	}
	result := o.parser(false).Parse(text, header.NoSize)
	report := newReport(&result, int64(n))
	if v := report.First(o.least()); v != nil {
		return nil, v
	}
	return report.Header, nil
}

// A File is an open safetensors file.
type File struct {
	// Header is what the file says of its tensors. It must not be changed.
	Header *Header

	r     io.ReaderAt
	close func() error
	bytes func(Span) ([]byte, error) // the file's own bytes, nil if it is not mapped
}

// Open opens the named file and reads its header. Errors are of type
// [*fs.PathError]; that of a file which is not valid wraps a *Violation.
func Open(name string) (*File, error) { return plainOpener.Open(name) }

// NewFile returns the File of the given size behind r, having read its header.
// It is an error, a *Violation, if the file is not valid.
func NewFile(r io.ReaderAt, size int64) (*File, error) { return plainOpener.NewFile(r, size) }

// NewFile is [NewFile] in o's way. It never maps.
func (o *Opener) NewFile(r io.ReaderAt, size int64) (*File, error) {
	report, err := o.judge(r, size, false)
	if err != nil {
		return nil, err
	}
	if v := report.First(o.least()); v != nil {
		return nil, v
	}
	*report.file = File{Header: report.Header, r: r}
	return report.file, nil
}

// Open is [Open] in o's way.
func (o *Opener) Open(name string) (*File, error) {
	file, err := o.open(name)
	var path *fs.PathError
	if err != nil && !errors.As(err, &path) {
		err = &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, err
}

func (o *Opener) open(name string) (*File, error) {
	// A pipe has no size and no offsets, and opening one would wait for its
	// other end.
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file but %v", info.Mode().Type())
	}
	disk, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	f, err := o.onDisk(disk)
	if err != nil {
		disk.Close()
	}
	return f, err
}

func (o *Opener) onDisk(disk *os.File) (*File, error) {
	info, err := disk.Stat()
	if err != nil {
		return nil, err
	}
	f, err := o.NewFile(disk, info.Size())
	if err != nil {
		return nil, err
	}
	f.close = disk.Close
	if !o.Mapped {
		return f, nil
	}
	m, err := mmap.Map(disk, info.Size())
	if err != nil {
		return f, nil // there is no room, or no mapping here: positioned reads give the same bytes
	}
	f.r = m
	f.close = func() error { return errors.Join(m.Close(), disk.Close()) }
	f.bytes = func(s Span) ([]byte, error) { return m.Bytes(s.Begin, s.Len()) }
	return f, nil
}

// Close closes the file. If it was made by NewFile, Close does nothing.
// No tensor of f may be used afterwards.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// Tensor returns the named tensor, or an error that wraps [fs.ErrNotExist].
func (f *File) Tensor(name string) (*Tensor, error) {
	ti := f.Header.Lookup(name)
	if ti == nil {
		return nil, fmt.Errorf("safetensors: there is no tensor %s: %w", quote(name), fs.ErrNotExist)
	}
	return f.tensor(ti), nil
}

// Tensors yields every tensor, in the header's order.
func (f *File) Tensors() iter.Seq[*Tensor] {
	return func(yield func(*Tensor) bool) {
		for i := range f.Header.Tensors {
			if !yield(f.tensor(&f.Header.Tensors[i])) {
				return
			}
		}
	}
}

func (f *File) tensor(ti *TensorInfo) *Tensor {
	t := &Tensor{TensorInfo: *ti}
	at := f.Header.FileSpan(ti)
	s := &source.Section{R: f.r, Begin: at.Begin, Size: at.Len(), Tensor: ti.Name}
	if f.bytes != nil {
		s.Bytes = func() ([]byte, error) { return f.bytes(at) }
	}
	t.ReaderAt = s
	return t
}
