// States that a class evaluates as code.

package pickle

import (
	"regexp"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// argumentParser matches what SciPy writes under the key _parse_arg_template of a distribution: three functions whose
// arguments have names and numbers as defaults. SciPy executes the text when it loads the state
// (_distn_infrastructure.py).
var argumentParser = regexp.MustCompile(
	`^(\n*def _parse_args(_rvs|_stats)?\(self, [\w=,. ']*\):\n    return [\w(),.=' ]*\n?)*$`)

// checkEvaluated checks the state of an object of a class that executes a part of it.
func (m *judge) checkEvaluated(g *global, state heap.Value) {
	if !strings.HasPrefix(g.full, "scipy.stats.") {
		return
	}
	dicts := []heap.Value{state}
	if state.Kind() == heap.KindTuple {
		dicts = []heap.Value{state.Item(0), state.Item(1)}
	}
	for _, dict := range dicts {
		for key, value := range m.look(dict).Pairs() {
			if s, _ := key.Str(); s != "_parse_arg_template" {
				continue
			}
			if code, ok := value.Str(); !ok || !argumentParser.MatchString(code) {
				m.danger(RuleDunderString, "BUILD at %d sets %s, which SciPy executes", m.Token.Off, m.summary(value.Ref))
			}
		}
	}
}
