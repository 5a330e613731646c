// Thresholds: which findings make a check fail.

package finding

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// Never is the Least of a threshold that no severity reaches.
const Never = safetensors.Invalid + 1

// A Threshold says which findings make a check fail: those of a severity, or of one of some rules.
type Threshold struct {
	Least safetensors.Severity // the lowest severity, or Never
	Rules []safetensors.Rule   // rules that fail at any severity
}

// Fails reports whether a finding of the rule, with that severity, makes the check fail.
func (t *Threshold) Fails(rule safetensors.Rule, severity safetensors.Severity) bool {
	return severity >= t.Least || slices.Contains(t.Rules, rule)
}

// Add adds another threshold: what fails by either of them fails.
func (t *Threshold) Add(other Threshold) {
	t.Least = min(t.Least, other.Least)
	for _, rule := range other.Rules {
		if !slices.Contains(t.Rules, rule) {
			t.Rules = append(t.Rules, rule)
		}
	}
}

// String returns the threshold in the form of the flag --fail-on.
func (t *Threshold) String() string {
	words := []string{"never"}
	if t.Least < Never {
		words[0] = t.Least.String()
	}
	for _, rule := range t.Rules {
		words = append(words, string(rule))
	}
	return strings.Join(words, ",")
}
