// The judges.

package load

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
)

var judges = []judge{
	{rules: []safetensors.Rule{rule.WeightsNotFound, rule.WeightsExtra, rule.WeightsTwice, rule.IndexMetadata,
		rule.ConfigMissing}, of: judgeFiles},
	{rules: []safetensors.Rule{rule.AdapterConfig}, of: judgeAdapterConfig},
	{rules: []safetensors.Rule{rule.ConfigField}, set: judgeFields},
	{rules: []safetensors.Rule{rule.ConfigRope}, set: judgeRope},
	{rules: []safetensors.Rule{rule.RemoteCode, rule.ModelUnknown}, set: judgeKnown},
	{rules: []safetensors.Rule{rule.QuantMethod, rule.QuantPlace, rule.QuantSetting}, set: judgeQuantization},
	{rules: []safetensors.Rule{rule.QuantModules}, set: judgeModules},
	{rules: []safetensors.Rule{rule.VocabularyRows}, set: judgeVocabulary},
	{rules: []safetensors.Rule{rule.TensorRequired}, set: judgeRequired},
	{rules: []safetensors.Rule{rule.PadToken, rule.EndToken}, set: judgeTokens},
	{rules: []safetensors.Rule{rule.TensorParallel}, set: judgeParallel},
	{rules: []safetensors.Rule{rule.AdapterUnsupported}, set: judgeAdapter},
	{rules: []safetensors.Rule{rule.TokenizerAbsent, rule.ChatTemplate}, set: judgeText},
	{rules: []safetensors.Rule{rule.ModelUnknown}, of: judgeArchitecture},
	{rules: []safetensors.Rule{rule.WeightsNotFound, rule.WeightsTwice}, of: judgePatterns},
	{rules: []safetensors.Rule{rule.ConfigField, rule.RopeNested, rule.HeadDropped}, of: judgeMembers},
	{rules: []safetensors.Rule{rule.QuantUnsupported}, of: judgeQuantized},
	{rules: []safetensors.Rule{rule.QuantMode}, of: judgeMLXModules},
	{rules: []safetensors.Rule{rule.DtypeUnsupported}, set: judgeDtypes},
	{rules: []safetensors.Rule{rule.WeightsNotFound, rule.ConfigField, rule.AdapterTensor}, set: judgeAdapters},
	{rules: []safetensors.Rule{rule.TokenizerMissing, rule.TokenizerAbsent, rule.TokenGap, rule.SpecialTokens,
		rule.PreTokenizer}, of: judgeTokenizers},
	{rules: []safetensors.Rule{rule.PipelineComponent, rule.VariantOnly}, of: judgePipelines},
	{rules: []safetensors.Rule{rule.NamesOriginal}, set: judgeOriginals},
	{rules: []safetensors.Rule{rule.JSONText}, of: judgeJSONText},
	{rules: []safetensors.Rule{rule.OneFile, rule.ModelPlace, rule.ModelFolder, rule.AdapterUnread}, set: judgeComfyUI},
	{rules: []safetensors.Rule{rule.CustomNode, rule.QuantUnsupported}, set: judgeComfyForm},
}
