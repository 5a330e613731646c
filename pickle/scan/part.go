// Parts: runs of bytes that are something by themselves, and what is found in them.

package scan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/unpack"
)

// A part is the file, a member of an archive, or what something unpacks to.
type part struct {
	*scanning
	within *part  // the part that it is in, nil for the file
	path   string // "" for the file
	name   string // the last element of it, which may say what the part should be
	file   io.ReaderAt
	size   int64
	offset int64 // in the file, -1 if it is unpacked
	depth  int
	member int  // its index in the report, -1 for the file
	loaded bool // a loader unpickles it, whatever its name
	holds  bool // it is an archive
	zipped bool // and of zip
	packed bool // what it unpacks to is a part of it
	goesOn bool // there is more of it, which is not unpacked
	// ids says which persistent ids a loader of the part knows beside those of storages,
	// and graph is called with the values of a pickle. Both may be nil.
	ids   func(pickle.Value) bool
	graph func(*pickle.Graph)

	window  *bytesio.Window
	format  string
	formats int        // how many formats it is
	known   extent.Set // what some format explains
	swept   bool       // what none does was searched already, or is not worth it
	verdict pickle.Verdict
	reason  string // why it was not seen completely
	blame   string // the path of the part within it that was not, "" if it is this one
}

// newPart returns a part in another, nil for the file, whose bytes are behind r.
func (s *scanning) newPart(within *part, name string, r io.ReaderAt, size int64) *part {
	if within != nil && name == "" {
		name = "(no name)" // which is not the file itself
	}
	name = cutName(name)
	p := &part{scanning: s, within: within, path: name, name: path.Base(name), file: r, size: size, member: -1, window: bytesio.NewWindow(r, size)}
	if within == nil {
		return p
	}
	if within.path != "" {
		p.path = within.path + "!" + name
	}
	p.depth, p.offset = within.depth+1, -1
	const usual = 300 // bytes of a part, and of what is reported of it
	s.held += usual + 2*int64(len(p.path))
	s.report.Members = append(s.report.Members, Member{Path: p.path, Size: size})
	p.member = len(s.report.Members) - 1
	return p
}

// cutName returns a name, and of one that is far longer than any published one, and that
// would stand in the paths of all that is in it, the start and the end.
func cutName(name string) string {
	const most = 512 // bytes
	if len(name) <= most {
		return name
	}
	return fmt.Sprintf("%s…%s (%d bytes)", strings.ToValidUTF8(name[:most/2], ""), strings.ToValidUTF8(name[len(name)-most/2:], ""), len(name))
}

// crowded reports that there are more parts than are looked at, if there are.
func (p *part) crowded() bool {
	if len(p.report.Members) >= p.MaxMembers || p.held > p.MaxMemory {
		p.overBudget(0, "there are more parts than the %d that were looked at", len(p.report.Members))
		return true
	}
	if p.left <= 0 {
		p.overWork(0)
		return true
	}
	return false
}

// section returns a part that is a run of bytes of another, as it is.
func (p *part) section(name string, span extent.Span) *part {
	sub := p.newPart(p, name, io.NewSectionReader(p.file, span.Begin, span.Len()), span.Len())
	if p.offset >= 0 {
		sub.offset = p.offset + span.Begin
	}
	return sub
}

// reopen makes the part begin anew, after its bytes were set.
func (p *part) reopen() { p.window = bytesio.NewWindow(p.file, p.size) }

// hold reads a part that is small: it will be looked at more than once, and a server is
// asked for it once.
func (p *part) hold() error {
	if p.size > unpack.Kept {
		return nil
	}
	b := make([]byte, p.size)
	if err := bytesio.ReadFull(p.file, b, 0); err != nil {
		return err
	}
	p.file = bytes.NewReader(b)
	p.reopen()
	return nil
}

