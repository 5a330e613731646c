// Findings: a broken rule, in which file.

package render

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
)

// A Finding is a broken rule, and the file that breaks it.
type Finding struct {
	*safetensors.Violation
	File string // the path; that of the index for a rule between files
}

// Label returns the path as text has it.
func (f *Finding) Label() string { return label(f.File) }

// label returns a path as text has it. The path "-" is not one.
func label(path string) string {
	if path == "-" {
		return "standard input"
	}
	return typeset.Name(path)
}

// Severity says what follows from the finding.
func (f *Finding) Severity() safetensors.Severity { return f.Rule.Severity() }

// findingJSON is a Finding in the machine form.
type findingJSON struct {
	Rule     string  `json:"rule"`
	Severity string  `json:"severity"`
	File     string  `json:"file"`
	Tensor   *string `json:"tensor"` // shortened; null if the file as a whole is at fault
	Bytes    pair    `json:"bytes"`
	Message  string  `json:"message"`
	Fix      string  `json:"fix"`
}

// json returns the machine form. Bytes are null where the fault is not of bytes:
// as of a missing file. A zero Span says so.
func (f *Finding) json() findingJSON {
	j := findingJSON{
		Rule:     string(f.Rule),
		Severity: f.Severity().String(),
		File:     f.File,
		Bytes:    pair{f.Span.Begin, f.Span.End, f.Span != safetensors.Span{}},
		Message:  f.Detail,
		Fix:      f.Rule.Fix(),
	}
	if f.Tensor != "" {
		name := shortened(f.Tensor)
		j.Tensor = &name
	}
	return j
}

// mostName is how many bytes of a tensor's name a finding has in the machine
// forms, but for what stands for the rest. Published names have about 150.
const mostName = 300

// shortened returns a name as the machine forms of findings have it: one of more
// than mostName bytes is its start and its end, with an ellipsis between them and
// its length after them. A name may be as long as a header, and be at fault a
// thousand times: in full, a file of a megabyte would become a report of a
// gigabyte. The list of tensors has it in full.
func shortened(name string) string {
	if len(name) <= mostName {
		return name
	}
	head, tail := mostName/2, len(name)-mostName/2
	for i := 1; i < utf8.UTFMax && !utf8.RuneStart(name[head]); i++ {
		head--
	}
	for i := 1; i < utf8.UTFMax && !utf8.RuneStart(name[tail]); i++ {
		tail++
	}
	return fmt.Sprintf("%s…%s (%d bytes)", name[:head], name[tail:], len(name))
}

// findingsJSON returns the machine form of several, made one by one.
func findingsJSON(findings []Finding) elements {
	return func(yield func(any) bool) {
		for i := range findings {
			if !yield(findings[i].json()) {
				return
			}
		}
	}
}

// Worst returns the highest severity of findings, and false if there are none.
func Worst(findings []Finding) (worst safetensors.Severity, any bool) {
	for i := range findings {
		worst = max(worst, findings[i].Severity())
	}
	return worst, len(findings) > 0
}

// nonconforming is the least severity for which files are refused.
const nonconforming = safetensors.Nonconforming

// severities are all there are, the worst first: the order of reports.
var severities = [...]safetensors.Severity{
	safetensors.Invalid, safetensors.Nonconforming, safetensors.Warning, safetensors.Note,
}

// severityColors are the colours that go with severities.
var severityColors = [...]string{
	safetensors.Invalid:       typeset.Red,
	safetensors.Nonconforming: typeset.Red,
	safetensors.Warning:       typeset.Yellow,
	safetensors.Note:          typeset.Cyan,
}

// tally says how many findings there are of each severity, as in "1 invalid,
// 2 warnings".
func tally(findings []Finding) string {
	var counts [len(severities)]int64
	for i := range findings {
		counts[findings[i].Severity()]++
	}
	var parts []string
	for _, s := range severities {
		switch n := counts[s]; {
		case n == 0:
		case s == safetensors.Warning || s == safetensors.Note:
			parts = append(parts, typeset.Plural(n, s.String()))
		default: // adjectives have no plural
			parts = append(parts, typeset.Count(n)+" "+s.String())
		}
	}
	return strings.Join(parts, ", ")
}

