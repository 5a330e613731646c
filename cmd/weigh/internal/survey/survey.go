// Package survey inspects targets for the commands that report on whole checkpoints.
package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/store"
)

// Options select how much is read.
type Options struct {
	Lenient  bool
	Thorough bool        // also check sets that are not counted, and compare bytes
	Data     bool        // check values
	Ranks    int         // the flag --tp
	Base     target.Name // the base of the adapters; may be ""
	Models   bool        // read configurations, to count parameters
	Each     bool        // with Models, take each set but copies for a model of its own, also those that are not counted
	Gate     *Keeper     // allowed findings; may be nil
}

// A Survey is everything found at some targets.
type Survey struct {
	listing.Inventory
	opts *Options
	base base

	models    []*namedModel
	places    map[string]place // of files other than standard input, by path
	indexes   int              // number of indexes checked against shards
	described bool             // tensors were checked against a configuration
	seen      map[string]bool
	said      map[saying]bool
	missed    []finding.Unread
}

// A place is where a file was found. The path of a file may not suffice to open it, because paths have no secrets, and
// the URL may be signed.
type place struct {
	store store.Store
	name  string
}

// Open opens a file of the survey again, other than standard input.
func (s *Survey) Open(ctx context.Context, path string) (store.Object, error) {
	at := s.places[path]
	return at.store.Open(ctx, at.name)
}

// OpenBeside opens a file in the folder of a file of the survey, other than standard input.
func (s *Survey) OpenBeside(ctx context.Context, file, name string) (store.Object, error) {
	at := s.places[file]
	return at.store.Open(ctx, path.Join(path.Dir(at.name), name))
}

// A saying identifies a message. Targets may overlap, and messages are reported once.
type saying struct {
	file         string
	rule         safetensors.Rule
	at           safetensors.Span
	tensor, text string
}

// first reports whether a message is new, and remembers it.
func (s *Survey) first(one saying) bool {
	was := s.said[one]
	s.said[one] = true
	return !was
}

