// Findings: what was met in one stream, or in many.

package pickle

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A nameKey is a name as it is written, and whether it is renamed.
type nameKey struct {
	module, name string
	renamed      bool
}

// findings are what was met. Those of a stream are kept apart until it is clear
// that it is one, and then put together with the others.
type findings struct {
	policy *names.Policy
	depth  int // how many pickles these strings are in
	most   int // how many findings, and how many calls, are kept

	list    []Finding
	alike   []kinship       // of each of them
	index   map[kinship]int // of list
	counts  map[Rule]int    // of those in list
	bytes   int64           // that all of this takes, about
	because Rule            // what spoke first against what is watched, or worst
	worse   Verdict         // and how much
	omitted int
	verdict Verdict // of the findings and calls
	reason  string  // why not everything was seen, "" if it was
	limited bool    // whether that is for a limit of ours

	globals []*global
	names   map[nameKey]*global
	others  *global // what stands for unknown names beyond most, nil if there are none
	calls   []Call
	jobs    []*job
	jobOf   map[heap.Ref]*job // by the string
	skipped bool              // whether strings were passed over, because there are too many
}

// maxOfRule is how many findings of one rule are kept.
const maxOfRule = 1000

// newFindings returns findings that keep so many of each sort.
func newFindings(policy *names.Policy, depth, most int) *findings {
	return &findings{policy: policy, depth: depth, most: most}
}

// full is whether there is no place for another finding.
func (f *findings) full(rule Rule, severity Severity) bool {
	return f.counts[rule] >= maxOfRule || f.noPlace(len(f.list), severity.Verdict())
}

// noPlace is whether a list of n has no place for one more of a verdict. What is
// dangerous has places of its own, so that nothing can crowd it out.
func (f *findings) noPlace(n int, v Verdict) bool {
	return n >= f.most && (v != Dangerous || n >= 2*f.most)
}

// addf keeps a finding, and words it if it is kept and the first of those that are alike.
func (f *findings) addf(rule Rule, severity Severity, off int64, format string, args ...any) {
	n := Finding{Rule: rule, Severity: severity, Offset: off}
	k := kin(rule, severity, format, args)
	if _, ok := f.index[k]; !ok && !f.full(rule, severity) {
		n.Message = fmt.Sprintf(format, args...)
	}
	f.addAlike(k, n)
}

// stop notes why not everything was seen.
func (f *findings) stop(reason string) {
	if f.reason == "" {
		f.reason = reason
	}
}

// limit notes a limit that was met.
func (f *findings) limit(off int64, format string, args ...any) {
	f.addf(RuleBudget, Warning, off, format, args...)
	f.stop(fmt.Sprintf(format, args...))
	f.limited = true
}

// extended is whether a code of the extension registry is among the imports.
func (f *findings) extended() bool {
	return slices.ContainsFunc(f.globals, func(g *global) bool { return g.Rule == RuleExtension })
}

// keep keeps an import that is new.
func (f *findings) keep(g *global, key nameKey) {
	if f.names == nil {
		f.names = map[nameKey]*global{}
	}
	const size = 700 // bytes of an import, of what is kept to find it, and of the finding
	f.bytes += size + 5*int64(len(g.Module)+len(g.Name))
	g.key = key
	f.names[key] = g
	f.globals = append(f.globals, g)
}

// addJob keeps a string that may be a pickle.
func (f *findings) addJob(j *job) {
	if f.jobOf == nil {
		f.jobOf = map[heap.Ref]*job{}
	}
	f.jobs = append(f.jobs, j)
	f.jobOf[j.value] = j
}

// called keeps a call of an import; what speaks against it was watched.
func (f *findings) called(m *judge, g *global, args heap.Ref) {
	c := Call{Count: 1, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: g.standing(), Rule: f.because}
	if f.because != "" {
		c.Verdict = max(c.Verdict, f.worse)
	}
	if c.Rule == "" && c.Verdict != Safe {
		c.Rule = g.Rule
	}
	ours := f.names[g.key] == g // and not one that the stream before has left in the memo
	if c.Verdict == Safe && ours && g.listed > 0 {
		f.calls[g.listed-1].Count++
		return
	}
	if f.keepCall(m, c, g.Label, args) && c.Verdict == Safe && ours {
		g.listed = len(f.calls)
	}
}

// calledOther keeps a call of what is no import.
func (f *findings) calledOther(m *judge, callee, args heap.Ref) {
	c := Call{Count: 1, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: Suspicious, Rule: RuleType}
	if k := m.At(callee).Kind; (k == heap.KindCall || k == heap.KindPersistent || k == heap.KindUnknown) && !m.Failed {
		c.Verdict, c.Rule = Dangerous, RuleComputedCall
	}
	f.keepCall(m, c, func() string { return m.summary(callee) }, args)
}

// standing returns what is thought of calling the import, if nothing else is known.
func (g *global) standing() Verdict {
	if g.conditional() && !g.misused {
		return Suspicious
	}
	return g.Verdict
}

// keepCall keeps a call, if there is a place, and words it only then.
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

// other returns what stands for a name that is not kept.
func (f *findings) other(g *global) *global {
	if f.others == nil {
		f.others = g
		f.keep(g, nameKey{"", "other names", false})
		g.Module, g.Name, g.ResolvedModule, g.ResolvedName, g.full = "", "other names", "", "other names", "other names"
		f.addf(RuleResource, Warning, g.Offset, "more than %d names are imported, which is how many are listed", f.most)
	}
	if g.Verdict > f.others.Verdict {
		f.others.Verdict, f.others.Rule = g.Verdict, g.Rule
	}
	f.omitted++
	return f.others
}

// merge adds what g holds to f, with the offsets of g counted from base.
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

// mergeImport adds an import, or its uses to those of the same name.
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

// mergeCall adds a call to the one of the same name, if nothing speaks against
// either.
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

// worst returns the worst of what g holds, of its imports too.
func (f *findings) worst() Verdict {
	v := f.verdict
	for _, g := range f.globals {
		v = max(v, g.final())
	}
	return v
}

// final returns the verdict of an import when all uses of it are known.
func (g *global) final() Verdict {
	if g.conditional() && g.good > 0 && !g.misused {
		return Suspicious
	}
	return g.Verdict
}