// settle looks at a part of this one and takes over its verdict. That a limit is met
// in it is the part's, and no error.
func (p *part) settle(sub *part, look func() error) error {
	err := look()
	if errors.Is(err, unpack.ErrLimit) {
		p.report.Limited = true
		sub.incomplete("%v", unpack.ErrLimit)
		err = nil
	}
	if err != nil {
		return err
	}
	m := &p.report.Members[sub.member]
	m.Offset, m.Format, m.Verdict = sub.offset, sub.format, sub.verdict
	m.Reason, m.Complete = sub.why(), sub.reason == ""
	p.verdict = max(p.verdict, sub.verdict)
	if sub.reason != "" && p.reason == "" {
		p.reason, p.blame = sub.reason, cmp.Or(sub.blame, sub.path)
	}
	return nil
}

// why says why the part was not seen completely, "" if it was.
func (p *part) why() string {
	if p.blame == "" {
		return p.reason
	}
	return quoted(p.blame) + ": " + p.reason
}

// inside looks at a part of this one.
func (p *part) inside(sub *part) error { return p.settle(sub, sub.look) }

// is takes note that the part is of a format.
func (p *part) is(format string) {
	if p.formats++; p.format == "" {
		p.format = format
	}
}

// at returns the n bytes at off, or fewer if the part ends before.
func (p *part) at(off int64, n int) ([]byte, error) { return p.window.At(off, n) }

// begins says whether the bytes at off are those of a magic.
func (p *part) begins(off int64, magic string) (bool, error) {
	b, err := p.at(off, len(magic))
	return string(b) == magic, err
}

// explain takes note that a format accounts for the bytes from begin to end.
func (p *part) explain(begin, end int64) { p.known.Add(extent.Span{Begin: begin, End: end}) }

// find reports a finding of the severity that its rule has.
func (p *part) find(rule pickle.Rule, off int64, format string, args ...any) {
	p.add(pickle.Finding{Rule: rule, Severity: Severity(rule), Offset: off, Message: fmt.Sprintf(format, args...)})
}

// add reports a finding.
func (p *part) add(f pickle.Finding) {
	p.verdict = max(p.verdict, f.Severity.Verdict())
	f.Count = max(f.Count, 1)
	key := alike{p.path, f.Message, f.Rule}
	if i, ok := p.index[key]; ok {
		p.report.Findings[i].Join(&f)
		return
	}
	if p.noPlace(len(p.report.Findings), f.Severity.Verdict()) {
		p.report.Omitted += int(f.Count)
		return
	}
	if p.index == nil {
		p.index = make(map[alike]int)
	}
	p.index[key] = len(p.report.Findings)
	p.report.Findings = append(p.report.Findings, Finding{p.path, f})
}

// noPlace says whether a list of n has no place for one more of a verdict. What is
// dangerous has as many places again, so that nothing can crowd it out.
func (s *scanning) noPlace(n int, v pickle.Verdict) bool {
	return n >= s.MaxReport && (v != pickle.Dangerous || n >= 2*s.MaxReport)
}

// imports reports a name that loading the part would import.
func (p *part) imports(im Import) {
	p.verdict = max(p.verdict, im.Verdict)
	if p.noPlace(len(p.report.Imports), im.Verdict) {
		p.report.Omitted++
		return
	}
	im.Member = p.path
	p.report.Imports = append(p.report.Imports, im)
}

// calls reports a call that loading the part would make.
func (p *part) calls(c pickle.Call) {
	p.verdict = max(p.verdict, c.Verdict)
	if p.noPlace(len(p.report.Calls), c.Verdict) {
		p.report.Omitted++
		return
	}
	p.report.Calls = append(p.report.Calls, Call{p.path, c})
}

// unscanned reports that something in the part was not seen.
func (p *part) unscanned(off int64, format string, args ...any) {
	p.incomplete(format, args...)
	p.find(RuleUnscanned, off, format, args...)
}

// incomplete takes note that the part was not seen completely.
func (p *part) incomplete(format string, args ...any) {
	p.verdict = max(p.verdict, pickle.Suspicious)
	if p.reason == "" {
		p.reason = fmt.Sprintf(format, args...)
	}
}

// quoted returns a name as part of a message.
func quoted(name string) string { return wording.Quote(name) }

// bytesOf returns a number of bytes.
func bytesOf(n int64) string { return wording.Count(n, "byte") }
