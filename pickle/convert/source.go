// Sources: the files that are converted, and what is in them.

package convert

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
	"github.com/weightools/safetensors/pickle/torch"
)

// A Source is one file that is converted.
type Source struct {
	Path   string // with slashes
	Size   int64  // bytes
	Report *scan.Report

	Format   torch.Format
	Root     string // the path of the value whose tensors are taken; "" for all of it
	Tensors  int    // how many are in it
	Skipped  []torch.Skipped
	Warnings []string
	Values   *torch.Values // what Conversion.Torch asks for

	// SHA256 is the digest of the file, nil if Conversion.Digests is not set, or if
	// nothing was written.
	SHA256 []byte

	reader io.ReaderAt
	file   *os.File // on this machine, or nil
	cp     *torch.Checkpoint
}

// openSource returns the source that a located file is.
func openSource(ctx context.Context, shard locatedShard) *Source {
	s := &Source{Path: shard.path, Size: shard.object.Size(), reader: shard.object.ReaderAt(ctx)}
	if r, ok := s.reader.(interface{ ReadsFile() (*os.File, int64) }); ok {
		s.file, _ = r.ReadsFile()
	}
	return s
}

// fault returns an error with the file's name.
func (s *Source) fault(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) || err == nil {
		return err
	}
	return &SourceError{s.Path, err}
}

// open takes the file apart.
func (s *Source) open(o *torch.Options) (err error) {
	s.cp, err = torch.Open(s.reader, s.Size, o)
	if err != nil {
		return s.fault(err)
	}
	s.Format, s.Root, s.Skipped, s.Warnings = s.cp.Format, s.cp.Root, s.cp.Skipped, s.cp.Warnings
	s.Tensors, s.Values = len(s.cp.Tensors), s.cp.Values
	return nil
}

// judge has all sources judged, and refuses dangerous ones.
func (p *Plan) judge() error {
	dangerous := false
	for _, s := range p.Sources {
		scanner := p.c.Scanner
		var err error
		if s.Report, err = scanner.Scan(s.reader, s.Size, s.Path); err != nil {
			return s.fault(err)
		}
		p.Verdict = max(p.Verdict, s.Report.Verdict)
		dangerous = dangerous || s.Report.Verdict == pickle.Dangerous
	}
	if !dangerous || p.c.Anyway {
		return nil
	}
	e := new(DangerousError)
	for _, s := range p.Sources {
		e.Files = append(e.Files, Judged{s.Path, s.Report})
	}
	return e
}

// unsupported refuses tensors for which the format has no form.
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

// An UnsupportedError says that tensors have no form in the format.
type UnsupportedError struct {
	Path, What string // of the first
	Form       torch.Form
	Count      int
}

// Error returns the tensor and why it has no form here, in one line.
func (e *UnsupportedError) Error() string {
	text := wording.Quote(e.Path) + " is " + e.What
	if e.Count > 1 {
		text += ", the first of " + wording.Count(e.Count, "tensor") + " that have no form in it"
	}
	return text
}

// digest reads the whole file, and returns its digest.
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
