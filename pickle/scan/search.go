// Searches for pickles: in bytes that no format accounts for, and in tensor data.

package scan

import (
	"bytes"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/scan/internal/guess"
)

// Sweep searches bytes that no format accounts for and reports the imports of pickles in
// them: whoever hides a pickle also has a way to load it. If there are more bytes
// than are searched, the part is incomplete.
func (p *part) Sweep(span extent.Span) error {
	r, cut, err := p.search(span)
	if err != nil {
		return err
	}
	if cut {
		p.Unscanned(span.Begin, "%s belong to no format; only the first %s were searched for pickles", bytesOf(span.Len()),
			bytesOf(p.mostSearch()))
	}
	p.hidden(r, span.Begin)
	return nil
}

// hidden reports the pickles that a search from off found. Some bytes look like a pickle by
// chance, so only pickles with imports count.
func (p *part) hidden(r *pickle.Report, off int64) {
	if len(r.Imports) > 0 {
		begin, end := r.Streams[0].Offset, r.Streams[len(r.Streams)-1].End
		p.visited(off+begin, end-begin)
		// It is known that other bytes surround them.
		p.takeOver(guess.Without(r, pickle.RuleTrailing, pickle.RuleMultiple), off)
	}
}

// search searches bytes for pickles. It reports whether some bytes were left out.
func (p *part) search(span extent.Span) (r *pickle.Report, cut bool, err error) {
	if most := p.mostSearch(); span.Len() > most {
		span.End, cut = span.Begin+most, true
	}
	opts := p.pickleOptions()
	opts.Search = true
	r, err = pickle.Analyze(io.NewSectionReader(p.file, span.Begin, span.Len()), span.Len(), opts)
	if err == nil {
		p.searched(r, span.Begin)
	}
	return r, cut, err
}

// searched takes the cost of a search from the budget, and reports a spent budget unless
// imports were found.
func (p *part) searched(r *pickle.Report, off int64) {
	p.paid(r)
	for _, f := range r.Findings {
		if f.Rule == pickle.RuleBudget && len(r.Imports) == 0 {
			p.overBudget(off+f.Offset, "%s", f.Message)
		}
	}
}

// Numbers examines tensor data, which begins with head. No loader treats it as code, so
// it is searched only if it begins like a pickle or the scan is deep.
func (p *part) Numbers(span extent.Span, head []byte) error {
	if p.Deep {
		r, _, err := p.search(span)
		if err == nil && len(r.Imports) > 0 {
			p.embedded(r, span.Begin)
		}
		return err
	}
	if !guess.MayBegin(head) {
		return nil
	}
	const enough = 64 << 10 // bytes
	opts := p.pickleOptions()
	opts.MaxStreams, opts.NoSweep = 1, true
	n := min(span.Len(), enough)
	r, err := pickle.Analyze(io.NewSectionReader(p.file, span.Begin, n), n, opts)
	if err == nil {
		p.paid(r)
	}
	if err == nil && (len(r.Imports) > 0 || len(r.Streams) > 0 && r.Streams[0].Stopped) {
		p.embedded(r, span.Begin)
	}
	return err
}

// embedded reports a pickle in tensor data.
func (p *part) embedded(r *pickle.Report, off int64) {
	what := "tensor data contains a pickle, where no loader looks for one"
	var names []string
	for i := range r.Imports {
		names = append(names, quoted(r.Imports[i].String()))
	}
	if len(names) > 0 {
		what += ": it imports " + strings.Join(names[:min(len(names), 3)], ", ")
	}
	p.Find(pickle.RuleEmbedded, off, "%s", what)
}

// zero reports whether all bytes of a range, up to the search limit, are zero.
func (p *part) zero(span extent.Span) (bool, error) {
	p.Spend(min(span.Len(), usualSearch) / (4 * perInstr))
	for at := span.Begin; at < min(span.End, span.Begin+usualSearch); at += headSize {
		b, err := p.At(at, int(min(headSize, span.End-at)))
		if err != nil {
			return false, err
		}
		if len(bytes.TrimLeft(b, "\x00")) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// rest searches the ranges that no format explains.
func (p *part) rest() error {
	if p.swept {
		return nil
	}
	for _, hole := range p.known.Holes(extent.Span{End: p.size}) {
		if zero, err := p.zero(hole); err != nil {
			return err
		} else if zero {
			continue
		}
		if err := p.Sweep(hole); err != nil {
			return err
		}
		if p.verdict == pickle.Safe {
			p.Unanalysed("%s from byte %d on belong to no format and are not analyzed", bytesOf(hole.Len()), hole.Begin)
		}
	}
	return nil
}

// block examines the data of a storage.
func (p *part) block(b *torchfile.Block) error {
	return p.Numbers(extent.Span{Begin: b.Begin, End: b.Begin + b.Size}, b.Head)
}

// formatStorage is the format of tensor data.
const formatStorage = "storage"

// storage examines a part that a pickle declares as tensor data, and that begins with head. Any
// pickle can declare any member, and another loader may read that member by its name, so it is
// analyzed like all others. Only for a name that PyTorch gives, and bytes with which no format
// begins, the first bytes are enough.
func (p *part) storage(head []byte) error {
	p.numeric = true
	p.plain = strings.Trim(strings.TrimSuffix(p.name, ".storage"), "0123456789") == ""
	if p.size > 0 && (!p.plain || !guess.OnlyNumbers(head)) {
		return p.look()
	}
	p.members++
	return p.tensorData()
}

// tensorData examines tensor data without another format. No loader treats it as code, so it is
// searched only if the scan is deep.
func (p *part) tensorData() error {
	p.format = formatStorage
	if !p.Deep {
		return nil
	}
	return p.Numbers(extent.Span{End: p.size}, nil)
}
