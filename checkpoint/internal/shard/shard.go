// A shard is opened once, and its header is read once, by the first task that needs it.

// Package shard reads one file of a checkpoint: a safetensors file, or a file of another
// format.
package shard

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/store"
)

// Options say how shards are read. They must not be changed.
type Options struct {
	Opener  safetensors.Opener
	Formats []Format

	HeadersOnly bool // judge without reading between tensors
}

// Refuses returns the lowest severity of violations for which a shard is not used.
func (o *Options) Refuses() safetensors.Severity {
	if o.Opener.Lenient {
		return safetensors.Invalid
	}
	return safetensors.Nonconforming
}

// A Shard is one file of a checkpoint. Any number of goroutines may use it.
type Shard struct {
	Path string

	// Head is the expected size in bytes of the length and the header, 0 if unknown.
	Head int64

	from store.Store
	opts *Options

	turn   Turn         // of those who open the shard or read its header
	object store.Object // nil until it is opened
	other  *Opened      // nil if it is a safetensors file, or is not known to be another
	parts  parts        // the files that are read with it
	closed bool
	known  *Knowledge // nil until the header is read
}

// Knowledge is what is known of a shard for good: objects in a store do not change.
// Reading one may fail now and succeed later, so errors of reading are not part of it.
type Knowledge struct {
	Size   int64
	Header *safetensors.Header // as much as could be read; nil if nothing
	Report *safetensors.Report // nil if it is too large to keep
	Fault  error               // why the shard must not be used, or nil
	Blind  bool                // there may be tensors that are not in Header
	Format string              // the variant of another format, "" for safetensors
	Notes  []string

	// Stored is the header with the tensors as another format stores them, nil if they are as in Header.
	Stored *safetensors.Header

	as *Format // nil for safetensors
}

// New returns the shard of a path in a store. What is known of it may be nil.
func New(path string, from store.Store, opts *Options, known *Knowledge) *Shard {
	return &Shard{Path: path, from: from, opts: opts, turn: NewTurn(), known: known}
}

// Adopt sets the object of the shard, which was opened before.
func (s *Shard) Adopt(object store.Object) { s.object = object }

// Object returns the object of the shard, nil if it is not open.
func (s *Shard) Object() store.Object { return s.object }

// open opens the shard if it is not open. The caller has the turn.
func (s *Shard) open(ctx context.Context) error {
	switch {
	case s.closed:
		return AtPath("open", s.Path, fs.ErrClosed)
	case s.object != nil:
		return nil
	}
	object, err := store.OpenHead(ctx, s.from, s.Path, s.Head)
	if err != nil {
		return AtPath("open", s.Path, err)
	}
	if s.known != nil && s.known.Size != object.Size() {
		object.Close()
		return AtPath("open", s.Path, store.ErrChanged)
	}
	s.object = object
	return nil
}

// Unchanged returns an error if the shard has changed since it was opened. It may be closed.
func (s *Shard) Unchanged() error {
	s.turn <- struct{}{}
	defer s.turn.End()
	if s.object == nil {
		return nil
	}
	return cmp.Or(store.Unchanged(s.object), s.parts.unchanged())
}

// Judge judges the shard by every rule. It reads the header, unless the report is known
// already. The caller may change the report, except its header.
func (s *Shard) Judge(ctx context.Context) (*safetensors.Report, *Knowledge, error) {
	if err := s.turn.Wait(ctx); err != nil {
		return nil, nil, AtPath("open", s.Path, err)
	}
	defer s.turn.End()
	report, err := s.judge(ctx)
	if err != nil {
		return nil, nil, err
	}
	own := *report
	own.Violations = slices.Clone(report.Violations)
	return &own, s.known, nil
}

// judge judges the shard. The caller has the turn.
func (s *Shard) judge(ctx context.Context) (*safetensors.Report, error) {
	if s.known != nil && s.known.Report != nil {
		return s.known.Report, nil
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if other, err := s.openOther(ctx); other != nil || err != nil {
		return s.judgeOther(ctx, other, err)
	}
	size := s.object.Size()
	r := s.object.ReaderAt(ctx)
	if err := prefetchHeader(r, size); err != nil {
		return nil, AtPath("read", s.Path, err)
	}
	report, err := s.opts.Opener.Validate(r, size)
	if err != nil {
		return nil, AtPath("read", s.Path, err)
	}
	if s.known == nil {
		s.known = s.learn(report, size)
	}
	report.Header = s.known.Header // one of it is enough
	return report, nil
}

// learn keeps of a report what is needed again: its violations only if they are few, for
// there may be one for every tensor.
func (s *Shard) learn(report *safetensors.Report, size int64) *Knowledge {
	const few = 50
	k := &Knowledge{Size: size, Header: report.Header, Blind: report.Header == nil}
	if len(report.Violations) <= few {
		k.Report = report
	}
	if v := report.First(s.opts.Refuses()); v != nil {
		k.Fault = AtPath("open", s.Path, v)
	}
	for _, v := range report.Violations {
		switch v.Rule {
		case safetensors.RuleJSON, safetensors.RuleUTF8, safetensors.RuleLimit, safetensors.RuleMember:
			k.Blind = true // these end the parsing of a header, or of an entry
		}
	}
	return k
}

// Read returns what is known of the shard. It reads the header if need be.
func (s *Shard) Read(ctx context.Context) (*Knowledge, error) {
	if err := s.turn.Wait(ctx); err != nil {
		return nil, AtPath("open", s.Path, err)
	}
	defer s.turn.End()
	if s.known == nil {
		if _, err := s.judge(ctx); err != nil {
			return nil, err
		}
	}
	return s.known, nil
}

// Header returns the header of a shard that may be used.
func (s *Shard) Header(ctx context.Context) (*safetensors.Header, error) {
	k, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	if k.Fault != nil {
		return nil, k.Fault
	}
	return k.Header, nil
}

// Stored returns what is known of how the shard stores its tensors. The header must have been read.
func (s *Shard) Stored() *safetensors.Header {
	s.turn <- struct{}{}
	defer s.turn.End()
	return s.known.Stored
}

// Data opens the shard, and returns what reads it on behalf of ctx.
func (s *Shard) Data(ctx context.Context) (*Source, error) {
	if err := s.turn.Wait(ctx); err != nil {
		return nil, AtPath("open", s.Path, err)
	}
	defer s.turn.End()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if s.known != nil && s.known.Format != "" && s.other == nil {
		if other, err := s.openOther(ctx); other == nil || err != nil {
			return nil, AtPath("open", s.Path, cmp.Or(err, store.ErrChanged))
		}
	}
	return &Source{ctx: ctx, other: s.other, Object: s.object}, nil
}

// Close closes the shard for good.
func (s *Shard) Close() error {
	s.turn <- struct{}{}
	defer s.turn.End()
	s.closed = true
	var err error
	if s.other != nil {
		err = s.other.close()
	}
	err = errors.Join(err, s.parts.close())
	if s.object == nil {
		return err
	}
	return errors.Join(err, s.object.Close())
}

// IsMissing reports whether an error says that a file does not exist.
func IsMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// AtPath returns err as the error of an operation on a file, unless it is one already.
func AtPath(op, path string, err error) error {
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}
