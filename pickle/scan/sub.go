// Parts of parts: members of archives and decompressed data.

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
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/unpack"
)

// newPart returns a part of another one, or of nothing for the file itself. Its bytes are in r.
func (s *scanning) newPart(within *part, name string, r io.ReaderAt, size int64) *part {
	if within != nil && name == "" {
		name = "(no name)" // "" is the path of the file itself
	}
	name = cutName(name)
	p := &part{scanning: s, within: within, path: name, name: path.Base(name), file: r, size: size, member: -1,
		window: bytesio.NewWindow(r, size)}
	if within == nil {
		return p
	}
	if within.path != "" {
		p.path = within.path + "!" + name
	}
	p.depth, p.offset = within.depth+1, -1
	const usual = 300 // bytes of a part and its entry in the report
	s.held += usual + 2*int64(len(p.path))
	s.report.Members = append(s.report.Members, Member{Path: p.path, Size: size})
	p.member = len(s.report.Members) - 1
	return p
}

// cutName shortens names that are much longer than any published one: a name is repeated in
// the paths of all nested parts.
func cutName(name string) string {
	const most = 512 // bytes
	if len(name) <= most {
		return name
	}
	return fmt.Sprintf("%s…%s (%d bytes)", strings.ToValidUTF8(name[:most/2], ""),
		strings.ToValidUTF8(name[len(name)-most/2:], ""), len(name))
}

// crowded reports a finding and returns true if a limit forbids further parts.
func (p *part) crowded() bool {
	if len(p.report.Members) >= p.MaxMembers || p.held > p.MaxMemory {
		p.overBudget(0, "there are more parts than the %d that were analyzed", len(p.report.Members))
		return true
	}
	if p.left <= 0 {
		p.OverWork(0)
		return true
	}
	return false
}

// section returns a part that is a range of bytes of another.
func (p *part) section(name string, span extent.Span) *part {
	sub := p.newPart(p, name, io.NewSectionReader(p.file, span.Begin, span.Len()), span.Len())
	if p.offset >= 0 {
		sub.offset = p.offset + span.Begin
	}
	return sub
}

// hold reads a small part into memory: it is read more than once, and a server should be
// asked only once.
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

// settle analyzes a nested part by calling look and merges its verdict into p. Exceeding a
// limit makes the nested part incomplete and is not an error.
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

// why returns the reason why the analysis of the part is incomplete, "" if it is complete.
func (p *part) why() string {
	if p.blame == "" {
		return p.reason
	}
	return quoted(p.blame) + ": " + p.reason
}

// look detects the formats of the part and analyzes it.
func (p *part) look() error { return p.lookInto(p) }

// inside analyzes a nested part.
func (p *part) inside(sub *part) error { return p.settle(sub, sub.look) }