// Run inspects the targets. It prints errors and continues with the next target. It returns
// ErrUnread if no target could be read.
func Run(ctx context.Context, sess *cli.Session, targets []target.Name, opts *Options) (*Survey, error) {
	s := &Survey{Inventory: listing.Inventory{Targets: target.Printable(targets)}, opts: opts,
		places: make(map[string]place), seen: make(map[string]bool), said: make(map[saying]bool)}
	if err := s.openBase(ctx, sess); err != nil {
		return nil, err
	}
	for _, arg := range targets {
		sess.AddInputs(string(arg))
		var err error
		if err = opts.Gate.turnTo(sess, string(arg)); err == nil {
			if arg == "-" {
				err = s.stream(sess)
			} else {
				err = s.target(ctx, sess, arg)
			}
		}
		// Usage errors end the survey.
		var usage cli.UsageError
		if errors.As(err, &usage) {
			return nil, err
		}
		if err != nil {
			s.miss(arg.String(), err)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	for _, m := range s.missed {
		fmt.Fprintf(sess.Stderr, "weigh: %s\n", m.Message)
	}
	if opts.Base != "" && !s.base.used && len(s.missed) == 0 {
		return nil, cli.Usagef("--base is for adapters with matrices for modules, and the targets have none")
	}
	if len(s.Files) == 0 && len(s.Findings) == 0 && !opts.Thorough {
		return nil, cli.ErrUnread
	}
	return s, nil
}

// miss records an error.
func (s *Survey) miss(file string, err error) {
	if text := cli.Describe(err); s.first(saying{file: file, text: text}) {
		s.missed = append(s.missed, finding.Unread{File: file, Message: text})
	}
}

// stream inspects standard input.
func (s *Survey) stream(sess *cli.Session) error {
	if s.seen["-"] {
		return nil
	}
	s.seen["-"] = true
	if s.opts.Data {
		return cli.ErrStdin
	}
	in, err := target.ReadStream(sess.Stdin)
	if err == nil && s.opts.Thorough {
		err = in.ReadRest()
	}
	if err != nil {
		return err
	}
	report, err := in.Validate(s.opener())
	if err != nil {
		return err
	}
	if s.opts.Models {
		m := &model.Model{}
		if report.Header != nil {
			m.Files = []model.File{{Header: report.Header}}
		}
		s.models = append(s.models, &namedModel{Model: m, name: "-"})
	}
	s.add("-", in.Size, report)
	if v := check.Misaligned(report.Header); v != nil && s.opts.Thorough {
		s.find("-", &safetensors.Report{Violations: []*safetensors.Violation{v}})
	}
	return nil
}

// opener returns the options for opening files. Unless a configuration sets limits, the limits of the
// format apply.
func (s *Survey) opener() *safetensors.Opener { return s.opts.Gate.opener(s.opts.Lenient) }

// target inspects a target other than standard input.
func (s *Survey) target(ctx context.Context, sess *cli.Session, arg target.Name) error {
	at, err := target.Open(ctx, sess, arg, checkpoint.Options{Opener: *s.opener(), HeadersOnly: !s.opts.Thorough})
	if err != nil {
		return err
	}
	if !s.opts.Thorough {
		at.WarnUnfinished(sess)
	}
	names := model.ConfigNames
	if s.opts.Thorough {
		names = check.FileNames
	}
	defer at.Ahead(ctx, names)()
	sets, err := at.Sets(ctx)
	if err != nil && s.opts.Thorough && at.Interrupted() {
		s.miss(arg.String(), err)
		return s.repository(ctx, sess, at, nil, nil) // which says why
	}
	var in *fs.PathError
	var v *safetensors.Violation
	if errors.As(err, &in) && errors.As(in.Err, &v) { // an index that exceeds a limit
		s.find(at.Path(in.Path), &safetensors.Report{Violations: []*safetensors.Violation{v}})
		return nil
	}
	if err != nil {
		return err
	}
	sess.AddInputs(at.Files(sets...)...)
	if s.opts.Models {
		for _, note := range at.Unread(sets) {
			sess.Notice("%s", note)
		}
	}
	before := len(s.Files)
	headers := &cli.Progress{Unit: "file"}
	for _, set := range sets {
		if s.reads(set) {
			headers.Tensors += int64(len(set.Shards))
		}
	}
	stop := sync.OnceFunc(sess.ShowProgress(headers))
	defer stop()
	for _, set := range sets {
		s.Sets = append(s.Sets, setAt(at, set))
		if s.reads(set) {
			if err := s.set(ctx, sess, at, set, headers); err != nil {
				return err
			}
		}
	}
	stop()
	files := s.Files[before:]
	if s.opts.Thorough {
		err = s.repository(ctx, sess, at, sets, files)
	}
	return errors.Join(err, s.beside(ctx, sess, at, files))
}

// inModel reports whether a set is a model, or a module of one.
func inModel(set *checkpoint.Set) bool { return set.Counted() || set.PartOf != "" }

// reads reports whether the files of a set are read.
func (s *Survey) reads(set *checkpoint.Set) bool {
	return inModel(set) || s.opts.Thorough || s.opts.Each && set.CopyOf == ""
}

// setAt describes a set with paths that the user can open.
func setAt(at *target.Target, set *checkpoint.Set) listing.Set {
	r := listing.Set{Name: at.Path(set.Name), Role: string(set.Role), Files: len(set.Shards),
		Counted: inModel(set)}
	if set.CopyOf != "" {
		r.CopyOf = at.Path(set.CopyOf)
	}
	return r
}

// set inspects a set of files.
func (s *Survey) set(ctx context.Context, sess *cli.Session, at *target.Target, set *checkpoint.Set,
	headers *cli.Progress) error {
	cp := set.Open()
	defer cp.Close()
	// Two targets may name one index; the report only says that there was one.
	if set.Index != "" {
		s.indexes++
	}
	var m *namedModel
	if s.opts.Models {
		m = s.modelOf(at, set)
	}
	for r, err := range cp.Validate(ctx) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		file := at.Path(cmp.Or(r.File, set.Name))
		switch {
		case err != nil:
			s.miss(file, err)
		case r.File == "" || target.IsIndex(r.File):
			s.find(file, r.Report)
		case !s.seen[file]: // targets may overlap; count each file once
			s.seen[file] = true
			headers.Count(0)
			for _, note := range r.Notes {
				sess.Notice("%s: %s", file, filetype.For(note, file))
			}
			h, err := s.file(ctx, at, cp, r)
			if err != nil {
				s.miss(file, err)
				continue
			}
			if m != nil && h != nil {
				s.addShard(ctx, at, set, m, r.File, h)
			}
		}
	}
	if s.opts.Data {
		if err := cp.Unchanged(); err != nil {
			s.miss(at.Path(set.Name), err)
		}
	}
	m.configure(ctx, set)
	return nil
}

// file adds a checked file of a set. It returns its header, or nil.
func (s *Survey) file(ctx context.Context, at *target.Target, cp *checkpoint.Checkpoint, r checkpoint.Report) (
	*safetensors.Header, error) {
	if s.opts.Data {
		data, err := cp.ReaderAt(ctx, r.File)
		if err != nil {
			return nil, err
		}
		if err := r.CheckData(data); err != nil {
			return nil, err
		}
	}
	s.places[at.Path(r.File)] = place{at.Store, r.File}
	s.add(at.Path(r.File), r.Size, r.Report)
	if v := check.Ungathered(r.Header); v != nil && !s.opts.Thorough { // otherwise package check finds it
		s.find(at.Path(r.File), &safetensors.Report{Violations: []*safetensors.Violation{v}})
	}
	if r.Format == "" || r.Header == nil {
		return r.Header, nil
	}
	stored, err := cp.Stored(ctx, r.File)
	if err != nil {
		return nil, err
	}
	// The header does not exist in the file, and neither does its metadata.
	h := *stored
	h.Metadata = nil
	f := &s.Files[len(s.Files)-1]
	f.Format, f.Header, f.Stored = r.Format, &h, stored != r.Header
	return stored, nil
}

// inOtherFormat reports whether a violation says that its file is not a safetensors file, and
// cannot be read.
func inOtherFormat(v *safetensors.Violation) bool {
	return slices.Contains([]safetensors.Rule{safetensors.RuleNotSafetensors, checkpoint.RuleFormatDamaged,
		checkpoint.RuleFormatUnsupported}, v.Rule)
}

// add adds a checked file.
func (s *Survey) add(path string, size int64, report *safetensors.Report) {
	f := listing.File{Path: path, Size: size, Header: report.Header}
	if slices.ContainsFunc(report.Violations, inOtherFormat) {
		f.Format = "unknown"
	}
	s.Files = append(s.Files, f)
	s.find(path, report)
}

// find adds the findings of a report, as they matter to the programs of the flag --for.
func (s *Survey) find(path string, report *safetensors.Report) {
	s.keep(path, loader.Apply(path, report, s.opts.Gate.programs()))
}

// keep adds the findings of a report.
func (s *Survey) keep(path string, report *safetensors.Report) {
	list, omitted := s.opts.Gate.Findings(path, report)
	for _, f := range list {
		if f.Rule == checkpoint.RuleWeightsFormat && !s.opts.Thorough || s.summed(f.Rule) {
			continue // the user of such a file knows
		}
		if s.first(saying{f.File, f.Rule, f.Span, f.Tensor, f.Detail}) {
			s.Findings = append(s.Findings, f)
		}
	}
	for _, o := range omitted {
		if !s.summed(o.Rule) && s.first(saying{file: o.File, rule: o.Rule}) {
			s.Omitted = append(s.Omitted, o)
		}
	}
}

// summed reports whether a rule about one file is summed up by [check.RuleAlignmentCost], in one note for a set
// instead of a warning for each tensor. The writer of MLX aligns nothing, and its files are healthy.
func (s *Survey) summed(rule safetensors.Rule) bool {
	return s.opts.Thorough && (rule == safetensors.RuleDataAlignment || rule == safetensors.RuleElementAlignment)
}

// Verdict returns ErrFound if a file is refused, and ErrUnread if something could not be read or exceeds a limit.
func (s *Survey) Verdict(lenient bool) error {
	limited := false
	for _, f := range s.Findings {
		switch {
		case f.Rule == safetensors.RuleLimit:
			limited = true
		case f.Severity >= target.LeastRefused(lenient):
			return cli.ErrFound
		}
	}
	if limited {
		return cli.ErrUnread
	}
	return s.Unread()
}

// Unread returns ErrUnread if something could not be read.
func (s *Survey) Unread() error {
	if len(s.missed) > 0 {
		return cli.ErrUnread
	}
	return nil
}

// Check returns the survey as a check report.
func (s *Survey) Check(failOn finding.Threshold) *finding.Check {
	s.adviseFirst()
	c := &finding.Check{
		Targets: s.Targets, Findings: s.Findings, Omitted: s.Omitted, FailOn: failOn,
		Index: s.indexes > 0, Described: s.described, Data: s.opts.Data, Unread: s.missed,
	}
	for i := range s.Files {
		c.Files = append(c.Files, s.Files[i].Path)
		if h := s.Files[i].Header; h != nil {
			c.Tensors += len(h.Tensors)
		}
	}
	return c
}
