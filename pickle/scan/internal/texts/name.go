// Verdicts on names.

package texts

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// judge returns the verdict on a name with its module. Programs try every way to divide it, so
// the worst one counts. A name without a module is one of Python's built-in functions, or of
// the program.
func (r *Reader) judge(full string) pickle.Verdict {
	if v, ok := r.verdicts[full]; ok {
		return v
	}
	const most, parts = 10_000, 8
	if r.verdicts == nil {
		r.verdicts = make(map[string]pickle.Verdict)
	}
	var worst pickle.Verdict
	if !strings.Contains(full, ".") {
		worst = r.Verdict("builtins", full)
	}
	for i, n := len(full), 0; n < parts; n++ {
		if i = strings.LastIndexByte(full[:i], '.'); i < 0 {
			break
		}
		if v := r.Verdict(full[:i], full[i+1:]); n == 0 || v == pickle.Dangerous {
			worst = v
		}
	}
	if len(r.verdicts) < most {
		r.verdicts[full] = worst
	}
	return worst
}

// module returns the verdict on importing a module.
func (r *Reader) module(name string) pickle.Verdict {
	if v := r.Verdict(name, "__name"); v == pickle.Dangerous {
		return v
	}
	return max(r.judge(name), pickle.Suspicious)
}

// known reports whether a name is a class of a library that only computes, with any
// arguments.
func known(full string) bool {
	i := strings.LastIndexByte(full, '.')
	if i < 0 || i+1 == len(full) {
		return false
	}
	module, class := full[:i], full[i+1:]
	if class[0] < 'A' || class[0] > 'Z' {
		return false
	}
	if strings.HasPrefix(module, "sentence_transformers.") {
		return true
	}
	switch module {
	case "torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.nn.modules.activation", "torch.nn.modules.linear",
		"torch.nn.modules.loss", "torch.nn.modules.normalization", "transformers.activations":
		return true
	}
	return false
}

// quoted returns a name for use in a message.
func quoted(name string) string { return wording.Quote(name) }
