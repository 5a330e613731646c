// Validate: every rule that a file breaks, past the first.

package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/wording"
)

// A Report is what Validate found.
type Report struct {
	// Header is as much as could be made out, nil if nothing could. Entries
	// that break rules stand in it as far as they can be read.
	Header *Header

	// Violations are in the order of the bytes at fault. Of each rule there are
	// the first 1,000 that were met.
	Violations []*Violation

	// Omitted is how many more there are of each rule. It is nil if there are
	// none.
	Omitted map[Rule]int

	file *File // room for the file, if it is one, in the report's own allocation
}

// Validate judges the file of the given size behind r by every rule but
// bool-value, and goes on where it can after it found one broken. It reads the
// header, and none of the data.
//
// The error is of reading r, and never of what was read.
func Validate(r io.ReaderAt, size int64) (*Report, error) { return plainOpener.Validate(r, size) }

// Err returns nil if the file is a safetensors file, and otherwise its first
// violation of severity Nonconforming or above.
func (r *Report) Err() error {
	if v := r.First(Nonconforming); v != nil {
		return v
	}
	return nil
}

// First returns the first violation of at least the given severity, or nil.
func (r *Report) First(least Severity) *Violation {
	for _, v := range r.Violations {
		if v.Severity >= least {
			return v
		}
	}
	return nil
}

// judge reads the header of the file of the given size behind r, and judges
// both. If all, it looks for warnings and notes, too.
func (o *Opener) judge(r io.ReaderAt, size int64, all bool) (*Report, error) {
	if size < lengthSize {
		return reportOf(violation(RuleTooShort, "", Span{0, max(size, 0)},
			"the file has %s, and a file has at least 8", wording.Count(max(size, 0), "byte"))), nil
	}
	p := &parser{limits: o, all: all}
	if err := readFull(r, p.length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(p.length[:])
	if v := o.sizeViolation(n, size); v != nil || n == 0 {
		return o.notAHeader(r, size, v)
	}
	text, err := readText(r, int64(n))
	if err != nil {
		return nil, err
	}
	p.use(text)
	complete := p.parse()
	if !complete && len(p.tensors) == 0 {
		if report, err := foreign(r, size); report != nil || err != nil {
			return report, err
		}
	}
	return p.report(size, complete), nil
}

// sizeViolation judges N against the limit and the file's size, in the order in
// which the reference implementation does.
func (o *Opener) sizeViolation(n uint64, size int64) *Violation {
	limit := o.maxHeaderSize()
	var detail string
	switch swapped := bits.ReverseBytes64(n); {
	case n > uint64(limit) && size > lengthSize && swapped <= uint64(min(limit, size-lengthSize)):
		detail = fmt.Sprintf("the header is said to take %d bytes; in the other byte order it would be %d: the length is to be little-endian", n, swapped)
	case n > uint64(limit) && n > uint64(size):
		detail = fmt.Sprintf("the header is said to take %d bytes, which is no length that a header of this file can have", n)
	case n > uint64(limit):
		detail = fmt.Sprintf("the header is said to take %d bytes, more than the limit of %d", n, limit)
	case int64(n) > size-lengthSize:
		detail = fmt.Sprintf("the file ends in its header, which is said to take %d bytes, and of which %d are there", n, size-lengthSize)
	default:
		return nil
	}
	return violation(RuleHeaderSize, "", Span{0, lengthSize}, "%s", detail)
}

// notAHeader reports a file whose N cannot be right: as a file of another
// format if it is one, and otherwise by v.
func (o *Opener) notAHeader(r io.ReaderAt, size int64, v *Violation) (*Report, error) {
	if report, err := foreign(r, size); report != nil || err != nil {
		return report, err
	}
	if v == nil {
		v = violation(RuleJSON, "", Span{0, lengthSize}, "header: at byte 0: expected an object, found the end")
	}
	return reportOf(v), nil
}

func reportOf(v *Violation) *Report { return &Report{Violations: []*Violation{v}} }

// readFull reads len(b) bytes at off. That the file ends before is an error of
// reading: it has become shorter than its size.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == nil:
		return fmt.Errorf("safetensors: read %d bytes at %d, and then the file ended, before its size: %w", n, off, io.ErrUnexpectedEOF)
	}
	return err
}

// noSize is the size of a file of which only the header is known. No file is
// larger than largestFile.
const (
	noSize      = -1
	largestFile = math.MaxInt64 - 1
)

