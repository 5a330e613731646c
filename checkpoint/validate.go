// Validating a checkpoint: a report for each shard, and one for the set.

package checkpoint

import (
	"context"
	"iter"
	"path"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/contents"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/internal/bytesio"
)

// A Report is the result of Checkpoint.Validate for one file, or for the set.
type Report struct {
	// File is the path of the shard, or of a left over index. It is "" for the set, whose spans
	// are bytes of the index, if it has one.
	File string

	// Size is the shard's size in bytes, and 0 if File is not a shard.
	Size int64

	// Format is the variant of a file of another format, such as "pytorch-zip", and "" for a
	// safetensors file. Notes are what its [Description] says.
	Format string
	Notes  []string

	// The report, nil if there is an error. The header must not be changed.
	*safetensors.Report
}

// Validate judges every shard by the rules about one file, and the set by the rules between files.
// It yields a report for each existing shard in order, one for each left over index, and last one
// for the set and its index, without a file name.
//
// It reads only headers, and the bytes of tensors that are in two shards, unless the options say
// HeadersOnly. For a set that was opened by its folder it also reports unlisted files and copies.
// Errors of listing the folder come with the first set of [Discover], and unlisted files with the
// first set that has an index.
//
// Tensors with the same fault are reported in one violation, with the first name and their number.
// There are at most 1,000 violations of each rule.
//
// An error is a read error, with the name of the file and without a report. Validate continues
// after it, unless ctx is done.
func (c *Checkpoint) Validate(ctx context.Context) iter.Seq2[Report, error] {
	return func(yield func(Report, error) bool) {
		s := newSurvey(c)
		for i, r := range c.judgeShards(ctx) {
			switch {
			case ctx.Err() != nil:
				yield(Report{}, context.Cause(ctx))
				return
			case r.err != nil && shard.IsMissing(r.err):
				s.shards[i].missing = true // for the set's report
				continue
			case r.err == nil:
				s.shards[i].Knowledge = r.known
			}
			report := Report{File: c.shards[i].Path, Report: r.report}
			if k := r.known; k != nil {
				report.Size, report.Format, report.Notes = k.Size, k.Format, k.Notes
			}
			if !yield(report, r.err) {
				return
			}
		}
		for _, left := range c.set.stale {
			if !yield(Report{File: left.Index, Report: left.judgeStale(c.set)}, nil) {
				return
			}
		}
		report, errs := s.judge(ctx)
		for _, err := range errs {
			if !yield(Report{}, err) || ctx.Err() != nil {
				return
			}
		}
		yield(Report{Report: report}, nil)
	}
}

// A judgement is the result of judging a shard.
type judgement struct {
	report *safetensors.Report
	known  *shard.Knowledge
	err    error
}

func (c *Checkpoint) judgeShards(ctx context.Context) iter.Seq2[int, judgement] {
	return bytesio.Ahead(ctx, c.opts.Parallel, len(c.shards), func(ctx context.Context, i int) judgement {
		report, known, err := c.shards[i].Judge(ctx)
		if err != nil {
			return judgement{err: err}
		}
		c.set.found.known.Remember(c.shards[i].Path, known)
		return judgement{report, known, nil}
	})
}

// beside reports other files of the folder: unlisted ones, and copies.
func (s *survey) beside(ctx context.Context) {
	set, f := s.c.set, s.c.set.found
	if !f.listed {
		return
	}
	all, err := f.sets(ctx)
	if err != nil {
		s.errs = append(append(s.errs, f.problems...), err)
		return
	}
	// Errors of the folder are reported once, with the first of possibly a thousand sets.
	if set == all[0] {
		s.errs = append(s.errs, f.problems...)
	}
	folder := naming.Folder(set.file())
	judgesExtra := set == firstIndexed(all, folder)
	for _, other := range all {
		switch {
		case other.CopyOf == set.Name:
			s.copy(ctx, other)
		case judgesExtra && other.Role == Other && other.Index == "" && naming.Folder(other.file()) == folder:
			s.extra(ctx, other)
		}
	}
}

// firstIndexed returns the first model with an index in the folder, or nil. Unlisted files are
// reported with it.
func firstIndexed(all []*Set, folder string) *Set {
	for _, s := range all {
		if s.Counted() && s.Index != "" && naming.Folder(s.Index) == folder {
			return s
		}
	}
	return nil
}

// copy reports a copy of the set. Without comparing bytes, it may be another model, so the report
// lists what was compared.
func (s *survey) copy(ctx context.Context, other *Set) {
	f := s.c.set.found
	held, err := f.contents(ctx, other)
	if err == nil && other.proof == contents.Equal {
		s.Add(RuleTwoCopies, "", safetensors.Span{}, "%s is a copy of %s with equal bytes: %s in %s; it is not counted",
			quote(other.Name), quote(s.c.set.Name), count(len(held), "tensor"), count(len(other.Shards), "file"))
		return
	}
	var own contents.Contents
	if err == nil {
		own, err = f.contents(ctx, s.c.set)
	}
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	s.Add(RuleTwoCopies, "", safetensors.Span{},
		"%s is a copy of %s by its name and header: %s; it is not counted",
		quote(other.Name), quote(s.c.set.Name), contents.Likeness(held, own))
}

// extra reports shards in the folder that are not in its index.
func (s *survey) extra(ctx context.Context, other *Set) {
	for _, p := range other.Shards {
		k := s.c.set.found.known.Learn(ctx, s.c.set.found.from, p, 0, s.c.set.found.shards)
		if k == nil || k.Header == nil {
			s.Add(RuleShardExtra, "", safetensors.Span{},
				"shard %s is in the folder but not in the index %s, and cannot be read",
				quote(p), quote(path.Base(s.c.set.Index)))
			continue
		}
		listed := 0
		for i := range k.Header.Tensors {
			if s.c.set.index.Lookup(k.Header.Tensors[i].Name) != nil {
				listed++
			}
		}
		s.Add(RuleShardExtra, "", safetensors.Span{},
			"shard %s is in the folder but not in the index %s; it has %s, %d of which the index lists in other shards",
			quote(p), quote(path.Base(s.c.set.Index)), count(len(k.Header.Tensors), "tensor"), listed)
	}
}
