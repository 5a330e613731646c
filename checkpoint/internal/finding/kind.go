// Kinds of tensors in words.

package finding

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// KindOf returns the dtype and the shape of a tensor for a message. Both may be as long as a
// header, and an unknown dtype is any string.
func KindOf(ti *safetensors.TensorInfo) string {
	const most = 8 // dimensions; published tensors have 6 at most
	dtype, shape := string(ti.Dtype), ti.Shape
	if ti.Dtype.Bits() == 0 {
		dtype = wording.Quote(dtype)
	}
	if len(shape) <= most {
		return dtype + " " + ti.ShapeString()
	}
	start := safetensors.TensorInfo{Shape: shape[:most]}
	return fmt.Sprintf("%s %s... (%d dimensions)", dtype, strings.TrimSuffix(start.ShapeString(), "]"), len(shape))
}
