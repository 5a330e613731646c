// Findings as text.

package finding

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
)

// A findingGroup is the findings of one rule in one file, allowed for one reason or not allowed.
type findingGroup struct {
	groupKey
	kept    []Finding
	omitted int
}

// A groupKey is what the findings of a group have in common.
type groupKey struct {
	file     string
	rule     safetensors.Rule
	severity safetensors.Severity
	allowed  string
}

// fix returns the advice of the rule.
func (g *findingGroup) fix() string {
	if len(g.kept) > 0 {
		return g.kept[0].fix()
	}
	info, _ := Lookup(g.rule)
	return info.Fix
}

// groupFindings groups findings: by path, allowed ones last, then by severity, then in order of
// appearance.
func groupFindings(findings []Finding, omitted []Omission) []findingGroup {
	index := make(map[groupKey]int)
	var list []findingGroup
	of := func(k groupKey) *findingGroup {
		i, ok := index[k]
		if !ok {
			i = len(list)
			index[k] = i
			list = append(list, findingGroup{groupKey: k})
		}
		return &list[i]
	}
	for i := range findings {
		f := &findings[i]
		g := of(groupKey{f.File, f.Rule, f.Severity, f.Allowed})
		g.kept = append(g.kept, *f)
	}
	for i := range omitted {
		o := &omitted[i]
		of(groupKey{o.File, o.Rule, o.severity(), o.Allowed}).omitted += o.N
	}
	slices.SortStableFunc(list, func(a, b findingGroup) int {
		return cmp.Or(typeset.CompareNames(a.file, b.file), CompareBools(a.allowed != "", b.allowed != ""),
			cmp.Compare(b.severity, a.severity))
	})
	return list
}

// CompareBools orders false before true.
func CompareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return +1
}

// writeFindings writes groups of findings under the names of their files. It writes at most most
// findings of each group, or all if most is 0.
func writeFindings(w *bufio.Writer, s typeset.Style, list []findingGroup, most int) {
	for i := range list {
		if i == 0 || list[i].file != list[i-1].file {
			if i > 0 {
				w.WriteByte('\n')
			}
			w.WriteString(s.Paint(typeset.Bold, s.Fit(typeset.Label(list[i].file))))
			w.WriteByte('\n')
		}
		list[i].write(w, s, most)
	}
}

// WriteProblems writes the findings for which files are refused, under a title, and how many
// others there are.
func WriteProblems(w *bufio.Writer, s typeset.Style, findings []Finding, omitted []Omission) {
	const most = 3 // of one rule in one file
	var worse []findingGroup
	for _, g := range groupFindings(findings, omitted) {
		if g.severity >= Nonconforming {
			worse = append(worse, g)
		}
	}
	if len(worse) > 0 {
		w.WriteString(s.Paint(typeset.Bold, "PROBLEMS") + "\n")
		writeFindings(w, s, worse, most)
		w.WriteByte('\n')
	}
	// The hint is for people, not for programs that parse the output.
	rest := countFindings(findings, omitted, false)
	rest[safetensors.Invalid], rest[safetensors.Error], rest[safetensors.Nonconforming] = 0, 0, 0
	if text := rest.String(); text != "" && s.Terminal() {
		w.WriteString(s.Paint(typeset.Dim, text+": see weigh check") + "\n\n")
	}
}

// write writes the group.
func (g *findingGroup) write(w *bufio.Writer, s typeset.Style, most int) {
	const indent, deeper = 2, 4
	if most == 0 {
		most = len(g.kept)
	}
	shown := g.kept[:min(most, len(g.kept))]
	typeset.Spaces(w, indent)
	w.WriteString(s.Paint(severityColors[g.severity], g.severity.String()))
	w.WriteString(" " + s.Paint(typeset.Bold, string(g.rule)) + "\n")
	for i := range shown {
		typeset.Spaces(w, deeper)
		typeset.Wrap(w, s, deeper, "", typeset.Line(shown[i].Detail)+shown[i].where())
	}
	if more := len(g.kept) - len(shown) + g.omitted; more > 0 {
		typeset.Spaces(w, deeper)
		fmt.Fprintf(w, "… and %s more like it\n", typeset.Count(int64(more)))
	}
	advice := g.fix()
	if g.allowed != "" {
		advice = "allowed: " + typeset.Line(g.allowed)
	}
	if advice != "" {
		typeset.Entry(w, s, deeper, deeper+2, typeset.Dim, "→", advice)
	}
}

// where returns the byte range of the finding, unless it is empty, as Violation.Error does.
func (f *Finding) where() string {
	if f.Span.Len() <= 0 {
		return ""
	}
	return fmt.Sprintf(" (bytes %d-%d)", f.Span.Begin, f.Span.End)
}
