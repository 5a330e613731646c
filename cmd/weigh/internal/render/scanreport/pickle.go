// Disassembly of pickles.

package scanreport

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// Pickles is the pickles of a file. They are written while the file is scanned.
type Pickles struct {
	Path string
	// Scan calls show for each pickle, and returns the report. It is called once.
	Scan func(show func(scan.Pickle)) (*scan.Report, error)
	// Member selects the pickles of one archive member; "" means all.
	Member string
	// MaxLines limits the number of instructions in total.
	MaxLines int
	// More is as in ScanText.
	More int

	Report *scan.Report // of Scan
	Shown  int          // number of pickles
	listed int          // number of instructions

	others NoMemberError // the pickles that Member does not select
}

// A NoMemberError says that no pickle has the name of Pickles.Member. Nothing was written.
type NoMemberError struct {
	Members []string // the members that have pickles, at most 20
	More    int      // how many more there are
}

// Error returns the error as one line.
func (e *NoMemberError) Error() string {
	if len(e.Members) == 0 {
		return "no member is a pickle"
	}
	text := "the pickles are " + strings.Join(e.Members, ", ")
	if e.More > 0 {
		text += " and " + typeset.Count(int64(e.More)) + " more"
	}
	return text
}

// note records the name of a member that is not selected.
func (p *Pickles) note(member string) {
	const most = 20
	name := `"` + typeset.Name(typeset.Shortened(member)) + `"`
	switch {
	case member == "" || slices.Contains(p.others.Members, name):
	case len(p.others.Members) == most:
		p.others.More++
	default:
		p.others.Members = append(p.others.Members, name)
	}
}

// wanted reports whether a pickle is selected.
func (p *Pickles) wanted(k *scan.Pickle) bool {
	return p.Member == "" || k.Member == p.Member || typeset.Shortened(k.Member) == p.Member
}

// lines yields the instructions of a pickle up to the limit, with offsets in its archive member.
func (p *Pickles) lines(k *scan.Pickle) iter.Seq2[pickle.Line, error] {
	return func(yield func(pickle.Line, error) bool) {
		if p.cut() {
			return
		}
		for line, err := range pickle.Lines(k.Bytes, k.Size, k.Options) {
			if p.listed++; p.cut() {
				return
			}
			line.Offset, line.End = line.Offset+k.Offset, line.End+k.Offset
			if !yield(line, err) {
				return
			}
		}
	}
}

// cut reports whether the limit is exceeded.
func (p *Pickles) cut() bool { return p.listed > p.MaxLines }

// each scans the file and calls show for each selected pickle.
func (p *Pickles) each(show func(*scan.Pickle) error) error {
	var failed error
	report, err := p.Scan(func(k scan.Pickle) {
		if failed != nil {
			return
		}
		if !p.wanted(&k) {
			p.note(k.Member)
			return
		}
		p.Shown++
		failed = show(&k)
	})
	p.Report = report
	if failed != nil {
		return failed
	}
	if err == nil && p.Member != "" && p.Shown == 0 {
		return &p.others
	}
	return err
}

// A held writer drops output as long as no pickle of the selected member was shown: if there is none,
// the report is an error.
type held struct {
	io.Writer
	p *Pickles
}

// Write writes b, or drops it while no pickle of the selected member was shown.
func (h held) Write(b []byte) (int, error) {
	if h.p.Member != "" && h.p.Shown == 0 {
		return len(b), nil
	}
	return h.Writer.Write(b)
}

// lineJSON is an instruction in JSON.
type lineJSON struct {
	Offset  int64   `json:"offset"`
	Opcode  *string `json:"opcode"` // null for invalid bytes
	Arg     *string `json:"arg"`
	Depth   int     `json:"depth"`
	Remark  *string `json:"remark"`
	Verdict string  `json:"verdict"`
}

// lineForm returns an instruction for JSON.
func lineForm(l *pickle.Line) lineJSON {
	j := lineJSON{Offset: l.Offset, Arg: encode.OrNull(l.Arg), Depth: l.Depth, Remark: encode.OrNull(l.Remark),
		Verdict: l.Verdict.String()}
	if l.Opcode != 0 {
		j.Opcode = encode.OrNull(l.Opcode.String())
	}
	return j
}

// JSON streams weigh.pickle/1.
func (p *Pickles) JSON(w io.Writer, s typeset.Style) error {
	var failed error
	pickles := func(yield func(any) bool) {
		failed = p.each(func(k *scan.Pickle) error {
			var err error
			ops := func(yield func(any) bool) {
				for line, lineErr := range p.lines(k) {
					if err = lineErr; err != nil || !yield(lineForm(&line)) {
						return
					}
				}
			}
			yield([]encode.Member{encode.M("member", encode.OrNull(typeset.Shortened(k.Member))), encode.M("offset", k.Offset),
				encode.M("size", k.Size), encode.M("lines", encode.Elements(ops)),
				encode.M("whole", func() any { return !p.cut() })})
			return err
		})
	}
	// The summary is available after all pickles.
	sum := func() any {
		if p.Report == nil {
			return nil // reading has failed
		}
		return append([]encode.Member{encode.M("format", p.Report.Format), encode.M("verdict", p.Report.Verdict.String()),
			encode.M("complete", p.Report.Complete), encode.M("reason", encode.OrNull(p.Report.Reason))},
			judgementJSON(p.Report)...)
	}
	err := encode.Object(held{w, p}, s, []encode.Member{
		encode.M("schema", "weigh.pickle/1"),
		encode.M("path", p.Path),
		encode.M("pickles", encode.Elements(pickles)),
		encode.M("summary", sum),
	})
	if failed != nil {
		return failed
	}
	return err
}

