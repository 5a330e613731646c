// Planning and writing an edit: new files by package shards, or headers in place.

package edit

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/edit/internal/losses"
	"github.com/weightools/safetensors/internal/compare"
)

// Plan plans the edit of the source at ref, with output to target. In a target that is a
// folder, which is created if necessary, files keep their names; files of other formats get
// names of safetensors files. The output of a single file is a file, too, if the target ends in ".safetensors"; see
// [shards.FindOutput]. Other files of the source's folder are not copied.
//
// Errors wrap [ErrRefused] if the target is the source, under any name, or a folder in which
// shards, or another model of the same name, would remain next to the output; and
// [fs.ErrExist] if an output file exists and Overwrite is not set. The error of an invalid
// source wraps a *[safetensors.Violation].
func (e *Edit) Plan(ctx context.Context, ref, target string) (*Plan, error) {
	s, err := e.decide(ctx, ref, false)
	if err != nil {
		return nil, err
	}
	for _, f := range s.files {
		if f.action != Removed {
			f.action = Written
		}
	}
	p := &Plan{edit: e, source: s, target: target}
	if err := p.aim(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p.finish(ctx)
}

// PlanInPlace plans the edit of the source at ref in place. The package comment explains how
// it is written, and what is refused. It returns the same errors as Plan.
func (e *Edit) PlanInPlace(ctx context.Context, ref string) (*Plan, error) {
	s, err := e.decide(ctx, ref, true)
	if err != nil {
		return nil, err
	}
	p := &Plan{edit: e, source: s, dir: s.local}
	switch {
	case s.format != "":
		err = refuse("%s is not a safetensors file (%s), and cannot be edited in place: write the result elsewhere",
			quote(s.ref), s.format)
	case s.local == "":
		err = refuse("%s is not on this machine, and cannot be edited in place: write the result elsewhere", quote(s.ref))
	default:
		if !e.Fix || p.changes() {
			err = s.noLinks()
		}
		err = errors.Join(err, s.unlisted())
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if p, err = p.finish(ctx); err != nil {
		return nil, err
	}
	if err := p.writable(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// changes reports whether a file of the source changes.
func (p *Plan) changes() bool {
	return len(p.stale) > 0 || p.indexChanges() ||
		slices.ContainsFunc(p.files, func(f *file) bool { return f.action != Unchanged })
}

// Write plans and writes an edit: see Plan and Plan.Write.
func (e *Edit) Write(ctx context.Context, ref, target string) (*Receipt, error) {
	p, err := e.Plan(ctx, ref, target)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Write(ctx)
}

// InPlace plans and writes an edit in place: see PlanInPlace and Plan.Write.
func (e *Edit) InPlace(ctx context.Context, ref string) (*Receipt, error) {
	p, err := e.PlanInPlace(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Write(ctx)
}

// finish decides how files are written, and fills in the receipt.
func (p *Plan) finish(ctx context.Context) (*Plan, error) {
	p.newIndex = p.indexChanges()
	var err error
	if p.patched, err = p.patches(); err == nil {
		for _, f := range p.files {
			if f.action == Written && err == nil {
				err = f.lay(p.edit)
			}
		}
	}
	if err == nil {
		p.fillReceipt()
		err = p.planOutput(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Write carries out the plan, and returns its receipt, with digests and counts of what
// was written. It may be called once. When ctx is done, Write ends soon, with its cause.
func (p *Plan) Write(ctx context.Context) (*Receipt, error) {
	p.Receipt.written()
	var err error
	switch {
	case p.patched:
		err = p.overwrite(ctx)
	case p.output != nil:
		err = p.write(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p.Receipt, nil
}

// hold makes sure, for an edit in place, that the files to be replaced are those that were
// read, and locks them until release is called. Otherwise it makes sure that the source has not
// changed. Then it closes the source: some systems do not replace open files. While a file is
// open, no other file can get its number.
func (p *Plan) hold() (release func(), err error) {
	release = func() {}
	if p.target == "" {
		release, err = p.claim.Hold()
	} else {
		err = p.cp.Unchanged()
	}
	if err != nil {
		return release, err
	}
	return release, p.source.close()
}

// planOutput plans the new files, and the index, if there are any.
func (p *Plan) planOutput(ctx context.Context) error {
	remove := p.removed()
	if p.patched || len(p.outputs())+len(remove) == 0 {
		return nil
	}
	var list []shards.PlannedShard
	for _, f := range p.files {
		if f.action == Written {
			list = append(list, shards.PlannedShard{Name: p.nameOf(f), Encoder: f.encoder, Tensors: p.reading(f)})
		}
	}
	index := ""
	var text []byte
	if p.index != nil {
		var err error
		if text, err = p.indexText(ctx); err != nil {
			return err
		}
		index = p.indexNow
	}
	w := &shards.Writer{
		Overwrite: p.target == "" || p.edit.Overwrite, Digests: true, Progress: p.edit.Progress,
		Ready: func() (err error) {
			if p.release, err = p.hold(); err != nil || p.target == "" {
				return err
			}
			return errors.Join(p.noStrays(), p.noRival()) // again
		},
	}
	if p.target != "" {
		w.Inputs = p.inputs()
	}
	if len(p.edit.Cast) > 0 {
		w.Inspect = p.countLosses()
	}
	var err error
	p.output, err = w.PlanShards(p.dir, list, index, text, remove)
	return err
}

// write writes the new files, and the index.
func (p *Plan) write(ctx context.Context) error {
	p.release = func() {}
	defer func() { p.release() }()
	written, err := p.output.Write(ctx)
	var unfit *UnfitError
	if errors.As(err, &unfit) {
		return refusal{unfit} // it is not that something could not be read or written
	}
	if err != nil {
		return err
	}
	p.record(written)
	return nil
}

// reading returns the tensors of the new file. Witnesses read remote ones, to avoid a second
// download for verification.
func (p *Plan) reading(f *file) []*safetensors.Tensor {
	now := f.now()
	if p.local != "" {
		return now
	}
	made := make([]*safetensors.Tensor, len(now))
	for i, t := range now {
		made[i] = &safetensors.Tensor{TensorInfo: t.TensorInfo, ReaderAt: compare.NewWitness(t.ReaderAt)}
	}
	return made
}

// countLosses returns an inspector that counts what casts could not keep.
func (p *Plan) countLosses() func(ctx context.Context, was, is *safetensors.Tensor) error {
	type cast struct {
		was *safetensors.Tensor
		row *Tensor
	}
	casts := make(map[string]cast) // by the names of tensors that are written
	row := 0
	for _, f := range p.files {
		for i := range f.changes {
			if c := &f.changes[i]; f.action == Written && c.cast() {
				casts[c.Now.Name] = cast{c.Was, &p.Receipt.Tensors[row+i]}
			}
		}
		row += len(f.header.Tensors) + len(f.added)
	}
	return func(ctx context.Context, was, is *safetensors.Tensor) (err error) {
		if c, ok := casts[was.Name]; ok {
			var l losses.Losses
			l, err = losses.Of(ctx, c.was, is)
			c.row.Losses = Losses(l)
		}
		return err
	}
}

// record fills in the digests of the new tensors, which are in the order of the receipt.
func (p *Plan) record(written *shards.Receipt) {
	rows := p.Receipt.Tensors
	for t := range written.Tensors() {
		i := slices.IndexFunc(rows, func(row Tensor) bool { return row.Payload.IsRead() })
		rows[i].SHA256 = t.SHA256
		rows = rows[i+1:]
	}
}

// removed returns the names of the files of a source edited in place that have no tensors left, or
// another name.
func (p *Plan) removed() []string {
	if p.target != "" {
		return nil
	}
	stays := map[string]bool{p.indexNow: true}
	for _, f := range p.files {
		if f.action != Removed {
			stays[f.rename] = true
		}
	}
	names := p.source.names()
	for _, left := range p.stale {
		names = append(names, path.Base(left.File))
	}
	slices.Reverse(names) // indexes come first
	return slices.DeleteFunc(names, func(name string) bool { return stays[name] })
}
