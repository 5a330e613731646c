// Scales in F16.

package block

import (
	"encoding/binary"

	"github.com/weightools/safetensors/internal/num"
)

// half16 returns the number in F16 at the start of b.
func half16(b []byte) float32 { return num.Half(binary.LittleEndian.Uint16(b)) }
