// Collections of findings, imports and calls.

package pickle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/alike"
	"github.com/weightools/safetensors/pickle/internal/embedded"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// findings are the results for one stream. The analysis takes them over once it is clear that the stream is a
// pickle.
type findings struct {
	policy *names.Policy
	depth  int // nesting depth of the strings
	most   int // limit for findings and for calls

	list    []Finding
	keys    []alike.Key       // of each finding in list
	index   map[alike.Key]int // index in list
	counts  map[Rule]int      // findings in list by rule
	bytes   int64             // approximate memory use
	because Rule              // the first or worst rule since watch was called
	worse   Verdict           // its verdict
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
	return f.counts[rule] >= maxOfRule || f.listFull(len(f.list), severity.Verdict())
}

// listFull reports whether a list of n entries has no room for another one with the verdict. Dangerous entries have
// room of their own, which other entries cannot fill.
func (f *findings) listFull(n int, v Verdict) bool {
	return n >= f.most && (v != Dangerous || n >= 2*f.most)
}

// addf adds a finding. It formats the message only if the finding is kept and not merged.
func (f *findings) addf(rule Rule, severity Severity, off int64, format string, args ...any) {
	n := Finding{Rule: rule, Severity: severity, Offset: off}
	k := alike.KeyOf(string(rule), uint8(severity), format, args)
	if _, ok := f.index[k]; !ok && !f.full(rule, severity) {
		n.Message = fmt.Sprintf(format, args...)
	}
	f.add(k, n)
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
		f.add(g.keys[i], n)
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
	old.soft = max(old.soft, im.soft)
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
	if f.listFull(len(f.calls), c.Verdict) {
		f.omitted++
		return
	}
	f.calls = append(f.calls, c)
}

// worst returns the worst verdict, also on the imports.
func (f *findings) worst() Verdict {
	v := f.verdict
	for _, g := range f.globals {
		v = max(v, g.final())
	}
	return v
}

// add adds a finding, or counts it with the finding that it equals except for offset and numbers.
func (f *findings) add(k alike.Key, n Finding) {
	n.Count = max(n.Count, 1)
	f.recordVerdict(n.Rule, n.Severity)
	if i, ok := f.index[k]; ok {
		f.list[i].Join(&n)
		return
	}
	if f.full(n.Rule, n.Severity) {
		f.omitted += int(n.Count)
		return
	}
	if f.counts == nil {
		f.counts, f.index = map[Rule]int{}, map[alike.Key]int{}
	}
	const size = 400 // approximate bytes of a finding and its index entry
	f.bytes += size + 2*int64(len(n.Message))
	f.counts[n.Rule]++
	f.index[k] = len(f.list)
	f.list, f.keys = append(f.list, n), append(f.keys, k)
}

// has reports whether the list contains an equal finding at the offset.
func (f *findings) has(k alike.Key, off int64) bool {
	i, ok := f.index[k]
	if !ok {
		return false
	}
	n := &f.list[i]
	return n.Offset == off || n.Count > int64(len(n.Also)) || slices.Contains(n.Also[:n.Count-1], off)
}

// recordVerdict records the worst verdict, in total and since the last call of watch.
func (f *findings) recordVerdict(rule Rule, severity Severity) {
	v := severity.Verdict()
	f.verdict = max(f.verdict, v)
	if v > f.worse || f.because == "" {
		f.because, f.worse = rule, max(v, f.worse)
	}
}

// watch starts recording the findings about something whose verdict is v so far.
func (f *findings) watch(v Verdict) { f.because, f.worse = "", v }

// forget removes the findings, but not the imports and calls.
func (f *findings) forget() {
	if len(f.list) > 0 {
		f.list, f.keys = f.list[:0], f.keys[:0]
		clear(f.counts)
		clear(f.index)
	}
}

// sorted returns the findings by offset. No more can be added afterwards.
func (f *findings) sorted() []Finding {
	slices.SortStableFunc(f.list, func(x, y Finding) int { return cmp.Compare(x.Offset, y.Offset) })
	return f.list
}

// A job is a string that may be a pickle.
type job struct {
	embedded.Text
	value  heap.Ref
	loaded bool    // it is passed to something that may load it
	loader *global // the function that loads it, if that is allowed
}
