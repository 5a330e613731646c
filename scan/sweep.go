// Sweeps: pickles in bytes that no format accounts for.

package scan

import (
	"bytes"
	"io"
	"strings"

	"github.com/weightools/safetensors/internal/extent"
	"github.com/weightools/safetensors/pickle"
)

// sweep looks for pickles in bytes that belong to nothing, and reports what they would
// import, since whoever hid them has a loader for them.
func (p *part) sweep(span extent.Span) error {
	return p.each(span, func(off int64, r *pickle.Report) { p.judged(r, off) })
}

// searchNumbers looks for pickles among the numbers of tensors, which no loader
// unpickles.
func (p *part) searchNumbers(span extent.Span) error {
	return p.each(span, func(off int64, r *pickle.Report) {
		what := "a pickle stands among the numbers of a tensor, where no loader looks for one"
		var names []string
		for i := range r.Imports {
			names = append(names, quoted(r.Imports[i].String()))
		}
		if len(names) > 0 {
			what += ": it imports " + strings.Join(names[:min(len(names), 3)], ", ")
		}
		p.find(pickle.RuleEmbedded, off, "%s", what)
	})
}

// each calls found for every pickle in a span, as far as is searched. Any three bytes
// may be the start of a pickle, so chance has to be told from intent: a pickle counts
// if it imports something dangerous, or imports something and ends, or in a short span
// ends.
func (p *part) each(span extent.Span, found func(off int64, r *pickle.Report)) error {
	const block, overlap, short = 64 << 10, 1 << 10, 64 << 10
	end := min(span.End, span.Begin+p.search())
	buf := make([]byte, min(block, end-span.Begin))
	next := span.Begin // where the last pickle ended
	for at := span.Begin; at < end; {
		b := buf[:min(int64(len(buf)), end-at)]
		if n, err := p.file.ReadAt(b, at); n < len(b) {
			return err
		}
		last := at+int64(len(b)) == end
		for i := range b {
			if off := at + int64(i); off >= next && (last || i < len(b)-overlap) && mayBeHidden(b[i:]) {
				r, err := p.try(extent.Span{Begin: off, End: span.End})
				if err != nil {
					return err
				}
				if counts(r, span.Len() <= short) {
					found(off, r)
					next = off + max(r.End, 1)
				}
			}
		}
		if last {
			break
		}
		at += int64(len(b) - overlap)
	}
	return nil
}

// try judges the bytes of a span as one pickle.
func (p *part) try(span extent.Span) (*pickle.Report, error) {
	opts := p.pickleOptions()
	opts.MaxStreams, opts.NoSweep, opts.MaxOpcodes = 1, true, 1_000_000
	return pickle.Analyze(io.NewSectionReader(p.file, span.Begin, span.Len()), span.Len(), opts)
}

// counts says whether a report is of a pickle, and not of bytes that happen to look
// like the start of one.
func counts(r *pickle.Report, short bool) bool {
	stopped := len(r.Streams) > 0 && r.Streams[0].Stopped
	named := false
	for i := range r.Imports {
		im := &r.Imports[i]
		named = named || isName(im.Module) && isName(im.Name)
	}
	return dangerous(r) || stopped && (named || short)
}

// isName says whether s is a dotted name in Python of two characters at least.
func isName(s string) bool {
	if len(s) < 2 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && c != '.' && !('0' <= c && c <= '9' && i > 0) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// The opcodes by which hidden pickles are found.
const (
	opProto  = 0x80
	opGlobal = 'c'
	opInst   = 'i'
	opShort  = 0x8c // SHORT_BINUNICODE
	opMemo   = 0x94 // MEMOIZE
	opStack  = 0x93 // STACK_GLOBAL
)

// firstOpcodes are those with which picklers begin after the protocol, and attackers.
const firstOpcodes = "\x95()]}cijKJIMLNSTUVXGBC\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x96hrpq0t2\x80"

// mayBePickle says whether bytes begin with a protocol and an opcode that may follow
// it.
func mayBePickle(b []byte) bool {
	return len(b) > 2 && b[0] == opProto && b[1] <= 5 && strings.IndexByte(firstOpcodes, b[2]) >= 0
}

// mayBeHidden says whether a pickle may begin with b, or a part of one that imports:
// also without a protocol.
func mayBeHidden(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	switch b[0] {
	case opProto:
		return mayBePickle(b)
	case opGlobal, opInst:
		return isLine(b[1:])
	case opShort:
		return isStackGlobal(b)
	}
	return false
}

// isLine says whether two lines that are names follow.
func isLine(b []byte) bool {
	const most = 512
	b = b[:min(len(b), most)]
	for range 2 {
		name, rest, ok := bytes.Cut(b, []byte{'\n'})
		if !ok || !isName(string(bytes.TrimSuffix(name, []byte{'\r'}))) {
			return false
		}
		b = rest
	}
	return true
}

// isStackGlobal says whether two short strings that are names follow, and then an
// import.
func isStackGlobal(b []byte) bool {
	for range 2 {
		if len(b) < 2 || b[0] != opShort || len(b) < 2+int(b[1]) || !isName(string(b[2:2+int(b[1])])) {
			return false
		}
		b = b[2+int(b[1]):]
		if len(b) > 0 && b[0] == opMemo {
			b = b[1:]
		}
	}
	return len(b) > 0 && b[0] == opStack
}
