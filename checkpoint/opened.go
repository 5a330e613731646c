// Files of other formats: matched by content, opened once, and shown as a header.

package checkpoint

import (
	"context"
	"errors"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/store"
)

// headSize is how many bytes of a file a Format gets to see to match it.
const headSize = 512

// opened is an open file of another format.
type opened struct {
	Tensors
	Description
	list   []*safetensors.Tensor
	header *safetensors.Header // what a safetensors file of these tensors would have
	byName map[string]int      // indices of list
	end    context.CancelCauseFunc
}

// matching returns the formats that an object may be of, by its content.
func (o *Options) matching(ctx context.Context, name string, object store.Object) ([]*Format, error) {
	if len(o.Formats) == 0 || strings.HasSuffix(name, naming.WeightsSuffix) {
		return nil, nil
	}
	head := make([]byte, min(object.Size(), headSize))
	if err := bytesio.ReadFull(object.ReaderAt(ctx), head, 0); err != nil {
		return nil, err
	}
	var list []*Format
	for i := range o.Formats {
		if o.Formats[i].Match(head, name) {
			list = append(list, &o.Formats[i])
		}
	}
	return list, nil
}

// openOther opens an object as a file of another format. It returns nil if no format
// knows it. A *safetensors.Violation among the errors says that the file is at fault.
func (o *Options) openOther(ctx context.Context, name string, object store.Object) (*opened, error) {
	formats, err := o.matching(ctx, name, object)
	if err != nil {
		return nil, err
	}
	for _, f := range formats {
		one, err := f.open(ctx, object)
		if err == nil || !errors.Is(err, ErrNotFormat) {
			return one, err
		}
	}
	return nil, nil
}

// open opens an object. What the format reads later, it reads with a context that ends
// when the file is closed, and not with the one that ends with this call.
func (f *Format) open(ctx context.Context, object store.Object) (*opened, error) {
	own, end := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	one := &opened{end: end}
	tensors, err := f.Open(own, object)
	if err == nil {
		one.Tensors = tensors
		err = one.read(f)
	}
	if !release() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		one.close()
		return nil, err
	}
	return one, nil
}

// read lists the tensors and makes the header.
func (o *opened) read(f *Format) error {
	for t, err := range o.All() {
		if err != nil {
			return err
		}
		o.list = append(o.list, t)
	}
	if d, ok := o.Tensors.(Describer); ok {
		o.Description = d.Describe()
	}
	if o.Variant == "" {
		o.Variant = f.Name
	}
	e := safetensors.Encoder{Metadata: o.Metadata, KeepOrder: true}
	h, err := e.Plan(o.list...)
	if err != nil {
		return finding.New(RuleFormatDamaged, "", safetensors.Span{}, "the tensors of the %s file cannot be listed: %v", f.Name, err)
	}
	o.header = h
	o.byName = make(map[string]int, len(o.list))
	for i, t := range o.list {
		o.byName[t.Name] = i
	}
	return nil
}

// openOther opens the shard as a file of another format, unless it is open as such. It
// returns false if no format knows it. The caller has the turn, and has opened the object.
func (s *shard) openOther(ctx context.Context) (bool, error) {
	if s.other != nil {
		return true, nil
	}
	one, err := s.opts.openOther(ctx, s.path, s.object)
	s.other = one
	return one != nil, err
}

// judgeOther returns the report on a file of another format, which openOther opened or
// failed to open.
func (s *shard) judgeOther(err error) (*safetensors.Report, error) {
	k := &knowledge{size: s.object.Size(), report: new(safetensors.Report)}
	var v *safetensors.Violation
	switch {
	case err == nil:
		k.header, k.format, k.notes = s.other.header, s.other.Variant, s.other.Notes
	case errors.As(err, &v):
		k.blind, k.report.Violations, k.fault = true, []*safetensors.Violation{v}, atPath("open", s.path, err)
	default:
		return nil, atPath("read", s.path, err)
	}
	k.report.Header = k.header
	s.known = k
	return k.report, nil
}

// close closes the file, except its object.
func (o *opened) close() error {
	var err error
	if o.Tensors != nil {
		err = o.Tensors.Close()
	}
	o.end(os.ErrClosed)
	return err
}

// image returns the bytes of the safetensors file that the header describes, read on
// behalf of ctx.
func (o *opened) image(ctx context.Context) io.ReaderAt { return &image{o, ctx} }

// An image is a safetensors file that exists only while it is read.
type image struct {
	*opened
	ctx context.Context
}

// ReadAt reads the header, which is made for each read that begins in it, and tensors.
func (m *image) ReadAt(b []byte, off int64) (n int, err error) {
	start := m.header.DataStart()
	if off < 0 {
		return 0, errors.New("checkpoint: read at a negative offset")
	}
	if off < start {
		head, err := m.header.AppendBinary(nil)
		if err != nil {
			return 0, err
		}
		n = copy(b, head[off:])
	}
	entries := m.header.Tensors
	at := off + int64(n) - start
	for i := sort.Search(len(entries), func(i int) bool { return entries[i].Offsets.End > at }); n < len(b) && i < len(entries); i++ {
		span := entries[i].Offsets
		part := b[n:min(int64(len(b)), int64(n)+span.End-at)]
		if err := bytesio.ReadFull(bind(m.ctx, m.list[i].ReaderAt), part, at-span.Begin); err != nil {
			return n, err
		}
		n, at = n+len(part), span.End
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// bind returns a reader of the same bytes whose reads end once ctx is done.
func bind(ctx context.Context, r io.ReaderAt) io.ReaderAt {
	if section, ok := r.(*io.SectionReader); ok {
		outer, off, n := section.Outer()
		return io.NewSectionReader(&bound{ctx, outer}, off, n)
	}
	return &bound{ctx, r}
}

// A bound reader is read on behalf of one task.
type bound struct {
	ctx context.Context
	io.ReaderAt
}

func (b *bound) ReadAt(p []byte, off int64) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.ReaderAt.ReadAt(p, off)
}

// ReadsFile returns the file that is read, if there is one, so that the system can copy
// from it.
func (b *bound) ReadsFile() (*os.File, int64) {
	if placed, ok := b.ReaderAt.(interface{ ReadsFile() (*os.File, int64) }); ok {
		return placed.ReadsFile()
	}
	return nil, 0
}
