// The judges.

package load

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
)

var judges = []judge{
	{rules: []safetensors.Rule{rule.WeightsNotFound}, of: judgeFiles},
	{rules: []safetensors.Rule{rule.ModelUnknown}, of: judgeArchitecture},
	{rules: []safetensors.Rule{rule.WeightsNotFound, rule.WeightsMixed}, of: judgePatterns},
	{rules: []safetensors.Rule{rule.ConfigField, rule.RopeNested, rule.HeadDropped}, of: judgeMembers},
	{rules: []safetensors.Rule{rule.QuantUnsupported}, of: judgeQuantized},
	{rules: []safetensors.Rule{rule.DtypeUnsupported}, set: judgeDtypes},
	{rules: []safetensors.Rule{rule.WeightsNotFound, rule.ConfigField, rule.AdapterTensor}, set: judgeAdapters},
	{rules: []safetensors.Rule{rule.TokenizerMissing, rule.TokenizerAbsent, rule.TokenGap, rule.SpecialTokens,
		rule.PreTokenizer}, of: judgeTokenizers},
	{rules: []safetensors.Rule{rule.PipelineComponent, rule.VariantOnly}, of: judgePipelines},
}
