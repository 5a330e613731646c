// Made files: a header, and bytes of other files, as one file that is made as it is read.

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
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

// Version returns what tells this file from others of its name: see [store.Version]. It
// stands for the header, and for what was chosen of which version of which file.
func (m *madeFile) Version() string {
	h := sha256.New()
	h.Write(m.head)
	for _, p := range m.parts {
		o, ok := p.from.(store.Object)
		if !ok || store.Version(o) == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %d %d %d\n", store.Version(o), o.Size(), p.at, p.end-p.begin)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// InOrder says whether it is best read from front to back: see [store.InOrder].
func (m *madeFile) InOrder() bool {
	for _, p := range m.parts {
		if o, ok := p.from.(store.Object); ok && store.InOrder(o) {
			return true
		}
	}
	return false
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
	for rest := r.parts[i:]; len(rest) > 0 && rest[0].begin < end; {
		near := nearby(rest, end)
		rest = rest[len(near):]
		if o, ok := near[0].from.(store.Object); ok && store.InOrder(o) {
			if err := readParts(r.ctx, near, b, off, end); err != nil {
				return n, errors.Join(err, all.Wait())
			}
			continue
		}
		all.Go(func() error { return readParts(r.ctx, near, b, off, end) })
	}
	if err := all.Wait(); err != nil {
		return n, err // of the rest nobody knows what is there
	}
	if n = int(max(end-off, 0)); n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

const (
	// mostGap is how many bytes between parts are read for nothing rather than by
	// another request, in the time of which about as many come.
	mostGap = 64 << 10
	// mostNearby is how many bytes parts that are read at once span at most. More
	// is not kept by those who fetch it.
	mostNearby = 1 << 20
)

// nearby returns the first part, and those after it that begin before end and stand close
// to it in the file they are from.
func nearby(parts []madePart, end int64) []madePart {
	n := 1
	for ; n < len(parts) && parts[n].begin < end && parts[n].from == parts[0].from; n++ {
		gap := parts[n].at - parts[n-1].until()
		if gap < 0 || gap > mostGap || parts[n].until()-parts[0].at >= mostNearby {
			break
		}
	}
	return parts[:n]
}

// until returns where the part ends in the file it is from.
func (p *madePart) until() int64 { return p.at + p.end - p.begin }

// readParts reads parts of one file, as far as they are among the bytes of the made file
// from off to end, which b is for.
func readParts(ctx context.Context, parts []madePart, b []byte, off, end int64) error {
	from := parts[0].from.ReaderAt(ctx)
	if ahead, ok := from.(store.Prefetcher); ok {
		begin := parts[0].at + max(off-parts[0].begin, 0)
		last := &parts[len(parts)-1]
		if n := last.until() - max(last.end-end, 0) - begin; n < mostNearby {
			ahead.Prefetch(begin, n)
		}
	}
	for _, p := range parts {
		begin := max(off, p.begin)
		into := b[begin-off : min(end, p.end)-off]
		if err := bytesio.ReadFull(from, into, p.at+begin-p.begin); err != nil {
			return err
		}
	}
	return nil
}
