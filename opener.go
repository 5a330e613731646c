// Opening files.

package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/mmap"
)

// An Opener opens files with options. The zero Opener has the defaults, which
// Open, NewFile, Validate and ReadHeader use.
type Opener struct {
	// Lenient accepts files that the reference implementation accepts, although
	// the specification forbids them. Of two tensors with the same name, the
	// last one wins.
	Lenient bool

	// Mapped maps the file into memory if the system can: then Tensor.Bytes
	// does not copy. See the package documentation for the risk.
	Mapped bool

	// MaxHeaderSize is the largest size in bytes of a header. 0 means the
	// format's limit, 100,000,000.
	MaxHeaderSize int64

	// MaxTensors is the largest number of tensors. 0 means no limit.
	MaxTensors int

	// MaxRank is the largest number of dimensions of a tensor. 0 means no
	// limit.
	MaxRank int

	// MaxMetadata is the largest size in bytes of "__metadata__" in the header.
	// 0 means no limit.
	MaxMetadata int64
}

// plainOpener has the defaults. It is never changed.
var plainOpener Opener

func (o *Opener) maxHeaderSize() int64 {
	if o.MaxHeaderSize > 0 {
		return o.MaxHeaderSize
	}
	return MaxHeaderSize
}

// least returns the lowest severity that is an error.
func (o *Opener) least() Severity {
	if o.Lenient {
		return Invalid
	}
	return Nonconforming
}

// Validate is [Validate] with the options of o.
func (o *Opener) Validate(r io.ReaderAt, size int64) (*Report, error) { return o.judge(r, size, true) }

// ReadHeader reads a header from r, and no byte after it. It cannot check the
// data; see Validate for that.
//
// The error is a *Violation if the header is invalid, and otherwise comes from r.
// ReadHeader allocates memory as bytes arrive, not as the header's length
// claims.
func ReadHeader(r io.Reader) (*Header, error) { return plainOpener.ReadHeader(r) }

// ReadHeader is [ReadHeader] with the options of o.
func (o *Opener) ReadHeader(r io.Reader) (*Header, error) {
	var first [lengthSize]byte
	if n, err := io.ReadFull(r, first[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, violation(RuleTooShort, "", Span{0, int64(n)}, "the file has %d bytes, expected at least 8", n)
	} else if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(first[:])
	if limit := o.maxHeaderSize(); n > uint64(limit) {
		head := make([]byte, filetype.HeadSize)
		more, _ := io.ReadFull(r, head[copy(head, first[:]):]) // the file is invalid anyway
		if v := notSafetensors(filetype.DetectHead(head[:lengthSize+more]), lengthSize); v != nil {
			return nil, v
		}
		return nil, headerTooLarge(clamp.Uint(n), limit)
	}
	text, got, err := header.ReadAll(r, int64(n))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, violation(RuleHeaderSize, "", Span{0, lengthSize},
			"header length %d exceeds the %d bytes after it", n, got)
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

// Open opens the named file and reads its header. Errors are of type
// [*fs.PathError]; if the file is invalid, they wrap a *Violation.
func Open(name string) (*File, error) { return plainOpener.Open(name) }

// NewFile returns the file of the given size behind r, after reading its
// header. The error is a *Violation if the file is invalid, and otherwise that
// of r.
func NewFile(r io.ReaderAt, size int64) (*File, error) { return plainOpener.NewFile(r, size) }

// NewFile is [NewFile] with the options of o. It never maps.
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

// Open is [Open] with the options of o.
func (o *Opener) Open(name string) (*File, error) {
	file, err := o.open(name)
	var path *fs.PathError
	if err != nil && !errors.As(err, &path) {
		err = &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, err
}

func (o *Opener) open(name string) (*File, error) {
	// A pipe has no size and no offsets, and opening one waits for its writer.
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
		return f, nil // no address space, or not supported: read with ReadAt instead
	}
	f.r = m
	f.close = func() error { return errors.Join(m.Close(), disk.Close()) }
	f.bytes = func(s Span) ([]byte, error) { return m.Bytes(s.Begin, s.Len()) }
	return f, nil
}
