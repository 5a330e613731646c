// Likeness in words.

package contents

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
)

// Likeness describes what a copy has in common with its original.
func Likeness(held, own Contents) string {
	tensors := wording.Count(len(held), "tensor")
	switch same := InCommon(held, own); {
	case same == len(held):
		return "it has the same tensor names and shapes, of " + tensors
	case SameTensors(held, own):
		return fmt.Sprintf("%d of its %s have the same names and shapes", same, tensors)
	default:
		return "its " + tensors + " have the same shapes under other names"
	}
}
