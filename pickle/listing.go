// Listings: instructions as lines, with what they would import and call.

package pickle

import (
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Line is one instruction as it is listed, or bytes that are none.
type Line struct {
	Offset int64
	End    int64
	Stream int    // which of the report's streams it is of, -1 if of none
	Opcode Opcode // 0 if the bytes are no instruction
	Arg    string // the argument as Python writes it, "" if there is none
	Mark   string // "(MARK at 12)" if it takes a MARK off the stack, "(as 3)" if it is MEMOIZE
	Indent int    // how many MARKs are open before it
	Depth  int    // how many values and MARKs are on the stack after it

	// Remark says what the instruction imports, calls or breaks, "" if nothing;
	// Verdict is what is thought of that.
	Remark  string
	Verdict Verdict
}

// String returns the line as Python's pickletools prints it, without Depth and
// Remark.
func (l *Line) String() string {
	if l.Opcode == 0 {
		return fmt.Sprintf("%5d: %s", l.Offset, l.Arg)
	}
	code := strconv.QuoteToASCII(string([]byte{byte(l.Opcode)}))
	const deepest = 100 // levels that are indented: a hostile pickle has a million
	s := fmt.Sprintf("%5d: %-4s %*s%s", l.Offset, code[1:len(code)-1], 4*min(l.Indent, deepest), "", l.Opcode)
	if l.Arg == "" && l.Mark == "" {
		return s
	}
	s += fmt.Sprintf("%*s", max(10-len(l.Opcode.String()), 0), "")
	for _, part := range []string{l.Arg, l.Mark} {
		if part != "" {
			s += " " + part
		}
	}
	return s
}

// Lines yields the instructions of the size bytes behind r, of one stream after
// another, and between them what belongs to none. It judges the bytes first, so
// that a line can say what is thought of it. An argument longer than 4,096 bytes
// is cut off. The error is of reading.
func Lines(r io.ReaderAt, size int64, o *Options) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		report, err := Analyze(r, size, o)
		if err != nil {
			yield(Line{Stream: -1}, err)
			return
		}
		l := &listing{m: newJudge(r, size, o), report: report, yield: yield, going: true, verdicts: map[string]Verdict{}}
		for i := range report.Imports {
			l.verdicts[report.Imports[i].String()] = report.Imports[i].Verdict
		}
		at := int64(0)
		for i, s := range report.Streams {
			l.rest(at, s.Offset)
			l.stream(i, s)
			at = max(at, s.End)
		}
		l.rest(at, size)
	}
}

// A listing makes lines.
type listing struct {
	m      *judge
	report *Report
	yield  func(Line, error) bool
	going  bool      // whether lines are still wanted
	marks  []int64   // where the open MARKs are
	outer  [][]int64 // the same of the streams around this one

	verdicts map[string]Verdict // by import
}

// stream yields the lines of a stream.
func (l *listing) stream(i int, s Stream) {
	m := l.m
	if m.Size() > forgetAfter {
		m.Forget() // with the memo, which may be of the stream before
	}
	found := newFindings(l.report.policy, 0, m.o.maxReport())
	m.begin(s.Offset, found)
	m.Budget = m.o.maxOpcodes()
	l.marks, l.outer = nil, nil
	m.Observe = func() {
		line := Line{Offset: m.Token.Off, End: m.Reader.Offset(), Stream: i, Opcode: Opcode(m.Token.Code), Arg: string(m.Token.Argument()), Indent: len(l.marks)}
		live, calls := m.Memoized(), m.Calls()
		found.forget()
		m.Step()
		if m.Token.Code == opcode.Memoize {
			line.Mark = fmt.Sprintf("(as %d)", live)
		}
		l.follow(&line)
		line.Depth = m.Depth()
		l.remark(&line, found.list, m.Calls() > calls)
		l.going = l.going && l.yield(line, nil)
		if !l.going || m.Reader.Offset() >= s.End {
			m.End()
		}
	}
	m.Run()
}

// follow does with MARKs what the machine did.
func (l *listing) follow(line *Line) {
	m := l.m
	switch n := len(l.outer); {
	case m.Within() > n:
		l.outer, l.marks = append(l.outer, l.marks), nil
	case m.Within() < n:
		l.marks, l.outer = l.outer[n-1], l.outer[:n-1]
	case m.Token.Code == opcode.Mark:
		l.marks = append(l.marks, line.Offset)
	case m.Open() < len(l.marks):
		line.Mark = fmt.Sprintf("(MARK at %d)", l.marks[len(l.marks)-1])
		l.marks = l.marks[:len(l.marks)-1]
	}
}

// remark says what a line imports, calls and breaks.
func (l *listing) remark(line *Line, findings []Finding, called bool) {
	m := l.m
	add := func(s string, v Verdict) {
		if line.Remark != "" {
			s = line.Remark + "; " + s
		}
		line.Remark, line.Verdict = s, max(line.Verdict, v)
	}
	if r, ok := m.Top(); ok && m.Is(r, heap.KindGlobal) {
		switch g := m.NameOf(m.At(r)).(*global); m.Token.Code {
		case opcode.Global, opcode.StackGlobal, opcode.Ext1, opcode.Ext2, opcode.Ext4, opcode.Reduce:
			v := l.verdict(g)
			add(fmt.Sprintf("imports %s: %s", g.Label(), v), v)
		}
	}
	if called {
		c := m.CallAt(uint64(m.Calls() - 1))
		v := Dangerous
		if n := m.At(c.Callee); n.Kind == heap.KindGlobal {
			v = l.verdict(m.NameOf(n).(*global))
		}
		add("calls "+m.summary(c.Callee), v)
	}
	for _, f := range findings {
		add(string(f.Rule), f.Severity.Verdict())
	}
}

// verdict returns what the report thinks of an import: more than can be known
// while it is read.
func (l *listing) verdict(g *global) Verdict {
	if v, ok := l.verdicts[g.String()]; ok {
		return v
	}
	return g.Verdict
}

// rest yields bytes that belong to no stream.
func (l *listing) rest(from, to int64) {
	if from >= to || !l.going {
		return
	}
	const most = 16
	b := make([]byte, min(to-from, most))
	n, _ := l.m.Reader.Source().ReadAt(b, from)
	text := fmt.Sprintf("% x", b[:n])
	if to-from > most {
		text += fmt.Sprintf(" ... (%s)", wording.Count(to-from, "byte"))
	}
	l.going = l.yield(Line{Offset: from, End: to, Stream: -1, Arg: text, Remark: "no instructions", Verdict: Suspicious}, nil)
}

// Disassemble writes the instructions of the size bytes behind r to w, as
// Python's pickletools does. Behind each it writes how much is on the stack, and
// what it imports and calls, with what is thought of that. The error is of
// reading or of writing.
func Disassemble(w io.Writer, r io.ReaderAt, size int64, o *Options) error {
	highest := 0
	for line, err := range Lines(r, size, o) {
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%-60s ; %d", line.String(), line.Depth)
		if line.Opcode == 0 {
			text = line.String()
		}
		if line.Remark != "" {
			text += " " + line.Remark
		}
		highest = max(highest, line.Opcode.Proto())
		if line.Opcode == Opcode(opcode.Stop) {
			text += fmt.Sprintf("\nhighest protocol among opcodes = %d", highest)
			highest = 0
		}
		if _, err := io.WriteString(w, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}
