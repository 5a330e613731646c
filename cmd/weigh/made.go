// Made files: a header, and bytes of other files, as one file that is made as it is read.

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

// A madeFile is an object of a store like any other to who reads it: verbs that look at
// tensors need not know that there is no such file, and one that is fetched is resumed as
// whole files are.
type madeFile struct {
	head  []byte // the length and the header
	parts []madePart
	size  int64
}

// A madePart is a run of bytes that lie together in the file they are from.
type madePart struct {
	begin, end int64 // in the made file
	from       bound
	at         int64 // in from
}

// A bound is what can be read on behalf of a task, as a store.Object can.
type bound interface {
	ReaderAt(context.Context) io.ReaderAt
}

// newMade returns the file that e makes of tensors, whose bytes have yet to be added, and
// the header, in the order in which they have to be.
func newMade(e *safetensors.Encoder, tensors []*safetensors.Tensor) (*madeFile, *safetensors.Header, error) {
	h, err := e.Plan(tensors...)
	if err != nil {
		return nil, nil, err
	}
	m := new(madeFile)
	if m.head, err = h.AppendBinary(nil); err != nil {
		return nil, nil, err
	}
	m.size = int64(len(m.head))
	return m, h, nil
}

// add appends the n bytes at off of from. What continues the part before becomes one with
// it, and is read at once.
func (m *madeFile) add(from bound, off, n int64) {
	if last := len(m.parts) - 1; last >= 0 && m.parts[last].from == from && m.parts[last].at+m.parts[last].end-m.parts[last].begin == off {
		m.parts[last].end += n
	} else if n > 0 {
		m.parts = append(m.parts, madePart{m.size, m.size + n, from, off})
	}
	m.size += n
}

func (m *madeFile) Size() int64  { return m.size }
func (m *madeFile) Close() error { return nil }

func (m *madeFile) ReaderAt(ctx context.Context) io.ReaderAt { return &madeReader{m, ctx} }

// Version returns what tells this file from others of its name: see [remote.Version]. It
// stands for the header, and for what was chosen of which version of which file.
func (m *madeFile) Version() string {
	h := sha256.New()
	h.Write(m.head)
	for _, p := range m.parts {
		o, ok := p.from.(store.Object)
		if !ok || remote.Version(o) == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %d %d %d\n", remote.Version(o), o.Size(), p.at, p.end-p.begin)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// InOrder says whether it is best read from front to back: see [remote.InOrder].
func (m *madeFile) InOrder() bool {
	for _, p := range m.parts {
		if o, ok := p.from.(store.Object); ok && remote.InOrder(o) {
			return true
		}
	}
	return false
}

// begins says whether a file begins with the header.
func (m *madeFile) begins(f io.ReaderAt) bool {
	head := make([]byte, len(m.head))
	n, _ := f.ReadAt(head, 0)
	return n == len(head) && bytes.Equal(head, m.head)
}

// A madeReader reads a made file on behalf of one task.
type madeReader struct {
	*madeFile
	ctx context.Context
}

// ReadAt reads the parts in which the bytes lie, some of them at once: over a network one
// takes as long as several do.
func (r *madeReader) ReadAt(b []byte, off int64) (n int, err error) {
	const sideBySide = 16
	if off < 0 {
		return 0, errors.New("a read at a negative offset")
	}
	end := min(off+int64(len(b)), r.size)
	if off < int64(len(r.head)) {
		n = copy(b, r.head[off:])
	}
	at := off + int64(n)
	i := sort.Search(len(r.parts), func(i int) bool { return r.parts[i].end > at })
	var all errgroup.Group
	all.SetLimit(sideBySide)
	if r.InOrder() {
		all.SetLimit(1)
	}
	for ; i < len(r.parts) && r.parts[i].begin < end; i++ {
		p := &r.parts[i]
		begin := max(at, p.begin)
		into := b[begin-off : min(end, p.end)-off]
		all.Go(func() error { return p.read(r.ctx, into, begin) })
	}
	if err := all.Wait(); err != nil {
		return n, err // of the rest nobody knows what is there
	}
	if n = int(max(end-off, 0)); n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// read fills b with the bytes of the made file at off, which are the part's.
func (p *madePart) read(ctx context.Context, b []byte, off int64) error {
	from := p.from.ReaderAt(ctx)
	off += p.at - p.begin
	// Of what lies around it nothing is wanted, so no more than these bytes is to come.
	if ahead, ok := from.(store.Prefetcher); ok && len(b) < 1<<20 {
		ahead.Prefetch(off, int64(len(b)))
	}
	n, err := from.ReadAt(b, off)
	if n < len(b) && (err == nil || err == io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if n == len(b) {
		return nil
	}
	return err
}
