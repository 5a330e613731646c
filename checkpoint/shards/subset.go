// Subsets: some tensors of a checkpoint, as a file that is assembled while it is read.

package shards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/store"
)

// A SubsetFile is a file of some tensors of a checkpoint. Its bytes are read from the
// checkpoint's files on demand. It is a [store.Object], so a download of it can be
// resumed. It may be used until the checkpoint is closed.
type SubsetFile struct {
	Tensors int // how many there are

	cp    *checkpoint.Checkpoint
	head  []byte // the length and the header
	parts []part
	size  int64
}

// A part is a run of bytes that lie together in the file that they are from.
type part struct {
	begin, end int64 // in the SubsetFile
	from       readable
	at         int64 // in from
}

// A readable is read on behalf of a task, as a [store.Object] is.
type readable interface {
	// ReaderAt returns a reader whose reads end when ctx is done.
	ReaderAt(ctx context.Context) io.ReaderAt
}

// An imageFile is a file of another format, as the safetensors file of its tensors.
type imageFile struct {
	from  *checkpoint.Checkpoint
	shard string
}

// ReaderAt returns a reader of the safetensors file.
func (f *imageFile) ReaderAt(ctx context.Context) io.ReaderAt {
	r, err := f.from.ReaderAt(ctx, f.shard)
	if err != nil {
		return bytesio.Failing{Err: err}
	}
	return r
}

// Subset returns the file of the tensors whose names match selects, with the metadata
// of the checkpoint's first file. It reads headers.
func Subset(ctx context.Context, from *checkpoint.Checkpoint, match func(name string) bool) (*SubsetFile, error) {
	var tensors []*safetensors.Tensor
	home := make(map[string]string) // the shard of each tensor
	for t, err := range from.Tensors(ctx) {
		if err != nil {
			return nil, err
		}
		if match(t.Name) {
			tensors = append(tensors, t.Tensor)
			home[t.Name] = t.File
		}
	}
	first, err := from.Header(ctx, from.Shards()[0])
	if err != nil {
		return nil, err
	}
	h, err := (&safetensors.Encoder{Metadata: first.Metadata}).Plan(tensors...)
	if err != nil {
		return nil, err
	}
	f := &SubsetFile{Tensors: len(tensors), cp: from}
	if f.head, err = h.AppendBinary(nil); err != nil {
		return nil, err
	}
	f.size = int64(len(f.head))
	files := make(map[string]readable)
	for i := range h.Tensors {
		shard := home[h.Tensors[i].Name]
		header, err := from.Header(ctx, shard)
		if err != nil {
			return nil, err
		}
		if files[shard] == nil {
			if files[shard], err = openShard(ctx, from, shard); err != nil {
				return nil, err
			}
		}
		span := header.FileSpan(header.Lookup(h.Tensors[i].Name))
		f.add(files[shard], span.Begin, span.Len())
	}
	return f, nil
}

// openShard returns a shard, or for a file of another format the safetensors file of its
// tensors.
func openShard(ctx context.Context, from *checkpoint.Checkpoint, shard string) (readable, error) {
	other, err := from.Opened(ctx, shard)
	if other != nil || err != nil {
		return &imageFile{from, shard}, err
	}
	return from.Object(ctx, shard)
}

// add appends the n bytes at off of from. Bytes that continue the part before are
// added to it, and read together with it.
func (f *SubsetFile) add(from readable, off, n int64) {
	if last := len(f.parts) - 1; last >= 0 && f.parts[last].from == from && f.parts[last].until() == off {
		f.parts[last].end += n
	} else if n > 0 {
		f.parts = append(f.parts, part{f.size, f.size + n, from, off})
	}
	f.size += n
}

// Samples returns the span of the header, and of the first bytes of up to n parts of the
// file, at most size of each: enough to tell it from another of its size.
func (f *SubsetFile) Samples(n int, size int64) []safetensors.Span {
	spans := []safetensors.Span{{End: int64(len(f.head))}}
	n = min(n, len(f.parts))
	for i := range n {
		p := &f.parts[i*len(f.parts)/n]
		spans = append(spans, safetensors.Span{Begin: p.begin, End: min(p.end, p.begin+size)})
	}
	return spans
}

// Size returns the size of the file in bytes.
func (f *SubsetFile) Size() int64 { return f.size }

// Close does nothing: the checkpoint closes its own files.
func (f *SubsetFile) Close() error { return nil }

// ReaderAt returns a reader of the file, whose reads end once ctx is done.
func (f *SubsetFile) ReaderAt(ctx context.Context) io.ReaderAt { return &subsetReader{f, ctx} }

// Unchanged implements [store.Unchanged].
func (f *SubsetFile) Unchanged() error { return f.cp.Unchanged() }

