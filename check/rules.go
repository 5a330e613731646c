// The rules about a repository.

package check

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
)

// The rules about a repository, in the order in which it is read. Those that need the data come last.
const (
	RuleNotFetched         = rule.NotFetched
	RuleDownloadUnfinished = rule.DownloadUnfinished
	RuleExchangeUnfinished = rule.ExchangeUnfinished
	RuleLeftover           = rule.Leftover
	RuleRefMissing         = rule.RefMissing
	RuleSidecar            = rule.Sidecar
	RuleOtherFormat        = rule.OtherFormat
	RulePathUnsafe         = rule.PathUnsafe
	RulePathCollision      = rule.PathCollision
	RuleSeveralModels      = rule.SeveralModels
	RuleConfigJSON         = rule.ConfigJSON
	RuleConfigNumber       = rule.ConfigNumber
	RuleConfigShape        = rule.ConfigShape
	RuleConfigDtype        = rule.ConfigDtype
	RuleStateOnly          = rule.StateOnly
	RuleNamesWrapped       = rule.NamesWrapped
	RuleNamesPrefix        = rule.NamesPrefix
	RuleLayerMissing       = rule.LayerMissing
	RuleTensorEmpty        = rule.TensorEmpty
	RuleHeadMissing        = rule.HeadMissing
	RuleEmbeddingMissing   = rule.EmbeddingMissing
	RuleTokenizerRange     = rule.TokenizerRange
	RuleTiedTwice          = rule.TiedTwice
	RuleQuantCompanion     = rule.QuantCompanion
	RuleQuantShape         = rule.QuantShape
	RuleQuantConfig        = rule.QuantConfig
	RuleQuantUndeclared    = rule.QuantUndeclared
	RuleQuantUnused        = rule.QuantUnused
	RuleAdapterEmpty       = rule.AdapterEmpty
	RuleAdapterPair        = rule.AdapterPair
	RuleAdapterRank        = rule.AdapterRank
	RuleAdapterAlpha       = rule.AdapterAlpha
	RuleAdapterTarget      = rule.AdapterTarget
	RuleAdapterLabel       = rule.AdapterLabel
	RuleAdapterPrefix      = rule.AdapterPrefix
	RuleAdapterBase        = rule.AdapterBase
	RuleAdapterModule      = rule.AdapterModule
	RuleAdapterShape       = rule.AdapterShape
	RuleTotalParameters    = rule.TotalParameters
	RuleAlignmentCost      = rule.AlignmentCost
	RuleBlobDigest         = rule.BlobDigest
	RuleDownloadDigest     = rule.DownloadDigest
	RuleCopiesDiffer       = rule.CopiesDiffer
	RuleTiedDiffers        = rule.TiedDiffers
	RuleNotFinite          = rule.NotFinite
	RuleScaleValue         = rule.ScaleValue
	RuleZeroRun            = rule.ZeroRun
	RuleConstantWeight     = rule.ConstantWeight
)

// The rules that are judged only with Options.For.
const (
	RuleWeightsNotFound    = rule.WeightsNotFound
	RuleModelUnknown       = rule.ModelUnknown
	RuleConfigField        = rule.ConfigField
	RuleRopeNested         = rule.RopeNested
	RuleHeadDropped        = rule.HeadDropped
	RuleQuantUnsupported   = rule.QuantUnsupported
	RuleQuantMode          = rule.QuantMode
	RuleDtypeUnsupported   = rule.DtypeUnsupported
	RuleTokenizerMissing   = rule.TokenizerMissing
	RuleTokenizerAbsent    = rule.TokenizerAbsent
	RuleTokenGap           = rule.TokenGap
	RuleSpecialTokens      = rule.SpecialTokens
	RulePreTokenizer       = rule.PreTokenizer
	RuleAdapterTensor      = rule.AdapterTensor
	RulePipelineComponent  = rule.PipelineComponent
	RuleVariantOnly        = rule.VariantOnly
	RuleWeightsExtra       = rule.WeightsExtra
	RuleWeightsTwice       = rule.WeightsTwice
	RuleIndexMetadata      = rule.IndexMetadata
	RuleConfigMissing      = rule.ConfigMissing
	RuleConfigRope         = rule.ConfigRope
	RuleRemoteCode         = rule.RemoteCode
	RuleQuantMethod        = rule.QuantMethod
	RuleQuantPlace         = rule.QuantPlace
	RuleQuantSetting       = rule.QuantSetting
	RuleQuantModules       = rule.QuantModules
	RuleVocabularyRows     = rule.VocabularyRows
	RuleTensorRequired     = rule.TensorRequired
	RulePadToken           = rule.PadToken
	RuleEndToken           = rule.EndToken
	RuleTensorParallel     = rule.TensorParallel
	RuleAdapterConfig      = rule.AdapterConfig
	RuleAdapterUnsupported = rule.AdapterUnsupported
	RuleChatTemplate       = rule.ChatTemplate
	RuleNamesOriginal      = rule.NamesOriginal
	RuleJSONText           = rule.JSONText
	RuleOneFile            = rule.OneFile
	RuleModelPlace         = rule.ModelPlace
	RuleModelFolder        = rule.ModelFolder
	RuleCustomNode         = rule.CustomNode
	RuleAdapterUnread      = rule.AdapterUnread
)

// Rules returns the rules about a repository, in the order in which it is read, and then those that are judged only
// with Options.For.
func Rules() []safetensors.RuleInfo { return rule.Rules() }

// NeedsData reports whether violations of the rule are found only with Options.Data.
func NeedsData(r safetensors.Rule) bool { return rule.NeedsData(r) }

// NeedsLoader reports whether violations of the rule are found only with Options.For.
func NeedsLoader(r safetensors.Rule) bool { return rule.NeedsLoader(r) }
