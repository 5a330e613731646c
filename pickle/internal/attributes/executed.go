// Texts that a class executes.

package attributes

import (
	"iter"
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// argumentParser matches what SciPy writes under the key _parse_arg_template of a distribution: three functions whose
// arguments have names and numbers as defaults. SciPy executes the text when it loads the state
// (_distn_infrastructure.py).
var argumentParser = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\n*def _parse_args(_rvs|_stats)?\(self, [\w=,. ']*\):\n    return [\w(),.=' ]*\n?)*$`)
})

// Executed yields the texts in the state of an object that its class executes, except those that only name arguments.
func Executed(class string, state heap.Value, look heap.Look) iter.Seq[heap.Value] {
	return func(yield func(heap.Value) bool) {
		if !strings.HasPrefix(class, "scipy.stats.") {
			return
		}
		dicts := []heap.Value{state}
		if state.Kind() == heap.KindTuple {
			dicts = []heap.Value{state.Item(0), state.Item(1)}
		}
		for _, dict := range dicts {
			for key, value := range look(dict).Pairs() {
				if s, _ := key.Str(); s != "_parse_arg_template" {
					continue
				}
				if code, ok := value.Str(); (!ok || !argumentParser().MatchString(code)) && !yield(value) {
					return
				}
			}
		}
	}
}
