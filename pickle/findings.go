// Collections of findings, imports and calls.

package pickle

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A nameKey is a name as written, and whether Python 3 renames it.
type nameKey struct {
	module, name string
	renamed      bool
}

// findings are the results for one stream. They are merged into those of the analysis once it is clear that the stream
// is a pickle.
type findings struct {
	policy *names.Policy
	depth  int // nesting depth of the strings
	most   int // limit for findings and for calls

	list    []Finding
	alike   []kinship       // of each finding in list
	index   map[kinship]int // index in list
	counts  map[Rule]int    // findings in list by rule
	bytes   int64           // approximate memory use
	because Rule            // the first or worst rule since watch was called
	worse   Verdict         // its verdict
	omitted int
	verdict Verdict // of the findings and calls
	reason  string  // why the analysis is incomplete, "" if it is complete
	limited bool    // the reason is one of our limits

	globals []*global
	names   map[nameKey]*global
	others  *global // represents unknown names beyond the limit, nil if there are none
	calls   []Call
	jobs    []*job
	jobOf   map[heap.Ref]*job // by string
	skipped bool              // the limit of strings was exceeded
}

// maxOfRule is the maximum number of findings of one rule.
const maxOfRule = 1000

// newFindings returns findings with the given limit for each kind of result.
func newFindings(policy *names.Policy, depth, most int) *findings {
	return &findings{policy: policy, depth: depth, most: most}
}

// full reports whether there is no room for another finding.
func (f *findings) full(rule Rule, severity Severity) bool {
	return f.counts[rule] >= maxOfRule || f.noPlace(len(f.list), severity.Verdict())
}

// noPlace reports whether a list of n entries has no room for another one with the verdict. Dangerous entries have room
// of their own, which other entries cannot fill.
func (f *findings) noPlace(n int, v Verdict) bool {
	return n >= f.most && (v != Dangerous || n >= 2*f.most)
}

// addf adds a finding. It formats the message only if the finding is kept and not merged.
func (f *findings) addf(rule Rule, severity Severity, off int64, format string, args ...any) {
	n := Finding{Rule: rule, Severity: severity, Offset: off}
	k := kin(rule, severity, format, args)
	if _, ok := f.index[k]; !ok && !f.full(rule, severity) {
		n.Message = fmt.Sprintf(format, args...)
	}
	f.addAlike(k, n)
}

// stop records why the analysis is incomplete.
func (f *findings) stop(reason string) {
	if f.reason == "" {
		f.reason = reason
	}
}

// limit records that a limit was exceeded.
func (f *findings) limit(off int64, format string, args ...any) {
	f.addf(RuleBudget, Warning, off, format, args...)
	f.stop(fmt.Sprintf(format, args...))
	f.limited = true
}

// extended reports whether the imports include a code of the extension registry.
func (f *findings) extended() bool {
	return slices.ContainsFunc(f.globals, func(g *global) bool { return g.Rule == RuleExtension })
}

// keep adds a new import.
func (f *findings) keep(g *global, key nameKey) {
	if f.names == nil {
		f.names = map[nameKey]*global{}
	}
	const size = 700 // approximate bytes of an import, its index entry and its finding
	f.bytes += size + 5*int64(len(g.Module)+len(g.Name))
	g.key = key
	f.names[key] = g
	f.globals = append(f.globals, g)
}

// addJob adds a string that may be a pickle.
func (f *findings) addJob(j *job) {
	if f.jobOf == nil {
		f.jobOf = map[heap.Ref]*job{}
	}
	f.jobs = append(f.jobs, j)
	f.jobOf[j.value] = j
}

// called adds a call of an import. Findings about it were recorded since watch.
func (f *findings) called(m *judge, g *global, args heap.Ref) {
	c := Call{Count: 1, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: g.standing(), Rule: f.because}
	if f.because != "" {
		c.Verdict = max(c.Verdict, f.worse)
	}
	if c.Rule == "" && c.Verdict != Safe {
		c.Rule = g.Rule
	}
	ours := f.names[g.key] == g // and not an import of the previous stream, through the memo
	if c.Verdict == Safe && ours && g.listed > 0 {
		f.calls[g.listed-1].Count++
		return
	}
	if f.keepCall(m, c, g.Label, args) && c.Verdict == Safe && ours {
		g.listed = len(f.calls)
	}
}

