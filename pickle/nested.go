// The analysis of pickles in strings.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// nested analyzes the strings that may be pickles, and their strings.
func (a *analysis) nested() {
	for _, j := range a.all.jobs {
		if a.left <= 0 {
			a.all.limit(j.Offset, "the string at %d is not analyzed: the instruction budget is exhausted", j.Offset)
			return
		}
		if j.Archive {
			a.all.addf(RuleNestedBox, Warning, j.Offset, "the string at %d is an archive of %s and is not analyzed",
				j.Offset, wording.Count(j.Size, "byte"))
			continue
		}
		a.judgeString(j)
	}
	a.all.jobs = nil
}

// judgeString analyzes a string that may be a pickle.
func (a *analysis) judgeString(j *job) {
	if a.all.depth >= a.o.MaxNesting {
		a.all.limit(j.Offset, "strings are nested more than %d deep", a.all.depth)
		return
	}
	o := *a.o
	o.MaxOpcodes, o.MaxStreams, o.NoSweep, o.Search = a.left, 0, false, false
	if a.inner == nil {
		a.inner = newAnalysis(j.Data, j.Size, &o, a.all.policy, a.all.depth+1)
	} else {
		a.inner.reuse(j.Data, j.Size, &o)
	}
	inner := a.inner
	inner.run()
	a.left -= o.MaxOpcodes - inner.left
	worst := inner.all.worst()
	if inner.all.limited {
		a.all.limit(j.Offset, "the string at %d is not analyzed completely: %s", j.Offset, inner.all.reason)
	}
	switch {
	case j.loaded && (j.loader != nil || inner.end > 0 || worst == Dangerous):
		a.loadString(j, inner.all, worst)
	case inner.end > 0 || worst == Dangerous:
		a.all.addf(RuleEmbedded, Warning, j.Offset, "the string at %d is a pickle%s; loading does not run it",
			j.Offset, imported(inner.all))
	}
}

// loadString adds the findings of a string that is passed to something that may load it. The one allowed loader is as
// harmless as its argument.
func (a *analysis) loadString(j *job, inner *findings, worst Verdict) {
	base := j.Offset
	for i := range inner.list {
		if j.Decoded {
			inner.list[i].Offset = 0
		}
	}
	severity := Warning
	if worst == Dangerous {
		severity = Error
	}
	a.all.addf(RuleNested, severity, j.Offset, "the string at %d is a pickle%s, and is passed to a call",
		j.Offset, imported(inner))
	if j.loader != nil && worst == Dangerous {
		a.conditional(j.loader).misused = true
	}
	a.all.merge(inner, base)
}

// conditional returns the import that an import of a stream was merged into.
func (a *analysis) conditional(g *global) *global {
	if all := a.all.names[g.key]; all != nil {
		return all
	}
	return g
}

// imported lists up to three imports, the worst first.
func imported(f *findings) string {
	var labels []string
	for _, v := range []Verdict{Dangerous, Suspicious, Safe} {
		for _, g := range f.globals {
			if g.final() == v && len(labels) < 3 {
				labels = append(labels, g.Label())
			}
		}
	}
	if len(labels) == 0 {
		return ""
	}
	return " that imports " + strings.Join(labels, ", ")
}
