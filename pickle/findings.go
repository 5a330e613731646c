// Findings: what was met in one stream, or in many.

package pickle

import (
	"fmt"
	"slices"

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
	counts  map[Rule]int // of those in list
	omitted int
	verdict Verdict // of the findings and calls
	reason  string  // why not everything was seen, "" if it was
	limited bool    // whether that is for a limit of ours

	globals []*global
	names   map[nameKey]*global
	others  *global // what stands for unknown names beyond most, nil if there are none
	calls   []Call
	jobs    []*job
	jobOf   map[ref]*job // by the string
	skipped bool         // whether strings were passed over, because there are too many
}

// maxOfRule is how many findings of one rule are kept.
const maxOfRule = 1000

// newFindings returns findings that keep so many of each sort.
func newFindings(policy *names.Policy, depth, most int) *findings {
	return &findings{policy: policy, depth: depth, most: most}
}

// add keeps a finding.
func (f *findings) add(n Finding) {
	f.verdict = max(f.verdict, n.Severity.Verdict())
	if f.full(n.Rule, n.Severity) {
		f.omitted++
		return
	}
	if f.counts == nil {
		f.counts = map[Rule]int{}
	}
	f.counts[n.Rule]++
	f.list = append(f.list, n)
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

// addf keeps a finding, and words it if it is kept.
func (f *findings) addf(rule Rule, severity Severity, off int64, format string, args ...any) {
	n := Finding{Rule: rule, Severity: severity, Offset: off}
	if !f.full(rule, severity) {
		n.Message = fmt.Sprintf(format, args...)
	}
	f.add(n)
}

// stop notes why not everything was seen.
func (f *findings) stop(reason string) {
	if f.reason == "" {
		f.reason = reason
	}
}

// limit notes a limit that was met.
func (f *findings) limit(off int64, format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	f.add(Finding{RuleResource, Warning, off, reason})
	f.stop(reason)
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
	g.key = key
	f.names[key] = g
	f.globals = append(f.globals, g)
}

// addJob keeps a string that may be a pickle.
func (f *findings) addJob(j *job) {
	if f.jobOf == nil {
		f.jobOf = map[ref]*job{}
	}
	f.jobs = append(f.jobs, j)
	f.jobOf[j.value] = j
}

// called keeps a call of an import; its findings are those from before on.
func (f *findings) called(m *machine, g *global, args ref, before int) {
	c := Call{Count: 1, Offset: m.t.off, Opcode: m.t.code, Verdict: g.Verdict}
	if g.conditional() && !g.misused {
		c.Verdict = Suspicious
	}
	for _, n := range f.list[min(before, len(f.list)):] {
		if v := n.Severity.Verdict(); v > c.Verdict || c.Rule == "" {
			c.Rule, c.Verdict = n.Rule, max(v, c.Verdict)
		}
	}
	if c.Rule == "" && c.Verdict != Safe {
		c.Rule = g.Rule
	}
	ours := f.names[g.key] == g // and not one that the stream before has left in the memo
	if c.Verdict == Safe && ours && g.listed > 0 {
		f.calls[g.listed-1].Count++
		return
	}
	if f.keepCall(m, c, g.label, args) && c.Verdict == Safe && ours {
		g.listed = len(f.calls)
	}
}

// calledOther keeps a call of what is no import.
func (f *findings) calledOther(m *machine, callee, args ref) {
	c := Call{Count: 1, Offset: m.t.off, Opcode: m.t.code, Verdict: Suspicious, Rule: RuleType}
	if k := m.at(callee).kind; (k == KindCall || k == KindPersistent || k == KindUnknown) && !m.failed {
		c.Verdict, c.Rule = Dangerous, RuleComputedCall
	}
	f.keepCall(m, c, func() string { return m.summary(callee) }, args)
}

// keepCall keeps a call, if there is a place, and words it only then.
func (f *findings) keepCall(m *machine, c Call, label func() string, args ref) bool {
	if f.noPlace(len(f.calls), c.Verdict) {
		f.omitted++
		return false
	}
	c.Callee, c.Args = label(), m.summary(args)
	f.calls = append(f.calls, c)
	return true
}

// other returns what stands for a name that is not kept.
func (f *findings) other(g *global) *global {
	if f.others == nil {
		f.others = g
		f.keep(g, nameKey{"", "other names", false})
		g.Module, g.Name, g.ResolvedModule, g.ResolvedName, g.full = "", "other names", "", "other names", "other names"
		f.addf(RuleResource, Warning, g.Offset, "more than %d names are imported", f.most)
	}
	f.omitted++
	return f.others
}

// merge adds what g holds to f, with the offsets of g counted from base.
func (f *findings) merge(g *findings, base int64) {
	for _, n := range g.list {
		n.Offset += base
		f.add(n)
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
