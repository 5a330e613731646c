// The members of a zip archive.

package torch

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// A zipFile is a zip archive with its members by name.
type zipFile struct {
	*zipwalk.Archive
	file  io.ReaderAt
	names map[string]*zipwalk.Member
	// For a checkpoint:
	root  string // the folder, with a slash
	big   bool   // the data is big-endian
	found map[string]*storage
	warn  func(string)
}

// openZip parses the archive. It rejects archives with contradictions, because their contents depend on the reader.
func openZip(r io.ReaderAt, size int64) (*zipFile, error) {
	const most = 1 << 20 // members; a checkpoint has one for each storage
	a, err := zipwalk.Walk(r, size, &zipwalk.Options{Head: len(npy.Magic), Members: most})
	if err != nil {
		return nil, err
	}
	if a.Cut {
		return nil, refuse("the archive is truncated: it has no end record; %s", again)
	}
	if len(a.Faults) > 0 {
		fault := a.Faults[0]
		return nil, refuse("the archive is ambiguous: %s (%s; %s in total)", fault.Detail, fault.Kind,
			wording.Count(len(a.Faults)+a.Omitted, "fault"))
	}
	if a.Partial != "" {
		return nil, refuse("the archive cannot be read: %s", a.Partial)
	}
	z := &zipFile{Archive: a, file: r, found: make(map[string]*storage)}
	z.names = make(map[string]*zipwalk.Member, len(a.Members))
	for i := range a.Members {
		z.names[a.Members[i].Name] = &a.Members[i]
	}
	return z, nil
}

// code returns the TorchScript program with a name, nil if there is none.
func (z *zipFile) code(name string) (*io.SectionReader, error) {
	m := z.names[z.root+"code/"+name]
	if m == nil {
		return nil, nil
	}
	r, _, err := z.content(m)
	return r, err
}

// byteOrder reads the member with the byte order. The default is little-endian.
func (z *zipFile) byteOrder() error {
	m := z.names[z.root+"byteorder"]
	if m == nil {
		return nil
	}
	const longest = 16 // bytes; "little" has 6
	b := make([]byte, longest)
	r, _, err := z.content(m)
	if err != nil {
		return err
	}
	n, err := r.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return err
	}
	switch order := string(b[:n]); order {
	case "little":
	case "big":
		z.big = true
	default:
		return refuse("invalid byte order %s: expected \"little\" or \"big\"", quoted(order))
	}
	return nil
}

// content returns the contents of a member, and whether they are stored uncompressed.
func (z *zipFile) content(m *zipwalk.Member) (r *io.SectionReader, stored bool, err error) {
	if m.Encrypted() || m.Flags&zipwalk.FlagPatched != 0 {
		return nil, false, refuse("%s is encrypted", quoted(m.Name))
	}
	switch v := m.Views[0]; v.Method {
	case zipwalk.Stored:
		return z.Raw(v), true, nil
	case zipwalk.Deflate:
		u := sequential(m.Name, v.Size, func() (io.Reader, error) { return z.Open(v) })
		return io.NewSectionReader(u, 0, v.Size), false, nil
	default:
		return nil, false, refuse("%s has compression method %d; only 0 (stored) and 8 (deflate) are supported",
			quoted(m.Name), v.Method)
	}
}

// whole returns a member that is a pickle, after verifying its checksum.
func (z *zipFile) whole(m *zipwalk.Member, o *Options) (io.ReaderAt, int64, error) {
	r, stored, err := z.content(m)
	if err != nil {
		return nil, 0, err
	}
	var content io.ReaderAt = r
	if !stored {
		// A pickle is read several times, and not sequentially.
		const ratio = 1032 // the highest of deflate
		switch packed := m.Views[0].Span.Len(); {
		case r.Size() > o.Pickle.MaxMemory:
			return nil, 0, exceeds("%s is compressed and has %s; the limit is %d",
				quoted(m.Name), wording.Count(r.Size(), "byte"), o.Pickle.MaxMemory)
		case r.Size()/ratio > packed:
			return nil, 0, refuse("%s cannot have %s: it is compressed to %d",
				quoted(m.Name), wording.Count(r.Size(), "byte"), packed)
		}
		b := make([]byte, r.Size())
		if err := bytesio.ReadFull(r, b, 0); err != nil {
			return nil, 0, err
		}
		content = bytes.NewReader(b)
	}
	if c := recordOf(m, content, r.Size()); c != nil && !o.NoChecksum {
		return content, r.Size(), c.check(nil)
	}
	return content, r.Size(), nil
}

// recordOf returns the record of a member, or nil if it has no checksum. Some writers store 0 for any content.
func recordOf(m *zipwalk.Member, r io.ReaderAt, size int64) *record {
	crc := m.Views[0].CRC
	if crc == 0 || size == 0 && crc == crc32.ChecksumIEEE(nil) {
		return nil
	}
	return &record{m.Name, r, size, crc}
}

// headOf returns up to n bytes from the start of the uncompressed contents of a member.
func (z *zipFile) headOf(m *zipwalk.Member, n int64) ([]byte, error) {
	r, _, err := z.content(m)
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(n, r.Size()))
	return b, bytesio.ReadFull(r, b, 0)
}