// calledOther adds a call of a value that is not an import.
func (f *findings) calledOther(m *judge, callee, args heap.Ref) {
	c := Call{Count: 1, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: Suspicious, Rule: RuleType}
	if k := m.At(callee).Kind; (k == heap.KindCall || k == heap.KindPersistent || k == heap.KindUnknown) && !m.Failed {
		c.Verdict, c.Rule = Dangerous, RuleComputedCall
	}
	f.keepCall(m, c, func() string { return m.summary(callee) }, args)
}

// standing returns the verdict on a call of the import without further findings.
func (g *global) standing() Verdict {
	if g.conditional() && !g.misused {
		return Suspicious
	}
	return g.Verdict
}

// keepCall adds a call if there is room, and only then formats it.
func (f *findings) keepCall(m *judge, c Call, label func() string, args heap.Ref) bool {
	if f.noPlace(len(f.calls), c.Verdict) {
		f.omitted++
		return false
	}
	c.Callee, c.Args = label(), m.summary(args)
	f.bytes += 400 + 2*int64(len(c.Callee)+len(c.Args))
	f.calls = append(f.calls, c)
	return true
}

// other returns the import that represents names without room of their own.
func (f *findings) other(g *global) *global {
	if f.others == nil {
		f.others = g
		f.keep(g, nameKey{"", "other names", false})
		g.Module, g.Name, g.ResolvedModule, g.ResolvedName, g.full = "", "other names", "", "other names", "other names"
		f.addf(RuleResource, Warning, g.Offset, "more than %d names are imported; the rest is not listed", f.most)
	}
	if g.Verdict > f.others.Verdict {
		f.others.Verdict, f.others.Rule = g.Verdict, g.Rule
	}
	f.omitted++
	return f.others
}

// merge adds the results of g, with base added to their offsets.
func (f *findings) merge(g *findings, base int64) {
	for i, n := range g.list {
		n.move(base)
		f.addAlike(g.alike[i], n)
	}
	f.omitted += g.omitted
	f.verdict = max(f.verdict, g.verdict)
	f.skipped, f.limited = f.skipped || g.skipped, f.limited || g.limited
	if g.reason != "" {
		f.stop(g.reason)
	}
	for _, im := range g.globals {
		im.Offset += base
		f.mergeImport(im)
	}
	for _, c := range g.calls {
		c.Offset += base
		f.mergeCall(c)
	}
}

// mergeImport adds an import, or its uses to an existing one.
func (f *findings) mergeImport(im *global) {
	old := f.names[im.key]
	if old == nil {
		f.keep(im, im.key)
		return
	}
	old.Count += im.Count
	old.Called = old.Called || im.Called
	old.good += im.good
	old.misused = old.misused || im.misused
}

// mergeCall adds a call, or counts it with a call of the same name if both are safe.
func (f *findings) mergeCall(c Call) {
	if c.Verdict == Safe {
		for i := range f.calls[:min(len(f.calls), 100)] {
			if old := &f.calls[i]; old.Verdict == Safe && old.Callee == c.Callee {
				old.Count += c.Count
				return
			}
		}
	}
	if f.noPlace(len(f.calls), c.Verdict) {
		f.omitted++
		return
	}
	f.calls = append(f.calls, c)
}

// worst returns the worst verdict, including those of the imports.
func (f *findings) worst() Verdict {
	v := f.verdict
	for _, g := range f.globals {
		v = max(v, g.final())
	}
	return v
}

// final returns the verdict on an import once all its uses are known.
func (g *global) final() Verdict {
	if g.conditional() && g.good > 0 && !g.misused {
		return Suspicious
	}
	return g.Verdict
}
