// Counters: the interface of other programs.

package compat

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model"
)

// A counter is another program, applied to one model.
type counter interface {
	// refuses returns why the program returns no number, or "".
	refuses() string
	// params returns the number of parameters of a tensor.
	params(*safetensors.TensorInfo, *model.TensorCount) float64
	// cause returns why that number differs.
	cause(ti *safetensors.TensorInfo, v *model.TensorCount, theirs float64) string
}

// mostHubHeader is the largest header, in bytes, that the libraries of Hugging Face read.
const mostHubHeader = 25_000_000

// refusesHeaders returns which header is too large, or "".
func refusesHeaders(files []model.File) string {
	for i := range files {
		if n := files[i].Header.Size; n > mostHubHeader {
			return fmt.Sprintf("the header of file %v has %s, more than 25,000,000", wording.Grouped(i+1),
				wording.Count(n, "byte"))
		}
	}
	return ""
}

// whole converts a whole number, limited to the largest int64.
func whole(n float64) int64 {
	if n >= 1<<63 {
		return 1<<63 - 1
	}
	return int64(n)
}
