// Every opcode has a handler.

package machine

import (
	"testing"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

func TestHandlers(t *testing.T) {
	for c := range opcode.All() {
		if handlers[c] == nil {
			t.Errorf("%s does nothing", c)
		}
	}
}
