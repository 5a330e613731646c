// Words for this package: tensors, and how messages name them.

package check

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// A tally counts tensors with the same fault, and keeps the first.
type tally = rule.Tally

// quote returns a name out of a file for use in a message.
func quote(name string) string { return wording.Quote(name) }

// count returns n and the noun, in the plural if needed.
func count[N int | int64](n N, noun string) string { return wording.Count(n, noun) }

// An end is a tensor and the number of its shard.
type end struct {
	info  *safetensors.TensorInfo
	shard int
}

// spanOf returns where a value is in its file.
func spanOf(v config.Value) safetensors.Span { return rule.SpanOf(v) }
