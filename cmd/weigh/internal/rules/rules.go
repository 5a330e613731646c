// Package rules has every rule that the program judges by.
package rules

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
)

var all = slices.Concat(safetensors.Rules(), checkpoint.Rules(), check.Rules())

// All returns the rules about one file, about a set of files, and about a
// repository, in this order.
func All() []safetensors.RuleInfo { return slices.Clone(all) }

// Lookup describes the named rule. It returns false if there is none.
func Lookup(rule safetensors.Rule) (safetensors.RuleInfo, bool) {
	for _, info := range all {
		if info.Rule == rule {
			return info, true
		}
	}
	return safetensors.RuleInfo{Rule: rule, Severity: safetensors.Invalid}, false
}

// Severity returns the severity of the named rule, and Invalid if there is none.
func Severity(rule safetensors.Rule) safetensors.Severity {
	info, _ := Lookup(rule)
	return info.Severity
}

// Violation returns the violation of a rule by a tensor, or by a file if tensor is "".
func Violation(rule safetensors.Rule, tensor string, at safetensors.Span, detail string) *safetensors.Violation {
	info, _ := Lookup(rule)
	return &safetensors.Violation{Rule: rule, Severity: info.Severity, Tensor: tensor, Span: at, Detail: detail,
		Fix: info.Fix}
}
