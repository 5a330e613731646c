// A shard: opened once, its header read once, by whoever comes first.

package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/store"
)

// A shard is one file of a checkpoint.
type shard struct {
	path string
	from store.Store
	opts *Options
	head int64 // how many bytes its length and header are expected to take; 0 if nothing tells

	turn   turn         // of those who open the shard or read its header
	object store.Object // nil until it is opened
	other  *opened      // nil if it is a safetensors file, or is not known to be another
	closed bool
	known  *knowledge // nil until the header is read
}

// knowledge is what is known of a shard for good: objects in a store do not
// change. Reading one may fail now and succeed later, so that is no part of it.
type knowledge struct {
	size   int64
	header *safetensors.Header // as much as could be made out; nil if nothing
	report *safetensors.Report // nil if it is too large to keep
	fault  error               // why the shard must not be used, or nil
	blind  bool                // there may be tensors that are not in header
	format string              // the variant of another format, "" for safetensors
	notes  []string
}

// A turn is a mutex for which one can wait until a context is done. It is a
// channel of capacity 1, which holds a token while someone has the turn.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) wait(ctx context.Context) error {
	if ctx.Err() == nil {
		select {
		case t <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

func (t turn) end() { <-t }

func newShard(path string, from store.Store, opts *Options) *shard {
	return &shard{path: path, from: from, opts: opts, turn: newTurn()}
}

// open opens the shard if it is not open. The caller has the turn.
func (s *shard) open(ctx context.Context) error {
	switch {
	case s.closed:
		return atPath("open", s.path, fs.ErrClosed)
	case s.object != nil:
		return nil
	}
	object, err := store.OpenHead(ctx, s.from, s.path, s.head)
	if err != nil {
		return atPath("open", s.path, err)
	}
	s.object = object
	return nil
}

// judge judges the shard by every rule. It reads the header, unless it was read
// and its report is known. The report is the caller's own, but for its header.
func (s *shard) judge(ctx context.Context) (*safetensors.Report, *knowledge, error) {
	if err := s.turn.wait(ctx); err != nil {
		return nil, nil, atPath("open", s.path, err)
	}
	defer s.turn.end()
	report, err := s.judgeInTurn(ctx)
	if err != nil {
		return nil, nil, err
	}
	own := *report
	own.Violations = slices.Clone(report.Violations)
	return &own, s.known, nil
}

func (s *shard) judgeInTurn(ctx context.Context) (*safetensors.Report, error) {
	if s.known != nil && s.known.report != nil {
		return s.known.report, nil
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if other, err := s.openOther(ctx); other || err != nil {
		return s.judgeOther(err)
	}
	size := s.object.Size()
	r := s.object.ReaderAt(ctx)
	if err := foresee(r, size); err != nil {
		return nil, atPath("read", s.path, err)
	}
	report, err := s.opts.Opener.Validate(r, size)
	if err != nil {
		return nil, atPath("read", s.path, err)
	}
	if s.known == nil {
		s.known = s.learn(report, size)
	}
	report.Header = s.known.header // one of it is enough
	return report, nil
}

// learn keeps of a report what is needed again: its violations only if they are
// few, for there may be one for every tensor.
func (s *shard) learn(report *safetensors.Report, size int64) *knowledge {
	const few = 50
	k := &knowledge{size: size, header: report.Header, blind: report.Header == nil}
	if len(report.Violations) <= few {
		k.report = report
	}
	if v := report.First(s.opts.least()); v != nil {
		k.fault = atPath("open", s.path, v)
	}
	for _, v := range report.Violations {
		switch v.Rule {
		case safetensors.RuleJSON, safetensors.RuleUTF8, safetensors.RuleLimit, safetensors.RuleMember:
			k.blind = true // these are what makes a header be given up, or an entry
		}
	}
	return k
}

// read returns what is known of the shard, having read its header if need be.
func (s *shard) read(ctx context.Context) (*knowledge, error) {
	if err := s.turn.wait(ctx); err != nil {
		return nil, atPath("open", s.path, err)
	}
	defer s.turn.end()
	if s.known == nil {
		if _, err := s.judgeInTurn(ctx); err != nil {
			return nil, err
		}
	}
	return s.known, nil
}

// header returns the header of a shard that may be used.
func (s *shard) header(ctx context.Context) (*safetensors.Header, error) {
	k, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	if k.fault != nil {
		return nil, k.fault
	}
	return k.header, nil
}

// data returns what reads the shard on behalf of ctx. The header was read before.
func (s *shard) data(ctx context.Context) (*source, error) {
	if err := s.turn.wait(ctx); err != nil {
		return nil, atPath("open", s.path, err)
	}
	defer s.turn.end()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if s.known != nil && s.known.format != "" && s.other == nil {
		if other, err := s.openOther(ctx); !other || err != nil {
			return nil, atPath("open", s.path, cmp.Or(err, errChanged))
		}
	}
	return &source{ctx: ctx, other: s.other, object: s.object}, nil
}

// errChanged says that a file was replaced while the checkpoint was open.
var errChanged = errors.New("the file has changed since its header was read")

// close closes the shard. It may be opened no more.
func (s *shard) close() error {
	s.turn <- struct{}{}
	defer s.turn.end()
	s.closed = true
	var err error
	if s.other != nil {
		err = s.other.close()
	}
	if s.object == nil {
		return err
	}
	return errors.Join(err, s.object.Close())
}

// isMissing says whether err is that of a file which is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
