//go:build (!amd64 && !arm64) || purego

package stats

// hasVector reports whether extremesOf and sumsOf are fast.
const hasVector = false

func extremesOf(chunk []byte) (top int32, bottom, least, zeros uint32) { return slowExtremes(chunk) }

func sumsOf(chunk []byte, split float64) (sum, upper, lower float64) { return slowSums(chunk, split) }
