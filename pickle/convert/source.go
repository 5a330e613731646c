// Sources: the files that are converted, and their contents.

package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/weightools/safetensors/gguf"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/scan"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// A Source is one file that is converted.
type Source struct {
	Path   string // with slashes
	Size   int64  // bytes
	Report *scan.Report

	Format   torch.Format
	Root     string // the path of the value that has the tensors; "" for the whole file
	Tensors  int    // their number
	Skipped  []torch.Skipped
	Warnings []string
	Values   *torch.Values // the values that Conversion.Torch asks for

	// SHA256 is the digest of the file; nil before Write, and if Conversion.Digests is not
	// set.
	SHA256 []byte

	object store.Object
	reader io.ReaderAt // of object
	file   *os.File    // on this machine, or nil
	cp     *torch.Checkpoint
	joined joined // the tensors, if they are in several files
	part   bool   // whether another source has the tensors
}

// openSource returns the source that a located file is.
func openSource(ctx context.Context, shard locatedShard) *Source {
	s := &Source{Path: shard.path, Size: shard.object.Size(), object: shard.object,
		reader: shard.object.ReaderAt(ctx), joined: shard.joined, part: shard.part}
	if r, ok := s.reader.(interface{ ReadsFile() (*os.File, int64) }); ok {
		s.file, _ = r.ReadsFile()
	}
	return s
}

// fault adds the path of the file to an error.
func (s *Source) fault(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) || err == nil {
		return err
	}
	return &SourceError{s.Path, err}
}

// open parses the file.
func (s *Source) open(o *torch.Options) (err error) {
	head := make([]byte, min(4, s.Size))
	if err := bytesio.ReadFull(s.reader, head, 0); err != nil {
		return s.fault(err)
	}
	switch {
	case s.part:
		s.cp = new(torch.Checkpoint)
	case s.joined != nil:
		err = s.openJoined()
	case gguf.Is(head):
		s.cp, err = s.openGGUF()
	default:
		s.cp, err = torch.Open(s.reader, s.Size, o)
	}
	if err != nil {
		return s.fault(err)
	}
	s.Format, s.Root, s.Skipped, s.Warnings = s.cp.Format, s.cp.Root, s.cp.Skipped, s.cp.Warnings
	s.Tensors, s.Values = len(s.cp.Tensors), s.cp.Values
	return nil
}

// openGGUF parses the file as GGUF. Its tensors share no bytes, and have no checksums.
func (s *Source) openGGUF() (*torch.Checkpoint, error) {
	f, err := gguf.Open(s.reader, s.Size)
	if err != nil {
		return nil, err
	}
	cp := &torch.Checkpoint{Format: torch.Format(fmt.Sprintf("gguf-v%d", f.Version))}
	for i := range f.Tensors {
		info := &f.Tensors[i]
		t, err := f.Tensor(info)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			cp.Skipped = append(cp.Skipped, torch.Skipped{Path: info.Name, Unsupported: true, Tensors: 1,
				What: "a tensor of " + info.Type.String() + ", which cannot be decoded"})
		case err != nil:
			return nil, err
		default:
			cp.Tensors = append(cp.Tensors, t)
		}
	}
	return cp, nil
}

// unsupported returns an error for tensors that safetensors cannot represent.
func (s *Source) unsupported() error {
	var first *torch.Skipped
	n := 0
	for i := range s.Skipped {
		if s.Skipped[i].Unsupported {
			if n++; first == nil {
				first = &s.Skipped[i]
			}
		}
	}
	if n == 0 {
		return nil
	}
	return s.fault(&UnsupportedError{Path: first.Path, What: first.What, Form: first.Form, Count: n})
}

// An UnsupportedError says that safetensors cannot represent some tensors.
type UnsupportedError struct {
	Path, What string // of the first
	Form       torch.Form
	Count      int
}

// Error returns the first tensor and the reason in one line.
func (e *UnsupportedError) Error() string {
	text := wording.Quote(e.Path) + " is " + e.What
	if e.Count > 1 {
		text += ", the first of " + wording.Count(e.Count, "tensor") + " that safetensors cannot represent"
	}
	return text
}

// digest adds the bytes of the file to sum.
func (s *Source) digest(sum io.Writer, told func(int64)) error {
	buf := make([]byte, 1<<20)
	for off := int64(0); off < s.Size; {
		n, err := s.reader.ReadAt(buf[:min(int64(len(buf)), s.Size-off)], off)
		sum.Write(buf[:n])
		told(int64(n))
		if off += int64(n); err != nil && off < s.Size {
			return s.fault(err)
		}
	}
	return nil
}
