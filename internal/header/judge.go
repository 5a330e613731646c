// Faults that several entries have together.

package header

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/wording"
)

// NoSize means that the size of the file is unknown.
const NoSize = -1

// judge compares the entries with each other and with the size of the file. If
// the header is not complete, tensors may be missing.
func (p *Parser) judge(size int64, complete bool) {
	p.supersede()
	p.mismatched()
	p.blind = p.blind || !complete
	end := p.next
	if !p.tiled {
		end = p.tile()
	}
	if size == NoSize {
		size, p.blind = math.MaxInt64-1, true
	}
	p.ends(end, size)
	if p.All && complete {
		p.warn()
	}
	slices.SortStableFunc(p.faults, func(a, b Fault) int { return compareSpans(a.Span, b.Span) })
}

// supersede drops entries that a later one of the same name replaces, as the
// reference implementation does, and their faults.
func (p *Parser) supersede() {
	var equal bool
	if len(p.runs) > 0 && cap(p.indices) < 2*len(p.tensors) {
		p.indices = make([]uint32, 2*len(p.tensors))
	}
	if p.byName, equal = sortByName(p.tensors, p.runs, p.indices); !equal {
		return
	}
	dups := duplicates(p.tensors, p.byName)
	lost := make([]bool, len(p.tensors))
	for _, d := range dups {
		lost[d.lost] = true
		name, first, last := p.tensors[d.kept].Name, p.tensors[d.lost].Entry, p.tensors[d.kept].Entry
		p.found(DuplicateName, name, last, "duplicate tensor name %s: first at bytes %d-%d, then at bytes %d-%d",
			wording.Quoted(name), first.Begin, first.End, last.Begin, last.End)
	}
	p.tiled = false
	p.mismatches = slices.DeleteFunc(p.mismatches, func(f mismatch) bool { return lost[f.entry] })
	kept := p.tensors[:0]
	moved := make([]int, len(lost)) // the new index of each entry
	for i := range p.tensors {
		moved[i] = len(kept)
		if !lost[i] {
			kept = append(kept, p.tensors[i])
		}
	}
	for i := range p.mismatches {
		p.mismatches[i].entry = moved[p.mismatches[i].entry]
	}
	p.tensors = kept
	p.byName, _ = sortByName(kept, descents(kept), make([]uint32, 2*len(kept)))
}

// mismatched turns the mismatches into faults.
func (p *Parser) mismatched() {
	for _, f := range p.mismatches {
		ti := &p.tensors[f.entry]
		what := "tensor " + wording.Quote(ti.Name)
		switch f.rule {
		case Offsets:
			p.found(f.rule, ti.Name, ti.Entry, "the data of %s begins at byte %d, after its end at %d",
				what, f.begin, f.end)
		case Overflow:
			p.found(f.rule, ti.Name, ti.Entry, "the number of bits of %s overflows 64 bits: %s %s",
				what, ti.Dtype, Shorten(ShapeString(ti.Shape)))
		case WholeBytes:
			p.found(f.rule, ti.Name, ti.Entry, "%s does not fill whole bytes: %s %s",
				what, ti.Dtype, Shorten(ShapeString(ti.Shape)))
		case TensorSize:
			p.found(f.rule, ti.Name, ti.Entry, "%s has %s, but %s %s takes %d",
				what, wording.Count(clamp.Uint(f.end-f.begin), "byte"), ti.Dtype, Shorten(ShapeString(ti.Shape)), f.want)
		}
	}
}

// warn looks for warnings and notes.
func (p *Parser) warn() {
	if p.dataStart%8 != 0 {
		p.found(DataAlignment, "", Span{0, LengthSize}, "the data begins at byte %d, which is not a multiple of 8",
			p.dataStart)
	}
	names := p.mayHaveHazards()
	for i := range p.tensors {
		ti := &p.tensors[i]
		size := int64(width(ti.Dtype) / 8)
		if begin := ti.Offsets.Shift(p.dataStart).Begin; size > 1 && begin%size != 0 && ti.Offsets.Len() > 0 {
			p.found(ElementAlignment, ti.Name, ti.Entry, "tensor %s begins at byte %d, which is not a multiple "+
				"of the %d bytes of %s; a loader that maps the file has to copy its %s",
				wording.Quoted(ti.Name), begin, size, ti.Dtype, wording.Count(ti.Offsets.Len(), "byte"))
		}
		if names {
			if what := nameHazard(ti.Name); what != "" {
				p.found(NameControl, ti.Name, ti.Entry, "tensor %s has %s in its name", wording.Quoted(ti.Name), what)
			}
		}
	}
	if _, ok := p.metadata["format"]; !ok && p.counts[MetadataFormat] == 0 {
		p.found(MetadataFormat, "", Span{LengthSize, LengthSize}, "__metadata__ has no \"format\"")
	}
}

// mayHaveHazards reports whether some name can have a hazard.
func (p *Parser) mayHaveHazards() bool {
	return p.escapes || p.NonASCII || bytes.IndexByte(p.text, 0x7f) >= 0 || bytes.Contains(p.text, []byte(".."))
}

// nameHazard returns what makes a name dangerous to print or to use as a path,
// or "".
func nameHazard(name string) string {
	hazard := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	if i := strings.IndexFunc(name, hazard); i >= 0 {
		r, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Sprintf("the control character %+q", r)
	}
	for segment := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == ".." {
			return "the path segment \"..\""
		}
	}
	return ""
}