// Text writes the pickles like pickletools, with annotated imports and calls, and a summary.
func (p *Pickles) Text(w io.Writer, s typeset.Style) error {
	var failed error
	err := typeset.Buffered(w, func(w *bufio.Writer) {
		failed = p.each(func(k *scan.Pickle) error {
			if k.Member != "" {
				w.WriteString(s.Paint(typeset.Bold, typeset.Name(typeset.Shortened(k.Member))) + "\n")
			}
			highest := 0
			for line, err := range p.lines(k) {
				if err != nil {
					return err
				}
				writeLine(w, s, &line)
				highest = max(highest, line.Opcode.Proto())
				if line.Opcode.String() == "STOP" {
					fmt.Fprintf(w, "highest protocol among opcodes = %d\n", highest)
					highest = 0
				}
			}
			if p.cut() {
				typeset.Wrap(w, s, 2, typeset.Yellow, "  … and more: only "+typeset.Plural(int64(p.MaxLines), "instruction")+
					" are listed; --budget 10 lists ten times as many")
			}
			w.WriteByte('\n')
			return nil
		})
		if failed == nil && p.Report != nil {
			p.summary(w, s)
		}
	})
	if failed != nil {
		return failed
	}
	return err
}

// remarkColumn is the column of annotations.
const remarkColumn = 60

// writeLine writes an instruction, with an annotation and a mark for its verdict.
func writeLine(w *bufio.Writer, s typeset.Style, l *pickle.Line) {
	margin, color := " ", ""
	switch {
	case l.Remark == "":
	case l.Verdict == pickle.Dangerous:
		margin, color = "!", typeset.Red
	case l.Verdict == pickle.Suspicious:
		margin, color = "?", typeset.Yellow
	default:
		color = typeset.Green
	}
	text := typeset.Line(l.String())
	if l.Remark == "" {
		w.WriteString(margin + text + "\n")
		return
	}
	w.WriteString(s.Paint(color, margin) + text)
	typeset.Spaces(w, max(remarkColumn-typeset.Width(text), 1))
	w.WriteString(s.Paint(color, typeset.Line(l.Remark)) + "\n")
}

// summary lists imports and calls, and the verdict.
func (p *Pickles) summary(w *bufio.Writer, s typeset.Style) {
	r := p.Report
	say := func(color, text string) { typeset.Wrap(w, s, 2, color, text) }
	imports := slices.DeleteFunc(slices.Clone(r.Imports),
		func(im scan.Import) bool { return p.Member != "" && im.Member != p.Member })
	calls := slices.DeleteFunc(slices.Clone(r.Calls),
		func(c scan.Call) bool { return p.Member != "" && c.Member != p.Member })
	if len(imports) == 0 {
		say("", "Loading imports nothing.")
	} else {
		say("", "Loading imports "+typeset.Plural(int64(len(imports)), "name")+":")
	}
	const most = 20
	for i := range imports[:min(len(imports), most)] {
		im := &imports[i]
		typeset.Spaces(w, 2)
		say(verdictColors[im.Verdict], typeset.Name(typeset.Shortened(im.String()))+": "+im.Verdict.String()+". "+
			typeset.Line(im.Why()))
	}
	if n := len(imports) - most; n > 0 {
		say("", "  … and "+typeset.Plural(int64(n), "name")+" more: weigh scan --all lists them")
	}
	if len(calls) > 0 {
		say("", "and calls:")
	}
	for i := range calls[:min(len(calls), most)] {
		c := &calls[i]
		typeset.Spaces(w, 2)
		text := typeset.Line(typeset.Shortened(c.Callee) + c.Args)
		if c.Count > 1 {
			text += ", " + typeset.Count(c.Count) + " times"
		}
		say(verdictColors[c.Verdict], text)
	}
	if n := len(calls) - most; n > 0 {
		say("", "  … and "+typeset.Plural(int64(n), "call")+" more: weigh scan --json lists them")
	}
	w.WriteByte('\n')
	text := fmt.Sprintf("%s %s", typeset.Label(p.Path)+":", r.Verdict)
	if !r.Complete {
		text += ", not analyzed completely: " + typeset.Line(r.Reason)
	}
	if r.Verdict > pickle.Safe {
		text += "; weigh scan says why"
	}
	if r.Limited {
		text += "; " + budgetExceeded(p.More)
	}
	typeset.Wrap(w, s, 0, verdictColors[r.Verdict], text)
}
