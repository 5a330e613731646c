// The rules about a set of shards and their index.

package checkpoint

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/internal/wording"
)

// The rules about a set of shards and its index, in the order in which a set is read.
const (
	RuleIndexJSON         = finding.IndexJSON
	RuleIndexPath         = finding.IndexPath
	RuleShardMissing      = finding.ShardMissing
	RuleShardExtra        = finding.ShardExtra
	RuleTensorMissing     = finding.TensorMissing
	RuleTensorMisplaced   = finding.TensorMisplaced
	RuleTensorUnlisted    = finding.TensorUnlisted
	RuleTensorConflict    = finding.TensorConflict
	RuleTensorTwice       = finding.TensorTwice
	RuleTotalSize         = finding.TotalSize
	RuleTwoCopies         = finding.TwoCopies
	RuleIndexStale        = finding.IndexStale
	RuleIndexMissing      = finding.IndexMissing
	RuleCacheLink         = finding.CacheLink
	RuleFileMode          = finding.FileMode
	RuleFormatDamaged     = finding.FormatDamaged
	RuleFormatUnsupported = finding.FormatUnsupported
	RuleFormatDangerous   = finding.FormatDangerous
	RuleWeightsFormat     = finding.WeightsFormat
)

// Rules returns the rules about a set of files, in the order in which a set is read.
func Rules() []safetensors.RuleInfo { return finding.Rules() }

// Findings collects the violations of one file or of one set, as [Findings.Add] records
// them. The zero Findings is empty.
type Findings = finding.Findings

// quote returns a name from a file as part of a line.
func quote(name string) string { return wording.Quote(name) }

// count returns n and the noun, in the plural unless n is 1.
func count(n int, noun string) string { return wording.Count(n, noun) }
