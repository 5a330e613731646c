// Zip archives, which PyTorch writes since version 1.6.

package torch

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/torch/internal/script"
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

// archive reads the file as a PyTorch or NumPy archive.
func (f *file) archive() error {
	z, err := openZip(f.r, f.size)
	if err != nil {
		return f.orShard(err)
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
	r, size, err := z.whole(program, f.opts)
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
	if f.Format != FormatScript {
		return f.collect(g.Roots()[0], z)
	}
	s := script.New(z.code)
	f.class = s.Class
	if err := f.collect(g.Roots()[0], z); s.Err == nil {
		return err
	}
	return s.Err
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

// orShard returns err, or a better error for a shard of a distributed checkpoint: several archives in a row.
func (f *file) orShard(err error) error {
	const most = 1 << 20 // archives
	row, failed := zipwalk.Row(f.r, f.size, most)
	if len(row) == 0 || failed != nil {
		return cmp.Or(failed, err)
	}
	return &FormatError{
		Detail: fmt.Sprintf("the file is a shard of a distributed checkpoint: %s in a row, whose names are in "+
			"the file .metadata", wording.Count(len(row), "archive")),
		unsupported: true,
		fix: "Merge the checkpoint in Python: " +
			"`python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER NEW.pt`.",
	}
}

// constants reports the constant tensors of TorchScript programs.
func (f *file) constants(z *zipFile) {
	n := 0
	for name := range z.names {
		if strings.HasPrefix(name, z.root+"constants/") {
			n++
		}
	}
	if n > 0 {
		what := fmt.Sprintf("%s used by TorchScript programs", wording.Count(n, "tensor"))
		f.Skipped = append(f.Skipped, Skipped{Path: "constants", What: what, Tensors: n})
	}
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
		return content, r.Size(), c.check()
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

// load loads a pickle of one complete stream.
func (f *file) load(r io.ReaderAt, size int64) (*pickle.Graph, error) {
	g, err := pickle.Load(r, size, f.opts.Pickle)
	if err != nil {
		return nil, err
	}
	return g, f.judge(g, 1)
}

// judge keeps the report on a graph with the expected number of streams. It returns an error if the graph is
// incomplete.
func (f *file) judge(g *pickle.Graph, streams int) error {
	f.Report = g.Report
	switch have := g.Report.Streams; {
	case len(have) == 0:
		return notCheckpoint("the file contains no pickle")
	case !have[min(streams, len(have))-1].Stopped:
		fail := refuse
		if overBudget(g.Report) {
			fail = exceeds
		}
		return fail("the pickle is incomplete: %s", cutReason(g.Report))
	case len(have) < streams:
		return refuse("the file is truncated: it contains only %d of %d pickles; download it again", len(have), streams)
	case len(have) > streams:
		return refuse("the file contains %s instead of %d", wording.Count(len(have), "pickle"), streams)
	}
	return nil
}

// overBudget reports whether the analysis of a pickle exceeded a limit.
func overBudget(r *pickle.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == pickle.RuleBudget })
}

// cutReason returns why a pickle is incomplete.
func cutReason(r *pickle.Report) string {
	if r.Reason != "" {
		return r.Reason
	}
	return "it does not end with STOP"
}

// find returns the storage with a key.
func (z *zipFile) find(id *torchfile.Storage) (*storage, error) {
	if s := z.found[id.Key]; s != nil {
		return s, nil
	}
	m := z.names[z.root+"data/"+id.Key]
	if m == nil {
		return nil, refuse("storage %s of %d elements is missing: there is no %s",
			quoted(id.Key), id.Elements, quoted(z.root+"data/"+id.Key))
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
		said := fmt.Sprintf("storage %s has %s in the pickle, but %s in the archive",
			quoted(id.Key), wording.Count(want, "byte"), wording.Count(s.size, "byte"))
		if want > s.size {
			return nil, refuse("%s", said)
		}
		z.warn(said)
	}
	z.found[id.Key] = s
	return s, nil
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
