// The setting fail-on.

package gate

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
)

// Words are the severities that fail-on accepts, from the strictest.
func Words() []string {
	var words []string
	for s := safetensors.Note; s <= safetensors.Invalid; s++ {
		words = append(words, s.String())
	}
	return append(words, "never")
}

// ParseFailOn parses severities and the names of rules. Rules add to the severity, and without a
// severity to the default: a rule more never makes a check milder. Of several severities, the lowest
// counts. If a word is neither, it is returned with false.
func ParseFailOn(words []string) (t finding.Threshold, wrong string, ok bool) {
	t.Least = safetensors.Nonconforming
	said := false
	for _, word := range words {
		word = strings.TrimSpace(word)
		if i := slices.Index(Words(), word); i >= 0 {
			if s := safetensors.Severity(i); !said || s < t.Least {
				t.Least, said = s, true
			}
			continue
		}
		if _, ok := finding.Lookup(safetensors.Rule(word)); !ok {
			return t, word, false
		}
		t.Add(finding.Threshold{Least: finding.Never, Rules: []safetensors.Rule{safetensors.Rule(word)}})
	}
	return t, "", true
}
