// Archives: the zip files of version 1.6 and above.

package torch

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// mostPacked is how many bytes a pickle may have that has to be unpacked to be read.
const mostPacked = 256 << 20

// A zipFile is a zip archive and what is in it by name.
type zipFile struct {
	*zipwalk.Archive
	file  io.ReaderAt
	names map[string]*zipwalk.Member
	// Of a checkpoint:
	root  string // the folder, with a slash
	big   bool   // whether numbers are big-endian
	found map[string]*storage
	warn  func(string)
}

// openZip takes the archive apart. One whose parts contradict each other is refused: what
// is in it would depend on who reads it.
func openZip(r io.ReaderAt, size int64) (*zipFile, error) {
	const most = 1 << 20 // members: a checkpoint has one for each storage
	a, err := zipwalk.Walk(r, size, &zipwalk.Options{Head: len(npy.Magic), Members: most})
	if err != nil {
		return nil, err
	}
	if len(a.Faults) > 0 {
		fault := a.Faults[0]
		return nil, refuse("the archive is not read, as readers may differ on what is in it: %s (%s); it has %s", fault.Detail, fault.Kind,
			wording.Count(len(a.Faults)+a.Omitted, "fault"))
	}
	if a.Partial != "" {
		return nil, refuse("the archive is not read: %s", a.Partial)
	}
	z := &zipFile{Archive: a, file: r, names: make(map[string]*zipwalk.Member, len(a.Members)), found: make(map[string]*storage)}
	for i := range a.Members {
		z.names[a.Members[i].Name] = &a.Members[i]
	}
	return z, nil
}

// archive reads the file as an archive of PyTorch, or of NumPy.
func (f *file) archive() error {
	z, err := openZip(f.r, f.size)
	if err != nil {
		return err
	}
	z.root, z.warn = z.Root()+"/", f.warn
	program := z.names[z.root+"data.pkl"]
	if program == nil {
		return f.arrays(z)
	}
	f.Format = FormatZip
	if z.names[z.root+"constants.pkl"] != nil {
		f.Format = FormatScript
	}
	if err := z.byteOrder(); err != nil {
		return err
	}
	r, size, err := z.whole(program, f.opts.NoChecksum)
	if err != nil {
		return err
	}
	g, err := f.load(r, size)
	if err != nil {
		return err
	}
	if _, faults := torchfile.Storages(g); len(faults) > 0 {
		return refuse("%s: %s (%s)", program.Name, faults[0].Detail, faults[0].Rule)
	}
	f.constants(z)
	return f.collect(g.Roots()[0], z)
}

// constants reports the tensors of TorchScript that no module holds.
func (f *file) constants(z *zipFile) {
	n := 0
	for name := range z.names {
		if strings.HasPrefix(name, z.root+"constants/") {
			n++
		}
	}
	if n > 0 {
		f.Skipped = append(f.Skipped, Skipped{Path: "constants", What: fmt.Sprintf("%s that programs in TorchScript use", wording.Count(n, "tensor")), Tensors: n})
	}
}

// byteOrder reads the member that says in which order bytes are. Without it they are
// little-endian.
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
		return refuse("the byte order is %s, and can be \"little\" or \"big\"", quoted(order))
	}
	return nil
}

// content returns the bytes of a member, and whether they are there as they are.
func (z *zipFile) content(m *zipwalk.Member) (r *io.SectionReader, stored bool, err error) {
	if m.Encrypted() || m.Flags&zipwalk.FlagPatched != 0 {
		return nil, false, refuse("%s is encrypted", quoted(m.Name))
	}
	switch v := m.Views[0]; v.Method {
	case zipwalk.Stored:
		return z.Raw(v), true, nil
	case zipwalk.Deflate:
		u := &forward{name: m.Name, size: v.Size, open: func() (io.Reader, error) { return z.Open(v) }}
		return io.NewSectionReader(u, 0, v.Size), false, nil
	default:
		return nil, false, refuse("%s is packed by method %d, and 0 (stored) and 8 (deflate) are read", quoted(m.Name), v.Method)
	}
}

