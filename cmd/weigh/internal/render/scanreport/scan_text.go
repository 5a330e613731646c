// Scans as text.

package scanreport

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// ScanText says how detailed the text is.
type ScanText struct {
	All bool // all imports and findings, instead of five of each kind
	Why bool // explain each of them
	// More is the larger budget that is advised for a file that exceeded its budget; 0 if there is none.
	More int
}

// verdictColors maps verdicts to colors.
var verdictColors = [...]string{pickle.Safe: typeset.Green, pickle.Unanalysed: typeset.Cyan,
	pickle.Suspicious: typeset.Yellow, pickle.Dangerous: typeset.Red}

// verdictColumn is the width of the verdict column.
const verdictColumn = len("suspicious") + len(gap)

// gap separates verdict and path.
const gap = "  "

// Text writes the files in order, and a summary line.
func (c *Scan) Text(w io.Writer, s typeset.Style, how ScanText) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		for i := range c.Files {
			f := &scanWriter{Writer: w, style: s, how: how, file: &c.Files[i]}
			f.write()
		}
		if len(c.Files) > 0 {
			w.WriteByte('\n')
		}
		text, color := c.sum()
		typeset.Wrap(w, s, 0, color, text)
	})
}

// sum returns the summary line and its color.
func (c *Scan) sum() (text, color string) {
	var n [len(verdictColors)]int64
	incomplete := int64(0)
	for i := range c.Files {
		n[c.Files[i].Verdict]++
		if !c.Files[i].Complete {
			incomplete++
		}
	}
	var parts []string
	for v := pickle.Dangerous; ; v-- {
		if n[v] > 0 {
			parts = append(parts, typeset.Count(n[v])+" "+v.String())
		}
		if v == pickle.Safe {
			break
		}
	}
	text = typeset.Plural(int64(len(c.Files)), "file")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if incomplete > 0 {
		text += "; " + typeset.Plural(incomplete, "file") + " not analyzed completely"
	}
	if len(c.Unread) > 0 {
		text += "; " + typeset.Plural(int64(len(c.Unread)), "file") + " could not be read"
	}
	color = verdictColors[c.Verdict()]
	if !c.Complete() {
		color = cmp.Or(map[bool]string{true: typeset.Yellow}[color == typeset.Green], color)
	}
	return text, color
}

// A scanWriter writes the text of one file.
type scanWriter struct {
	*bufio.Writer
	style typeset.Style
	how   ScanText
	file  *ScannedFile
	told  map[told]bool // imports
}

// A told identifies an import and its finding.
type told struct {
	rule   pickle.Rule
	member string
	offset int64
}

// write writes the verdict, and its reasons below.
func (w *scanWriter) write() {
	f := w.file
	w.told = make(map[told]bool, len(f.Imports))
	for i := range f.Imports {
		im := &f.Imports[i]
		w.told[told{im.Rule, im.Member, im.Offset}] = true
	}
	w.WriteString(w.style.Paint(verdictColors[f.Verdict], f.Verdict.String()))
	typeset.Spaces(w.Writer, verdictColumn-len(f.Verdict.String()))
	what := f.Format
	if n := len(f.Members); n > 0 {
		what += ", " + typeset.Plural(int64(n), "part")
	}
	if !f.Complete {
		what += ", not analyzed completely: " + f.Reason
	}
	if f.Links > 0 {
		what += ", " + typeset.Plural(int64(f.Links), "more name")
	}
	w.WriteString(w.style.Paint(typeset.Bold, typeset.Label(f.Path)) + " " +
		w.style.Paint(typeset.Dim, "("+typeset.Line(what)+")") + "\n")
	w.imports()
	w.findings()
	if w.how.Why && (f.Verdict == pickle.Suspicious || f.Verdict == pickle.Unanalysed) {
		w.line("", "to accept the file as it is, add \"file SHA256\" to a policy; weigh hash prints the SHA-256")
	}
	if f.Limited {
		w.line("", budgetExceeded(w.how.More))
	}
	if f.Omitted > 0 {
		w.line("", "… and "+typeset.Count(int64(f.Omitted))+" more, not listed")
	}
}

// budgetExceeded says that the budget was exceeded, and advises a larger one unless it is 0.
func budgetExceeded(more int) string {
	if more == 0 {
		return "the budget was exceeded"
	}
	return fmt.Sprintf("the budget was exceeded; --budget %d allows more time and memory", more)
}

