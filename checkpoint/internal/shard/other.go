// Files of other formats: matched by content, opened once, and shown as a header.

package shard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// headSize is how many bytes of a file a Format gets to match it.
const headSize = 512

// A Format opens files that are not safetensors files.
type Format struct {
	Name  string
	Match func(head []byte, name string) bool

	// Open opens a file. The object, those beside it, and ctx stay valid until the content is closed.
	Open func(ctx context.Context, name string, object store.Object, beside Beside) (*Content, error)

	// Judge judges a file by the rules of the format. It may be nil.
	Judge func(ctx context.Context, name string, object store.Object, beside Beside, headersOnly bool) (
		*safetensors.Report, error)

	// Heads returns the base names of the files that may be the head of the model that a file belongs to, by its base
	// name: it is nil for formats whose files are read by themselves.
	Heads func(base string) []string

	// Parts judges the parts of a model. It may be nil.
	Parts func(parts []Part) []*safetensors.Violation
}

// A Part is a file of a model, with the header that tells how it stores its tensors.
type Part struct {
	Path   string
	Header *safetensors.Header
}

// PartsOf returns the paths of all parts of the model of which an object is one; nil if its format has no parts, or its
// name no number. There are at most so many.
func (o *Options) PartsOf(ctx context.Context, name string, object store.Object, most int) []string {
	numbering, number, ok := naming.Numbered(name)
	if !ok || number.N < 1 || number.N > numbering.Total || numbering.Total > most {
		return nil
	}
	formats, err := o.Matching(ctx, name, object)
	if err != nil || len(formats) == 0 || formats[0].Parts == nil {
		return nil
	}
	list := make([]string, numbering.Total)
	for i := range list {
		list[i] = numbering.Path(naming.Number{N: i + 1, Width: number.Width})
	}
	return list
}

// JudgeParts judges the files of a set together, as their format does.
func JudgeParts(shards []*Shard, known func(i int) *Knowledge) *safetensors.Report {
	report := new(safetensors.Report)
	var parts []Part
	var f *Format
	for i, s := range shards {
		if k := known(i); k != nil && k.Stored != nil {
			parts, f = append(parts, Part{s.Path, k.Stored}), k.as
		}
	}
	if f != nil && f.Parts != nil {
		report.Violations = f.Parts(parts)
	}
	return report
}

// ErrNotFormat says that a file which matched a format is not of that format.
var ErrNotFormat = errors.New("the file is not of this format")

// Content is what a format reads from a file.
type Content struct {
	List      []*safetensors.Tensor
	Variant   string            // of the format, for reports
	Metadata  map[string]string // of the header
	Notes     []string
	Dangerous string              // why loading the file is dangerous, or ""
	Stored    *safetensors.Header // the tensors as the file stores them; nil if as in List
	Value     any                 // what the format made of the file
	Close     func() error
}

// Opened is an open file of another format.
type Opened struct {
	*Content
	format *Format
	header *safetensors.Header // what a safetensors file of these tensors would have
	byName map[string]int      // indices of List
	end    context.CancelCauseFunc
}

// Matching returns the formats that an object may be of, by its content.
func (o *Options) Matching(ctx context.Context, name string, object store.Object) ([]*Format, error) {
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

// openOther opens an object as a file of another format, which it returns also if the file is at fault: then the error
// wraps a *safetensors.Violation. It returns nil if the object is of none of the formats.
func (o *Options) openOther(ctx context.Context, name string, object store.Object, beside Beside) (*Opened, *Format,
	error) {
	formats, err := o.Matching(ctx, name, object)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range formats {
		one, err := f.open(ctx, name, object, beside)
		if err == nil || !errors.Is(err, ErrNotFormat) {
			return one, f, err
		}
	}
	return nil, nil, nil
}

// open opens an object. What the format reads later, it reads with a context that ends when
// the file is closed, not with the one that ends with this call.
func (f *Format) open(ctx context.Context, name string, object store.Object, beside Beside) (*Opened, error) {
	own, end := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	one := &Opened{format: f, end: end}
	var err error
	if one.Content, err = f.Open(own, name, object, beside); err == nil {
		err = one.list(f)
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

// list makes the header.
func (o *Opened) list(f *Format) error {
	e := safetensors.Encoder{Metadata: o.Metadata, KeepOrder: true}
	h, err := e.Plan(o.List...)
	if err != nil {
		return finding.New(finding.FormatDamaged, "", safetensors.Span{},
			"the tensors of the %s file cannot be listed: %v", f.Name, err)
	}
	o.header = h
	o.byName = make(map[string]int, len(o.List))
	for i, t := range o.List {
		o.byName[t.Name] = i
	}
	return nil
}

// close closes the file, except its object.
func (o *Opened) close() error {
	var err error
	if o.Content != nil {
		err = o.Close()
	}
	o.end(os.ErrClosed)
	return err
}

// openOther opens the shard as a file of another format, unless it is open as such. It
// returns nil if it is of none of the formats. The caller has the turn, and has opened
// the object.
func (s *Shard) openOther(ctx context.Context) (*Format, error) {
	if s.other != nil {
		return s.other.format, nil
	}
	one, format, err := s.opts.openOther(ctx, s.Path, s.object, s.beside)
	s.other = one
	return format, err
}

// judgeOther returns the report on a file of another format, which openOther opened or
// failed to open.
func (s *Shard) judgeOther(ctx context.Context, f *Format, err error) (*safetensors.Report, error) {
	k := &Knowledge{Size: s.object.Size(), Report: new(safetensors.Report)}
	var v *safetensors.Violation
	if err != nil && !errors.As(err, &v) {
		return nil, AtPath("read", s.Path, err)
	}
	if f != nil && f.Judge != nil {
		report, err := f.Judge(ctx, s.Path, s.object, s.beside, s.opts.HeadersOnly)
		if err != nil {
			return nil, AtPath("read", s.Path, err)
		}
		k.Report = report
	}
	if err != nil {
		all := violationsIn(err)
		if n := len(all) - 1; n > 0 {
			err = fmt.Errorf("%w, and %s more", all[0], wording.Count(n, "fault"))
		}
		k.Blind, k.Fault = true, AtPath("open", s.Path, err)
		if len(k.Report.Violations) == 0 {
			k.Report.Violations = all
		}
	} else {
		k.Header, k.Format, k.Notes, k.Stored = s.other.header, s.other.Variant, s.other.Notes, s.other.Stored
		k.as = f
		if why := s.other.Dangerous; why != "" {
			k.Report.Violations = append(k.Report.Violations, finding.New(finding.FormatDangerous, "", safetensors.Span{},
				"the file is dangerous to load: %s", why))
		}
	}
	k.Report.Header = k.Header
	s.known = k
	return k.Report, nil
}
