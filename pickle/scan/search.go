// Searches for pickles in bytes that no format accounts for.

package scan

import (
	"bytes"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// sweep looks for pickles in bytes that belong to nothing, and reports what they would
// import, since whoever hid them has a loader for them. More bytes than are searched
// leave the part incomplete.
func (p *part) sweep(span extent.Span) error {
	r, cut, err := p.search(span)
	if err != nil {
		return err
	}
	if cut {
		p.unscanned(span.Begin, "of %s that belong to nothing the first %s were searched for pickles", bytesOf(span.Len()), bytesOf(p.mostSearch()))
	}
	p.hidden(r, span.Begin)
	return nil
}

// hidden reports pickles that were found by a search from off on. Among many bytes some
// look like a pickle by chance, so those count that import something.
func (p *part) hidden(r *pickle.Report, off int64) {
	if len(r.Imports) > 0 {
		begin, end := r.Streams[0].Offset, r.Streams[len(r.Streams)-1].End
		p.visited(off+begin, end-begin)
		// That there is more beside them is known.
		p.takeOver(without(r, pickle.RuleTrailing, pickle.RuleMultiple), off)
	}
}

// search searches bytes for pickles, and says whether there are more than is searched.
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

// searched takes note of a search from off on. That it came to its end is its own matter,
// if nothing was found.
func (p *part) searched(r *pickle.Report, off int64) {
	p.paid(r)
	for _, f := range r.Findings {
		if f.Rule == pickle.RuleBudget && len(r.Imports) == 0 {
			p.overBudget(off+f.Offset, "%s", f.Message)
		}
	}
}

// numbers looks at the numbers of tensors, of which head is the start. No loader takes
// them for code: if they do not begin as a pickle does, they are searched only if the
// scan is deep.
func (p *part) numbers(span extent.Span, head []byte) error {
	if p.Deep {
		r, _, err := p.search(span)
		if err == nil && len(r.Imports) > 0 {
			p.embedded(r, span.Begin)
		}
		return err
	}
	if !mayBePickle(head) {
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

// embedded reports a pickle among the numbers of tensors.
func (p *part) embedded(r *pickle.Report, off int64) {
	what := "a pickle stands among the numbers of a tensor, where no loader looks for one"
	var names []string
	for i := range r.Imports {
		names = append(names, quoted(r.Imports[i].String()))
	}
	if len(names) > 0 {
		what += ": it imports " + strings.Join(names[:min(len(names), 3)], ", ")
	}
	p.find(pickle.RuleEmbedded, off, "%s", what)
}

// firstOpcodes are those with which picklers begin after the protocol, and attackers.
const firstOpcodes = "\x95()]}cijKJIMLNSTUVXGBC\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x96hrpq0t2\x80"

// mayBePickle says whether bytes begin with a protocol and an opcode that may follow
// it.
func mayBePickle(b []byte) bool {
	return len(b) > 2 && b[0] == 0x80 && b[1] <= 5 && strings.IndexByte(firstOpcodes, b[2]) >= 0
}

// zero says whether all bytes of a run are zero, as far as is looked.
func (p *part) zero(span extent.Span) (bool, error) {
	p.spend(min(span.Len(), usualSearch) / (4 * perInstr))
	for at := span.Begin; at < min(span.End, span.Begin+usualSearch); at += headSize {
		b, err := p.at(at, int(min(headSize, span.End-at)))
		if err != nil {
			return false, err
		}
		if len(bytes.TrimLeft(b, "\x00")) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// rest looks for pickles in what no format has explained.
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
		if err := p.sweep(hole); err != nil {
			return err
		}
	}
	return nil
}

// block looks at the numbers of a storage.
func (p *part) block(b *torchfile.Block) error {
	return p.numbers(extent.Span{Begin: b.Begin, End: b.Begin + b.Size}, b.Head)
}
