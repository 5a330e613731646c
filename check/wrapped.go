// Wrapped names: what torch.compile and others leave in the names of a model's tensors.

package check

import (
	"regexp"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/model/names"
)

// wrapped counts the names with the marks of wrappers. Marks that do not begin with "_" mean a wrapper only before all
// names: models have modules of these names, too.
type wrapped struct {
	all      tally
	outer    map[string]int // by mark: names that begin with it, or with other marks before it
	inner    map[string]int // names that have it elsewhere
	counters int
}

// counter is a buffer of a wrapper, beside the module that it wraps. (torch/optim/swa_utils.py, AveragedModel.)
const counter = "n_averaged"

func (w *wrapped) look(ti *safetensors.TensorInfo, shard int) {
	if ti.Name == counter {
		w.counters++
		return
	}
	before, rest := names.WrappersOf(ti.Name)
	inside := strings.Contains(rest, "._")
	if len(before) == 0 && !inside { // most names
		return
	}
	if w.outer == nil {
		w.outer, w.inner = make(map[string]int), make(map[string]int)
	}
	is := len(before) > 0
	for _, one := range before {
		w.outer[one.Mark]++
	}
	for _, one := range names.Wrappers() {
		if inside && one.Anywhere() && strings.Contains(rest, "."+one.Mark) {
			w.inner[one.Mark]++
			is = true
		}
	}
	if is {
		w.all.Add(ti, shard)
	}
}

// judge reports the names.
func (w *wrapped) judge(m *weights) {
	if w.all.N == 0 {
		return
	}
	var marks, by, begin, anywhere []string
	for _, one := range names.Wrappers() {
		switch {
		case w.outer[one.Mark]+w.inner[one.Mark] == 0 || !one.Anywhere() && !w.wraps(m, one.Mark):
			continue
		case w.inner[one.Mark] > 0:
			anywhere = append(anywhere, regexp.QuoteMeta(one.Mark))
		default:
			begin = append(begin, regexp.QuoteMeta(one.Mark))
		}
		marks, by = append(marks, quote(one.Mark)), append(by, one.Of)
	}
	if len(marks) == 0 {
		return
	}
	m.reportSet(RuleNamesWrapped, &w.all, "has", "have", "%s in the name, from %s: loaders look for the names of the model "+
		"itself", strings.Join(marks, " and "), strings.Join(by, " and "))
	m.found(m.set.Name).Fix(renameFix(m.set, unwrap(begin, anywhere)...))
}

// wraps reports whether a mark that is a usual word means a wrapper: all names begin with it, and there is another sign
// of one or, behind the mark, a model that is known by its configuration or its names. Adapters have the marks of PEFT.
func (w *wrapped) wraps(m *weights, mark string) bool {
	if w.outer[mark] < m.tensors-w.counters || m.adapter.Any() {
		return false
	}
	if m.described || w.counters > 0 || len(w.outer)+len(w.inner) > 1 {
		return true
	}
	fit, ok := m.whose().Best()
	return ok && strings.Contains(fit.Extra, mark)
}

// unwrap returns the renames that remove parts at the beginning of names, and parts anywhere.
func unwrap(begin, anywhere []string) (renames []string) {
	switch {
	case len(anywhere) == 1:
		renames = append(renames, anywhere[0]+"=>")
	case len(anywhere) > 0:
		renames = append(renames, "("+strings.Join(anywhere, "|")+")=>")
	}
	switch len(begin) {
	case 0:
	case 1:
		renames = append(renames, "^"+begin[0]+"=>")
	default:
		renames = append(renames, "^("+strings.Join(begin, "|")+")+=>")
	}
	return renames
}

// renameFix returns the advice to rename tensors of a set. Only safetensors files are edited in place.
func renameFix(set *checkpoint.Set, renames ...string) string {
	flags := ""
	for _, r := range renames {
		flags += " --rename '" + r + "'"
	}
	if isForeign(set) {
		return "Write the weights with the right names: `weigh edit" + flags + " FILE -o NEW`."
	}
	return "Rename the tensors: `weigh edit --in-place" + flags + " FILE`."
}

// isForeign reports whether the files of a set have another format than safetensors, by their names.
func isForeign(set *checkpoint.Set) bool {
	return len(set.Shards) > 0 && !strings.HasSuffix(set.Shards[0], ".safetensors")
}
