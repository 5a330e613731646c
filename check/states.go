// States: files of a model that have only what training keeps beside the weights.

package check

import (
	"strings"

	"github.com/weightools/safetensors"
)

// ofOptimizer are the last words of the names of an optimizer's state. (PyTorch 2.15.0, torch/optim: adam.py, adamax.py,
// rmsprop.py, sgd.py, adadelta.py.)
var ofOptimizer = map[string]bool{
	"exp_avg": true, "exp_avg_sq": true, "max_exp_avg_sq": true, "exp_inf": true, "square_avg": true, "grad_avg": true,
	"momentum_buffer": true, "acc_delta": true,
}

// states counts the tensors of an optimizer.
type states struct {
	all   tally
	steps int // numbers beside them, such as the step
}

func (s *states) look(ti *safetensors.TensorInfo, shard int, n name) {
	switch {
	case ofOptimizer[n.leaf]:
		s.all.Add(ti, shard)
	case n.leaf == "step" || strings.HasPrefix(ti.Name, "optimizer.") && len(ti.Shape) == 0:
		s.steps++
	}
}

// judge reports a model that is only the state of an optimizer, and whether it is.
func (s *states) judge(m *subject) bool {
	if s.all.N == 0 || s.all.N+s.steps < m.tensors || m.main == nil || m.main.Root == nil || !m.complete {
		return false
	}
	m.Report(RuleStateOnly, &s.all, "is", "are", "the state of an optimizer, and there are no weights: loaders of models "+
		"find nothing")
	return true
}
