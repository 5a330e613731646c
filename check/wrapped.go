// Wrapped names: what torch.compile and others leave in the names of a model's tensors.

package check

import (
	"regexp"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// A wrapper is a module of PyTorch around a model or a part of it. Its attribute for what it wraps is in the names of
// the tensors.
type wrapper struct {
	part string // in names: "_orig_mod."
	by   string

	// outer says that the part means a wrapper only at the beginning of all names: models have modules of that name.
	outer bool
}

// Sources, of PyTorch 2.15.0: torch/_dynamo/eval_frame.py, OptimizedModule; torch/distributed/fsdp/_common_utils.py,
// FSDP_WRAPPED_MODULE; torch/distributed/algorithms/_checkpoint/checkpoint_wrapper.py, _CHECKPOINT_WRAPPED_MODULE;
// torch/nn/parallel/distributed.py, DistributedDataParallel. Of Lightning 2.5: fabric/wrappers.py, _FabricModule.
var wrappers = [...]wrapper{
	{"_orig_mod.", "torch.compile", false},
	{"_fsdp_wrapped_module.", "FullyShardedDataParallel", false},
	{"_checkpoint_wrapped_module.", "PyTorch's checkpoint_wrapper", false},
	{"_forward_module.", "Lightning Fabric", false},
	{"module.", "DistributedDataParallel or DeepSpeed", true},
}

// counter is a buffer of a wrapper, beside the module that it wraps. (torch/optim/swa_utils.py, AveragedModel.)
const counter = "n_averaged"

// wrapped counts the names with parts of wrappers.
type wrapped struct {
	all    tally
	outer  [len(wrappers)]int // names that begin with the part, or have only other such parts before it
	inner  [len(wrappers)]int // names that have it elsewhere
	counts int                // buffers of wrappers
}

func (w *wrapped) look(ti *safetensors.TensorInfo, shard int) {
	switch {
	case ti.Name == counter:
		w.counts++
		return
	case !strings.Contains(ti.Name, "mod"): // most names
		return
	}
	rest, is := ti.Name, false
	for again := true; again; {
		again = false
		for i := range wrappers {
			if after, ok := strings.CutPrefix(rest, wrappers[i].part); ok {
				w.outer[i]++
				rest, is, again = after, true, true
			}
		}
	}
	for i := range wrappers {
		if !wrappers[i].outer && strings.Contains(rest, wrappers[i].part) {
			w.inner[i]++
			is = true
		}
	}
	if is {
		w.all.add(ti, shard)
	}
}

// judge reports the names. Names that begin with a usual word are a fault only if all do, and the set is a model by its
// configuration or its other names.
func (w *wrapped) judge(m *subject) {
	var parts, by, begin, anywhere []string
	for i, one := range wrappers {
		switch {
		case w.outer[i]+w.inner[i] == 0:
			continue
		case one.outer && (w.outer[i] < m.tensors-w.counts || len(parts) == 0 && w.counts == 0 && !m.described):
			continue
		case w.inner[i] > 0:
			anywhere = append(anywhere, regexp.QuoteMeta(one.part))
		default:
			begin = append(begin, regexp.QuoteMeta(one.part))
		}
		parts, by = append(parts, quote(one.part)), append(by, one.by)
	}
	if len(parts) == 0 {
		return
	}
	m.reportSet(RuleNamesWrapped, &w.all, "has", "have", "%s in the name, which %s adds: loaders look for the names of the "+
		"model itself", strings.Join(parts, " and "), strings.Join(by, " and "))
	m.found(m.set.Name).Fix(renameFix(m.set, unwrap(begin, anywhere)...))
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