// line writes an indented line.
func (w *scanWriter) line(color, text string) {
	typeset.Spaces(w.Writer, verdictColumn)
	typeset.Wrap(w.Writer, w.style, verdictColumn+2, color, text)
}

// mostTold is the number of imports, and of findings of one rule, that are written by default.
const mostTold = 5

// imports writes the imports, the worst first. Allowed ones are written only with All.
func (w *scanWriter) imports() {
	var list []*scan.Import
	for i := range w.file.Imports {
		if im := &w.file.Imports[i]; im.Verdict > pickle.Safe || w.how.All {
			list = append(list, im)
		}
	}
	slices.SortStableFunc(list, func(a, b *scan.Import) int { return cmp.Compare(b.Verdict, a.Verdict) })
	for i, im := range list {
		if i == mostTold && !w.how.All {
			w.line("", fmt.Sprintf("… and %s more", typeset.Plural(int64(len(list)-i), "import")))
			break
		}
		w.imported(im)
	}
}

// imported writes one import.
func (w *scanWriter) imported(im *scan.Import) {
	verb := "imports "
	if im.Called {
		verb = "imports and calls "
	}
	text := verb + typeset.Name(typeset.Shortened(im.String())) + " (" + im.Verdict.String() + ")"
	w.line(verdictColors[im.Verdict], text+w.where(im.Member, im.Offset))
	if !w.how.Why {
		return
	}
	w.why(im.Why())
	for i := range w.file.Calls {
		if c := &w.file.Calls[i]; c.Member == im.Member && (c.Callee == im.Resolved() || c.Callee == im.String()) {
			w.why("called as " + typeset.Shortened(c.Callee+c.Args))
			break
		}
	}
	if profile := im.Profile(); profile != "" {
		w.why("to trust it and other classes of the library, use --profile " + profile)
	}
	if line := im.Allow(); line != "" && im.How != "" {
		w.why("to trust it, add this line to a policy: " + line)
	}
}

// why writes an explanation of the line above.
func (w *scanWriter) why(text string) {
	typeset.Spaces(w.Writer, verdictColumn+2)
	w.WriteString(w.style.Paint(typeset.Dim, "→") + " ")
	typeset.Wrap(w.Writer, w.style, verdictColumn+4, "", typeset.Line(text))
}

// where describes a position.
func (w *scanWriter) where(member string, off int64) string {
	if member == "" {
		return fmt.Sprintf(", at byte %d", off)
	}
	return fmt.Sprintf(", at byte %d of %s", off, typeset.Name(typeset.Shortened(member)))
}

// findings writes findings by rule, the worst first. It skips those about imports, and notes
// unless All is set.
func (w *scanWriter) findings() {
	index := make(map[pickle.Rule]int)
	var groups [][]*scan.Finding
	for i := range w.file.Findings {
		f := &w.file.Findings[i]
		minor := f.Severity == pickle.Note && f.Rule != scan.RuleUnanalysed
		if minor && !w.how.All || w.told[told{f.Rule, f.Member, f.Offset}] {
			continue
		}
		g, ok := index[f.Rule]
		if !ok {
			g = len(groups)
			index[f.Rule] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], f)
	}
	slices.SortStableFunc(groups, func(a, b []*scan.Finding) int { return cmp.Compare(b[0].Severity, a[0].Severity) })
	for _, group := range groups {
		for i, f := range group {
			if i == mostTold && !w.how.All {
				w.line("", fmt.Sprintf("… and %s more %s", typeset.Count(int64(len(group)-i)), f.Rule))
				break
			}
			w.line(verdictColors[f.Severity.Verdict()], string(f.Rule)+": "+typeset.Line(f.Message)+more(f)+w.within(f.Member))
		}
		if w.how.Why {
			w.why(scan.Text(group[0].Rule))
		}
	}
}

// more describes similar findings.
func more(f *scan.Finding) string {
	if f.Count < 2 {
		return ""
	}
	text := ", and " + typeset.Count(f.Count-1) + " more like it at "
	for i, off := range also(f) {
		if i > 0 {
			text += ", "
		}
		text += strconv.FormatInt(off, 10)
	}
	if f.Count-1 > int64(len(f.Also)) {
		text += ", …"
	}
	return text
}

// within names the archive member.
func (w *scanWriter) within(member string) string {
	if member == "" {
		return ""
	}
	return " (" + typeset.Name(typeset.Shortened(member)) + ")"
}
