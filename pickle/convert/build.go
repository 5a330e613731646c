// Planning a conversion: analyzing sources, and gathering their tensors.

package convert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch"
)

// Plan plans the conversion of a source, which is a file, a folder or an index, to a target,
// which is a file whose name ends in ".safetensors", or a folder, which several shards need.
// It reads what names and locates the tensors, and writes nothing.
//
// The error is a *[DangerousError], or a *[SourceError] if a source cannot be converted; it
// wraps [ErrRefused] if the request cannot be applied to the source, and [fs.ErrExist] if
// output files exist. Reads of the plan's tensors end when ctx is done.
func (c *Conversion) Plan(ctx context.Context, source, target string) (_ *Plan, err error) {
	l, err := c.locate(ctx, source)
	if err != nil {
		return nil, err
	}
	p := &Plan{c: c, close: l.closeAll}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	var stem string
	if p.Dir, stem, err = l.aim(target); err != nil {
		return nil, err
	}
	p.oneFile = l.oneFile
	if c.MaxShard != 0 && (l.oneFile || !l.joined) {
		return nil, refuse("a maximum size of shards needs a source in the files of several processes, and a folder for " +
			"the output: split the output, with `weigh split`")
	}
	for _, shard := range l.shards {
		p.Sources = append(p.Sources, openSource(ctx, shard))
	}
	if err := p.judge(); err != nil {
		return nil, err
	}
	if err := p.gather(l); err != nil {
		return nil, err
	}
	return p, p.lay(stem)
}

// gather takes the tensors from the sources.
func (p *Plan) gather(l *located) error {
	p.metadata = map[string]string{"format": "pt"}
	for i, s := range p.Sources {
		if err := s.open(&p.c.Torch); err != nil {
			return err
		}
		if s.Root != p.Sources[0].Root {
			return refuse("the weights of %s are in %s, and the weights of %s in %s: choose one root for all",
				wording.Quote(p.Sources[0].Path), wording.Quote(p.Sources[0].Root), wording.Quote(s.Path), wording.Quote(s.Root))
		}
		if !p.c.DropUnsupported {
			if err := s.unsupported(); err != nil {
				return err
			}
		}
		if s.part {
			s.Format = p.Sources[i-1].Format
		}
		if s.Format == torch.FormatNPZ {
			p.metadata = map[string]string{"format": "np"}
		}
		for j, t := range s.cp.Tensors {
			p.Tensors = append(p.Tensors, Tensor{Tensor: t, Was: t.Name, Source: i, index: j})
		}
	}
	if err := p.ungathered(); err != nil {
		return err
	}
	if err := p.againstIndex(l); err != nil {
		return err
	}
	if err := p.rename(); err != nil {
		return err
	}
	return p.share()
}

// ungathered returns an error if weights were saved without their values, which would make an empty model.
func (p *Plan) ungathered() error {
	info := func(i int) *safetensors.TensorInfo { return &p.Tensors[i].TensorInfo }
	first, words := parts.Ungathered(len(p.Tensors), info)
	if first == nil {
		return nil
	}
	return &SourceError{p.sourceOf(first.Name), fmt.Errorf("%s. %s", words, parts.UngatheredFix)}
}

// rename removes prefixes from names, and refuses two tensors of one name.
func (p *Plan) rename() error {
	for _, prefix := range p.c.StripPrefix {
		n := 0
		for i := range p.Tensors {
			if name, ok := strings.CutPrefix(p.Tensors[i].Name, prefix); ok {
				p.Tensors[i].Tensor = p.Tensors[i].Rename(name)
				n++
			}
		}
		if n == 0 {
			return refuse("no name begins with the prefix %s", wording.Quote(prefix))
		}
	}
	first := make(map[string]int, len(p.Tensors))
	for i, t := range p.Tensors {
		j, twice := first[t.Name]
		if !twice {
			first[t.Name] = i
			continue
		}
		s := p.Sources[t.Source]
		return s.fault(fmt.Errorf("%s would be called %s, as %s of %s is: two tensors cannot have one name",
			wording.Quote(t.Was), wording.Quote(t.Name), wording.Quote(p.Tensors[j].Was),
			wording.Quote(p.Sources[p.Tensors[j].Source].Path)))
	}
	return nil
}

// lay plans the files.
func (p *Plan) lay(stem string) error {
	w := &shards.Writer{
		Encoder: safetensors.Encoder{Metadata: p.metadata}, Stem: stem, Overwrite: p.c.Overwrite,
		Verify: true, Digests: p.c.Digests, CRC32: p.sum, Inspect: p.inspect,
		Progress: func(done, total int64) { p.tell(p.ahead + done) }, Ready: p.unchanged,
	}
	for _, s := range p.Sources {
		if s.file != nil {
			w.Inputs = append(w.Inputs, s.file.Name())
		}
	}
	w.Split = make([]int, len(p.Sources))
	p.rows = make(map[*safetensors.Tensor]*Tensor, len(p.Tensors))
	tensors := make([]*safetensors.Tensor, len(p.Tensors))
	for i, t := range p.Tensors {
		if p.Sources[t.Source].file == nil { // so that it is not downloaded again
			t.Tensor = &safetensors.Tensor{TensorInfo: t.TensorInfo, ReaderAt: compare.NewWitness(t.ReaderAt)}
			p.Tensors[i].Tensor = t.Tensor
		}
		tensors[i] = t.Tensor
		w.Split[t.Source]++
		p.rows[t.Tensor] = &p.Tensors[i]
	}
	if p.Sources[0].joined != nil {
		w.Split, w.MaxShard = nil, p.maxShard()
		return p.layIn(w, tensors)
	}
	// A shard without tensors is not written.
	w.Split = slices.DeleteFunc(w.Split, func(n int) bool { return n == 0 })
	if len(w.Split) == 0 { // an empty checkpoint
		w.Split = nil
	}
	return p.layIn(w, tensors)
}

// layIn plans the files of a writer.
func (p *Plan) layIn(w *shards.Writer, tensors []*safetensors.Tensor) (err error) {
	if p.Files, err = w.Plan(p.Dir, tensors...); err != nil {
		var v *safetensors.Violation
		if errors.As(err, &v) {
			return &SourceError{p.sourceOf(v.Tensor), err}
		}
		return err
	}
	return nil
}

// sourceOf returns the path of the source of the tensor with this output name.
func (p *Plan) sourceOf(name string) string {
	i := slices.IndexFunc(p.Tensors, func(t Tensor) bool { return t.Name == name })
	return p.Sources[p.Tensors[max(i, 0)].Source].Path
}

// judge analyzes all sources, and refuses dangerous ones.
func (p *Plan) judge() error {
	dangerous := false
	for _, s := range p.Sources {
		scanner := p.c.Scanner
		var err error
		if s.Report, err = scanner.Scan(s.reader, s.Size, s.Path); err != nil {
			return s.fault(err)
		}
		p.Verdict = max(p.Verdict, s.Report.Verdict)
		dangerous = dangerous || s.Report.Verdict == pickle.Dangerous
	}
	if !dangerous || p.c.Anyway {
		return nil
	}
	e := new(DangerousError)
	for _, s := range p.Sources {
		e.Files = append(e.Files, Judged{s.Path, s.Report})
	}
	return e
}
