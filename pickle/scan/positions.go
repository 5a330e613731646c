// Positions in the data of archives: sparse and nested tensors, and the matrices of SciPy.

package scan

import (
	"errors"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/codec"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/matrix"
	"github.com/weightools/safetensors/pickle/scan/internal/unpack"
)

// A placedTensor is a tensor with positions in the storages of a folder.
type placedTensor struct {
	torchfile.Placed
	folder string
}

// An openPart opens the data of a member.
type openPart func() (io.ReaderAt, int64, error)

// place records the sparse and nested tensors of a pickle, whose storages are in a folder.
func (b *box) place(g *pickle.Graph, folder string) {
	for _, t := range torchfile.PlacedTensors(g) {
		b.held += 300
		b.placed = append(b.placed, placedTensor{t, folder})
		for _, key := range t.Keys {
			b.opened[folder+strings.ToLower(key)] = nil
		}
	}
}

// keep remembers how to read a storage, if a tensor has positions in it.
func (b *box) keep(storage string, v zipwalk.View) {
	if _, wanted := b.opened[storage]; wanted {
		b.opened[storage] = b.reader(v)
	}
}

// keepArray remembers how to read an array, if it may be a part of a matrix.
func (b *box) keepArray(m *zipwalk.Member, v zipwalk.View) {
	if b.kind == "npz" && matrix.IsPart(m.Name) {
		b.opened[m.Name] = b.reader(v)
	}
}

// reader returns a function that opens the data of a member. Compressed data is decompressed each time, so that little
// of it is in memory.
func (b *box) reader(v zipwalk.View) openPart {
	return func() (io.ReaderAt, int64, error) {
		if v.Method == zipwalk.Stored {
			return io.NewSectionReader(b.file, v.Span.Begin, v.Span.Len()), v.Span.Len(), nil
		}
		c, ok := codec.Method(v.Method, v.Size)
		if !ok {
			return nil, 0, nil
		}
		u, err := b.unpack(c, func() io.Reader { return b.Raw(v) })
		if err != nil {
			return nil, 0, err
		}
		return u, u.Size, nil
	}
}

// open opens the data of a name; it returns nil if there is none.
func (b *box) open(name string) (io.ReaderAt, int64, error) {
	if f := b.opened[name]; f != nil {
		return f()
	}
	return nil, 0, nil
}

// positions checks the tensors and the matrix of an archive.
func (b *box) positions() error {
	for i := range b.placed {
		t := &b.placed[i]
		err := b.verify(&t.Placed, b.bigEndian, func(key string) (io.ReaderAt, error) {
			r, _, err := b.open(t.folder + strings.ToLower(key))
			return r, err
		})
		if err != nil {
			return err
		}
	}
	if b.kind != "npz" || len(b.opened) == 0 {
		return nil
	}
	fault, over, err := matrix.Fault(b.open, b.Spend)
	if fault != "" {
		b.leads(pickle.Error, 0, "the archive is a sparse matrix that leads outside of its values: "+fault)
	}
	if over {
		b.OverWork(0)
	}
	return b.unread(0, err)
}

// streamed checks the tensors of a checkpoint from before version 1.6.
func (p *part) streamed(s *torchfile.Stream) error {
	for _, t := range torchfile.PlacedTensors(s.Graph) {
		err := p.verify(&t, false, func(key string) (io.ReaderAt, error) {
			for i := range s.Blocks {
				if b := &s.Blocks[i]; b.Key == key {
					return io.NewSectionReader(p.file, b.Begin, b.Size), nil
				}
			}
			return nil, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// verify checks a tensor with positions in storages.
func (p *part) verify(t *torchfile.Placed, big bool, open torchfile.Opener) error {
	if !p.Spend(t.Cost()) {
		p.OverWork(t.Offset)
		return nil
	}
	fault, err := t.Fault(open, big)
	switch {
	case fault != "" && t.Unclear:
		p.leads(pickle.Warning, t.Offset, fault)
	case fault != "":
		p.leads(pickle.Error, t.Offset, fault)
	}
	return p.unread(t.Offset, err)
}

// leads reports positions outside of the data.
func (p *part) leads(severity pickle.Severity, off int64, fault string) {
	p.Add(pickle.Finding{Rule: pickle.RuleMemory, Severity: severity, Offset: off, Message: fault})
}

// unread reports positions that are missing, or returns an error of reading.
func (p *part) unread(off int64, err error) error {
	switch {
	case errors.Is(err, unpack.ErrLimit):
		p.overBudget(off, "the positions of values were not verified: %v", err)
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		p.Unscanned(off, "the positions of values are truncated")
		return nil
	}
	return err
}