// report judges what was parsed. If the header is not complete, tensors may be
// missing.
func (p *parser) report(size int64, complete bool) *Report {
	p.supersede()
	p.renderFaults()
	p.blind = p.blind || !complete
	end := p.next
	if !p.tiled {
		end = p.tile()
	}
	if size == noSize {
		size, p.blind = largestFile, true
	}
	p.ends(end, size)
	if p.all && complete {
		p.warn()
	}
	slices.SortStableFunc(p.violations, func(a, b *Violation) int { return compareOffsets(a.Span, b.Span) })
	var all struct {
		header Header
		report Report
		file   File
	}
	all.header = Header{Metadata: p.metadata, Tensors: p.tensors, Size: int64(len(p.text)), byName: p.byName, indexed: true}
	all.report = Report{Header: &all.header, Violations: p.violations, Omitted: p.omitted, file: &all.file}
	return &all.report
}

// supersede drops entries that a later one of the same name replaces, as the
// reference implementation does, with their faults.
func (p *parser) supersede() {
	var equal bool
	if p.byName, equal = sortByName(p.tensors, p.runs); !equal {
		return
	}
	dups := duplicates(p.tensors, p.byName)
	lost := make([]bool, len(p.tensors))
	for _, d := range dups {
		lost[d.lost] = true
		name := p.tensors[d.kept].Name
		p.found(RuleDuplicateName, name, p.tensors[d.kept].Entry, "two tensors are called %s: the first at bytes %d-%d, the second at bytes %d-%d",
			quoted(name), p.tensors[d.lost].Entry.Begin, p.tensors[d.lost].Entry.End, p.tensors[d.kept].Entry.Begin, p.tensors[d.kept].Entry.End)
	}
	p.tiled = false
	p.faults = slices.DeleteFunc(p.faults, func(f fault) bool { return lost[f.entry] })
	kept := p.tensors[:0]
	moved := make([]int, len(lost)) // to which index each entry goes
	for i := range p.tensors {
		moved[i] = len(kept)
		if !lost[i] {
			kept = append(kept, p.tensors[i])
		}
	}
	for i := range p.faults {
		p.faults[i].entry = moved[p.faults[i].entry]
	}
	p.tensors = kept
	p.byName, _ = sortByName(kept, descents(kept))
}

// renderFaults makes violations of the faults.
func (p *parser) renderFaults() {
	for _, f := range p.faults {
		ti := &p.tensors[f.entry]
		what := "tensor " + quote(ti.Name)
		switch f.rule {
		case RuleOffsets:
			p.found(f.rule, ti.Name, ti.Entry, "%s begins at %d, after its end at %d", what, f.begin, f.end)
		case RuleOverflow:
			p.found(f.rule, ti.Name, ti.Entry, "%s has more bits than 64 bits can count: %s %s", what, ti.Dtype, shorten(ti.ShapeString()))
		case RuleWholeBytes:
			p.found(f.rule, ti.Name, ti.Entry, "%s does not fill whole bytes: %s %s", what, ti.Dtype, shorten(ti.ShapeString()))
		case RuleTensorSize:
			p.found(f.rule, ti.Name, ti.Entry, "%s has %s, and %s %s takes %d", what, wording.Count(saturate(f.end-f.begin), "byte"), ti.Dtype, shorten(ti.ShapeString()), f.want)
		}
	}
}

func shorten(shape string) string {
	const most = 80
	if len(shape) > most {
		return shape[:most] + "..."
	}
	return shape
}

// warn looks for what readers accept and should not have to.
func (p *parser) warn() {
	if p.dataStart%8 != 0 {
		p.found(RuleDataAlignment, "", Span{0, lengthSize}, "the data begins at %d, which is no multiple of 8", p.dataStart)
	}
	names := p.mayHaveControls()
	for i := range p.tensors {
		ti := &p.tensors[i]
		size := int64(ti.Dtype.Bits() / 8)
		if begin := ti.Offsets.shift(p.dataStart).Begin; size > 1 && begin%size != 0 && ti.Size() > 0 {
			p.found(RuleElementAlignment, ti.Name, ti.Entry, "tensor %s begins at byte %d, which is no multiple of the %d bytes of %s; a loader that maps the file copies its %s",
				quoted(ti.Name), begin, size, ti.Dtype, wording.Count(ti.Size(), "byte"))
		}
		if names {
			if what := nameHazard(ti.Name); what != "" {
				p.found(RuleNameControl, ti.Name, ti.Entry, "tensor %s has %s in its name", quoted(ti.Name), what)
			}
		}
	}
	if _, ok := p.metadata["format"]; !ok && p.counts[RuleMetadataFormat] == 0 {
		p.found(RuleMetadataFormat, "", Span{lengthSize, lengthSize}, "__metadata__ has no \"format\"")
	}
}

// mayHaveControls says whether the header's text allows for a hazard in a name.
func (p *parser) mayHaveControls() bool {
	return p.escapes || p.NonASCII || bytes.IndexByte(p.text, 0x7f) >= 0 || bytes.Contains(p.text, []byte(".."))
}

// nameHazard returns what is dangerous about a name to those who print it or
// make a path of it, or "".
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
