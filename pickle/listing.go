// Disassembly, annotated with imports and calls.

package pickle

import (
	"fmt"
	"io"
	"iter"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/listing"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Line is one instruction of a listing, or a run of bytes outside any pickle.
type Line struct {
	Offset int64
	End    int64
	Stream int    // index in Report.Streams, -1 if the bytes are outside any pickle
	Opcode Opcode // 0 if the bytes are not an instruction
	Arg    string // the argument as Python writes it, "" if there is none
	Mark   string // "(MARK at 12)" if it removes a MARK from the stack, "(as 3)" for MEMOIZE
	Indent int    // number of open MARKs before it
	Depth  int    // number of values and MARKs on the stack after it

	// Remark says what the instruction imports and calls, and which rules it violates; "" if nothing. Verdict is the
	// verdict on that.
	Remark  string
	Verdict Verdict
}

// String formats the line as Python's pickletools does, without Depth and Remark.
func (l *Line) String() string {
	return listing.Format(l.Offset, opcode.Code(l.Opcode), l.Indent, l.Arg, l.Mark)
}

// Lines yields the instructions of all streams in the first size bytes of r, and the bytes between streams. It analyzes
// the data first to have a verdict for each line. Arguments are truncated to 4,096 bytes. The error is a read
// error.
func Lines(r io.ReaderAt, size int64, o *Options) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		report, err := Analyze(r, size, o)
		if err != nil {
			yield(Line{Stream: -1}, err)
			return
		}
		l := &lister{m: newJudge(r, size, o.filled()), report: report, yield: yield, going: true}
		l.verdicts = map[string]Verdict{}
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

// A lister produces lines.
type lister struct {
	m      *judge
	report *Report
	yield  func(Line, error) bool
	going  bool // yield has not returned false
	marks  listing.Marks

	verdicts map[string]Verdict // by import
}

// stream yields the lines of a stream.
func (l *lister) stream(i int, s Stream) {
	m := l.m
	if m.Size() > forgetAfter {
		m.Forget() // including the memo of previous streams
	}
	found := newFindings(l.report.policy, 0, m.o.MaxReport)
	m.begin(s.Offset, found)
	m.Budget = m.o.MaxOpcodes
	l.marks = listing.Marks{}
	m.Observe = func() {
		line := Line{Offset: m.Token.Off, End: m.Reader.Offset(), Stream: i, Opcode: Opcode(m.Token.Code)}
		line.Arg, line.Indent = string(m.Token.Argument()), l.marks.Len()
		live, calls := m.Memoized(), m.Calls()
		found.forget()
		m.Step()
		if m.Token.Code == opcode.Memoize {
			line.Mark = fmt.Sprintf("(as %d)", live)
		}
		if at, ok := l.marks.Follow(m.Token.Code, line.Offset, m.Within(), m.Open()); ok {
			line.Mark = fmt.Sprintf("(MARK at %d)", at)
		}
		line.Depth = m.Depth()
		l.remark(&line, found.list, m.Calls() > calls)
		l.going = l.going && l.yield(line, nil)
		if !l.going || m.Reader.Offset() >= s.End {
			m.End()
		}
	}
	m.Run()
}

// remark adds the imports, calls and violated rules of a line.
func (l *lister) remark(line *Line, findings []Finding, called bool) {
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

// verdict returns the report's verdict on an import, which takes later uses into account.
func (l *lister) verdict(g *global) Verdict {
	if v, ok := l.verdicts[g.String()]; ok {
		return v
	}
	return g.Verdict
}

// rest yields bytes outside any stream.
func (l *lister) rest(from, to int64) {
	if from >= to || !l.going {
		return
	}
	text := listing.Bytes(l.m.Reader.Source(), from, to)
	line := Line{Offset: from, End: to, Stream: -1, Arg: text, Remark: "not an instruction", Verdict: Suspicious}
	l.going = l.yield(line, nil)
}

// Disassemble writes the instructions of the first size bytes of r to w, formatted as Python's pickletools does. It
// adds the stack depth to each line, and the verdict on imports and calls. The error is a read or write error.
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