// byRule divides the findings about one file by their rule: the worst first,
// and otherwise in the order in which the first of each was found.
func byRule(findings []Finding) [][]Finding {
	index := make(map[safetensors.Rule]int)
	var groups [][]Finding
	for _, f := range findings {
		i, ok := index[f.Rule]
		if !ok {
			i = len(groups)
			index[f.Rule] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b []Finding) int {
		return cmp.Compare(b[0].Severity(), a[0].Severity())
	})
	return groups
}

// byFile divides findings by their file, in the order of paths: it is that in
// which one looks for a file, and does not depend on what was read first.
func byFile(findings []Finding) [][]Finding {
	index := make(map[string]int)
	var groups [][]Finding
	for _, f := range findings {
		i, ok := index[f.File]
		if !ok {
			i = len(groups)
			index[f.File] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b []Finding) int { return compareNames(a[0].File, b[0].File) })
	return groups
}

// writeFindings writes findings, grouped by file and rule. Of each group it
// writes at most most, or all if that is 0.
func writeFindings(w *bufio.Writer, s typeset.Style, findings []Finding, most int) {
	for i, ofFile := range byFile(findings) {
		if i > 0 {
			w.WriteByte('\n')
		}
		w.WriteString(s.Paint(typeset.Bold, s.Fit(ofFile[0].Label())))
		w.WriteByte('\n')
		for _, group := range byRule(ofFile) {
			writeGroup(w, s, group, most)
		}
	}
}

// writeProblems writes the findings that matter to one who wants to see a file,
// with a title. What matters less is for check to say.
func writeProblems(w *bufio.Writer, s typeset.Style, findings []Finding) {
	const most = 3 // of one rule in one file
	var worse, rest []Finding
	for _, f := range findings {
		if f.Severity() >= nonconforming {
			worse = append(worse, f)
		} else {
			rest = append(rest, f)
		}
	}
	if len(worse) > 0 {
		w.WriteString(s.Paint(typeset.Bold, "PROBLEMS") + "\n")
		writeFindings(w, s, worse, most)
		w.WriteByte('\n')
	}
	// A hint is for people: in a pipe it would be one more line to parse.
	if len(rest) > 0 && s.Terminal() {
		w.WriteString(s.Paint(typeset.Dim, tally(rest)+": see weigh check") + "\n\n")
	}
}

// writeGroup writes the findings of one rule about one file.
func writeGroup(w *bufio.Writer, s typeset.Style, group []Finding, most int) {
	const indent, deeper = 2, 4
	rule := group[0].Rule
	typeset.Spaces(w, indent)
	w.WriteString(s.Paint(severityColors[rule.Severity()], rule.Severity().String()))
	w.WriteString(" " + s.Paint(typeset.Bold, string(rule)) + "\n")
	for i := range group {
		if most > 0 && i == most {
			typeset.Spaces(w, deeper)
			fmt.Fprintf(w, "… and %s more like it\n", typeset.Count(int64(len(group)-most)))
			break
		}
		typeset.Spaces(w, deeper)
		typeset.Wrap(w, s, deeper, "", typeset.Line(group[i].Detail)+group[i].where())
	}
	if fix := rule.Fix(); fix != "" {
		typeset.Spaces(w, deeper)
		w.WriteString(s.Paint(typeset.Dim, "→") + " ")
		typeset.Wrap(w, s, deeper+2, "", fix)
	}
}

// where says at which bytes of the file the fault is, if at any.
func (f *Finding) where() string {
	if f.Span.Len() <= 0 {
		return ""
	}
	return fmt.Sprintf(" (bytes %d-%d)", f.Span.Begin, f.Span.End)
}
