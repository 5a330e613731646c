// The rules that exist only for loaders.

package rule

import (
	"slices"

	"github.com/weightools/safetensors"
)

// The rules that are judged only for loaders. Their severities are those of package loader; here is the highest.
const (
	WeightsNotFound safetensors.Rule = "weights-not-found"
)

// loaders is a value of Source.
const loaders = "none: the programs that [loaders.md](loaders.md) lists"

var loading = slices.Concat([]safetensors.RuleInfo{
	{Rule: WeightsNotFound, Severity: safetensors.Error,
		Summary: "The folder has weights under a name that the loader looks for.",
		Source:  loaders,
		Fix:     "Rename the file to model.safetensors."},
}, loadingOthers)

// NeedsLoader reports whether the rule is judged only for loaders.
func NeedsLoader(rule safetensors.Rule) bool {
	return slices.ContainsFunc(loading, func(info safetensors.RuleInfo) bool { return info.Rule == rule })
}
