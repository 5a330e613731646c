// Programs of TorchScript.

package foreign

import (
	"bytes"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
)

// RuleTorchScript is the rule about programs of TorchScript.
const RuleTorchScript pickle.Rule = "torchscript"

// scriptHazards are the names by which programs read or write files, or call foreign code.
var scriptHazards = [...]string{"from_file", "aten::save", "torch.save", "aten::load", "torch.load",
	"torch.ops.load_library"}

// TorchScript searches a program of TorchScript for names that access files or foreign code.
func (p *Part) TorchScript() error {
	p.Rename("torchscript-code")
	const most = 4 << 20
	text := make([]byte, min(p.Size, most))
	if err := bytesio.ReadFull(p.File, text, 0); err != nil {
		return err
	}
	var found []string
	for _, word := range scriptHazards {
		if bytes.Contains(text, []byte(word)) {
			found = append(found, word)
		}
	}
	if len(found) > 0 {
		p.Find(RuleTorchScript, 0, "the program uses %s, by which it can access files or foreign code",
			strings.Join(found, ", "))
	}
	if p.Size > most {
		p.Unscanned(most, "only the first %d bytes of the program were searched", most)
	}
	return nil
}
