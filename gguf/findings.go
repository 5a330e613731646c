// Collecting violations.

package gguf

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// findings returns an empty list of violations.
func findings() checkpoint.Findings { return checkpoint.Findings{Rules: rules[:]} }

// span returns the bytes from begin to end.
func span(begin, end int64) safetensors.Span { return safetensors.Span{Begin: begin, End: end} }