// whole returns a member that is a pickle, of which the checksum is right.
func (z *zipFile) whole(m *zipwalk.Member, noSum bool) (io.ReaderAt, int64, error) {
	r, stored, err := z.content(m)
	if err != nil {
		return nil, 0, err
	}
	var content io.ReaderAt = r
	if !stored {
		// A pickle is read more than once, and not from front to back.
		if r.Size() > mostPacked {
			return nil, 0, refuse("%s has %s, packed, and %d at most are unpacked", quoted(m.Name), wording.Count(r.Size(), "byte"), mostPacked)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			return nil, 0, err
		}
		content = bytes.NewReader(b.Bytes())
	}
	if c := recordOf(m, content, r.Size()); c != nil && !noSum {
		return content, r.Size(), c.check()
	}
	return content, r.Size(), nil
}

// recordOf returns the record of a member, nil if it has no checksum: some writers
// leave it 0, which is right for hardly anything but nothing.
func recordOf(m *zipwalk.Member, r io.ReaderAt, size int64) *record {
	crc := m.Views[0].CRC
	if crc == 0 || size == 0 && crc == crc32.ChecksumIEEE(nil) {
		return nil
	}
	return &record{m.Name, r, size, crc}
}

// load loads a pickle that has to be one stream and to end as it should.
func (f *file) load(r io.ReaderAt, size int64) (*pickle.Graph, error) {
	var opts pickle.Options
	if f.opts.Pickle != nil {
		opts = *f.opts.Pickle
	}
	g, err := pickle.Load(r, size, &opts)
	if err != nil {
		return nil, err
	}
	return g, f.judge(g, 1)
}

// judge keeps the report on a graph of the given number of streams, and refuses what is
// not whole.
func (f *file) judge(g *pickle.Graph, streams int) error {
	f.Report = g.Report
	switch have := g.Report.Streams; {
	case len(have) == 0:
		return notCheckpoint("there is no pickle in it")
	case !have[min(streams, len(have))-1].Stopped:
		return refuse("the pickle is not whole: %s", cutReason(g.Report))
	case len(have) < streams:
		return refuse("it is cut off: it ends with the first %d of its %d pickles; fetch it again", len(have), streams)
	case len(have) > streams:
		return refuse("%s follow each other, and %d is what there should be", wording.Count(len(have), "pickle"), streams)
	}
	return nil
}

// cutReason returns why a pickle is not whole.
func cutReason(r *pickle.Report) string {
	if r.Reason != "" {
		return r.Reason
	}
	return "it does not end with STOP"
}

// find returns the storage that the archive has under a key.
func (z *zipFile) find(id *torchfile.Storage) (*storage, error) {
	if s := z.found[id.Key]; s != nil {
		return s, nil
	}
	m := z.names[z.root+"data/"+id.Key]
	if m == nil {
		return nil, refuse("the storage %s, of %d elements, is not in the archive: %s is what it would be", quoted(id.Key), id.Elements, quoted(z.root+"data/"+id.Key))
	}
	r, stored, err := z.content(m)
	if err != nil {
		return nil, err
	}
	s := &storage{key: id.Key, class: id.Class, r: r, size: r.Size(), big: z.big, unpacked: !stored}
	if stored {
		s.r, s.base = z.file, m.Views[0].Span.Begin
	}
	s.record = recordOf(m, r, r.Size())
	if want, ok := id.Bytes(); ok && want != s.size {
		said := fmt.Sprintf("the storage %s has %s by the pickle, and %s in the archive", quoted(id.Key), wording.Count(want, "byte"), wording.Count(s.size, "byte"))
		if want > s.size {
			return nil, refuse("%s", said)
		}
		z.warn(said)
	}
	z.found[id.Key] = s
	return s, nil
}

// headOf returns the first bytes of a member as it is unpacked, up to n of them.
func (z *zipFile) headOf(m *zipwalk.Member, n int64) ([]byte, error) {
	r, _, err := z.content(m)
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(n, r.Size()))
	return b, bytesio.ReadFull(r, b, 0)
}