// Version returns a string that identifies the header, the ranges of bytes and the
// versions of the files that they come from; "" if one of these has no version.
func (f *SubsetFile) Version() string {
	h := sha256.New()
	h.Write(f.head)
	for i := range f.parts {
		p := &f.parts[i]
		o, ok := p.from.(store.Object)
		if !ok || store.Version(o) == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %d %d %d\n", store.Version(o), o.Size(), p.at, p.end-p.begin)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// InOrder reports whether the file is best read from front to back, since a server of
// one of its parts knows no ranges.
func (f *SubsetFile) InOrder() bool {
	return slices.ContainsFunc(f.parts, func(p part) bool {
		o, ok := p.from.(store.Object)
		return ok && store.InOrder(o)
	})
}

// until returns where the part ends in the file that it is from.
func (p *part) until() int64 { return p.at + p.end - p.begin }

// A subsetReader reads a SubsetFile on behalf of one task.
type subsetReader struct {
	*SubsetFile
	ctx context.Context
}

// ReadAt reads the parts in which the bytes lie, several of them at once: over a
// network, several requests take as long as one.
func (r *subsetReader) ReadAt(b []byte, off int64) (n int, err error) {
	b, eof := bytesio.Clip(b, off, r.size)
	if len(b) == 0 {
		return 0, eof
	}
	if off < int64(len(r.head)) {
		n = copy(b, r.head[off:])
	}
	at := off + int64(n)
	i := sort.Search(len(r.parts), func(i int) bool { return r.parts[i].end > at })
	if err := r.readAll(r.parts[i:], b, off, off+int64(len(b))); err != nil {
		return n, err // it is unknown which of the rest was read
	}
	return len(b), eof
}

// CopyRange implements [store.Copy]. Long parts are copied as they arrive, and several short ones
// are read together.
func (f *SubsetFile) CopyRange(ctx context.Context, w io.WriterAt, off, n int64) error {
	const mostRead = 8 << 20 // bytes in memory
	for end := off + n; off < end; {
		i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].end > off })
		if i < len(f.parts) && f.parts[i].begin <= off && f.parts[i].isLong() {
			p := &f.parts[i]
			until := min(end, p.end)
			if err := store.Copy(ctx, p.from.(store.Object), io.NewOffsetWriter(w, p.begin-p.at), p.at+off-p.begin,
				until-off); err != nil {
				return err
			}
			off = until
			continue
		}
		until := max(off, min(end, int64(len(f.head))))
		for ; i < len(f.parts) && !f.parts[i].isLong() && until < min(end, off+mostRead); i++ {
			until = f.parts[i].end
		}
		b := make([]byte, min(until, end, off+mostRead)-off)
		if err := bytesio.ReadFull(f.ReaderAt(ctx), b, off); err != nil {
			return err
		}
		if _, err := w.WriteAt(b, off); err != nil {
			return err
		}
		off += int64(len(b))
	}
	return nil
}

// isLong reports whether the part is long enough for a separate request.
func (p *part) isLong() bool {
	o, ok := p.from.(store.Object)
	return ok && p.end-p.begin >= mostNearby && !store.InOrder(o)
}

// readAll reads the bytes from off to end, to be found in parts, into b.
func (r *subsetReader) readAll(parts []part, b []byte, off, end int64) error {
	atOnce := 16
	if r.InOrder() {
		atOnce = 1
	}
	var groups [][]part
	for len(parts) > 0 && parts[0].begin < end {
		near := nearby(parts, end)
		groups, parts = append(groups, near), parts[len(near):]
	}
	read := func(ctx context.Context, i int) error { return readParts(ctx, groups[i], b, off, end) }
	for _, err := range bytesio.Ahead(r.ctx, atOnce, len(groups), read) {
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	// mostGap is how many bytes between parts are read in vain rather than by another
	// request, which takes about as long.
	mostGap = 64 << 10
	// mostNearby is how many bytes parts that are read at once span at most. Stores do
	// not keep more.
	mostNearby = 1 << 20
)

// nearby returns the first part, and those after it that begin before end and are close
// to it in the file that they are from.
func nearby(parts []part, end int64) []part {
	n := 1
	for ; n < len(parts) && parts[n].begin < end && parts[n].from == parts[0].from; n++ {
		gap := parts[n].at - parts[n-1].until()
		if gap < 0 || gap > mostGap || parts[n].until()-parts[0].at >= mostNearby {
			break
		}
	}
	return parts[:n]
}

// readParts reads the bytes from off to end that are in the given parts, all of one file,
// into b.
func readParts(ctx context.Context, parts []part, b []byte, off, end int64) error {
	from := parts[0].from.ReaderAt(ctx)
	if ahead, ok := from.(store.Prefetcher); ok {
		begin := parts[0].at + max(off-parts[0].begin, 0)
		last := &parts[len(parts)-1]
		if n := last.until() - max(last.end-end, 0) - begin; n < mostNearby {
			ahead.Prefetch(begin, n)
		}
	}
	for i := range parts {
		p := &parts[i]
		begin := max(off, p.begin)
		into := b[begin-off : min(end, p.end)-off]
		if err := bytesio.ReadFull(from, into, p.at+begin-p.begin); err != nil {
			return err
		}
	}
	return nil
}
