// Rules.

package finding

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
)

// Rules has every rule that the program judges by: about one file, about a set of files, about a
// repository, and about a GGUF file, in this order.
var Rules = slices.Concat(safetensors.Rules(), checkpoint.Rules(), check.Rules(), gguf.Rules())

// Lookup describes the named rule. It returns false if there is none.
func Lookup(rule safetensors.Rule) (safetensors.RuleInfo, bool) {
	i := slices.IndexFunc(Rules, func(info safetensors.RuleInfo) bool { return info.Rule == rule })
	if i < 0 {
		return safetensors.RuleInfo{Rule: rule, Severity: safetensors.Invalid}, false
	}
	return Rules[i], true
}

// SeverityOf returns the severity of the named rule, and Invalid if there is none.
func SeverityOf(rule safetensors.Rule) safetensors.Severity {
	info, _ := Lookup(rule)
	return info.Severity
}
