// GGUF files: their metadata may contain a template.

package foreign

import (
	"bytes"
	"errors"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/gguf"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
)

// RuleBadHeader is the rule about invalid headers.
const RuleBadHeader pickle.Rule = "bad-header"

// IsGGUF reports whether head is the start of a GGUF file.
func IsGGUF(head []byte) bool { return bytes.HasPrefix(head, []byte(gguf.Magic)) }

// A ggufJudge examines the strings of metadata.
type ggufJudge struct{ *Part }

// Text examines a string. A vocabulary has many short ones.
func (g ggufJudge) Text(key string, value []byte, element bool, at int64) {
	if value == nil {
		g.Unscanned(at, "the metadata %s is longer than is read", quoted(key))
		return
	}
	if element && !settings.Templated(value) && !bytes.Contains(value, []byte("python/")) &&
		!bytes.Contains(value, []byte("_target_")) {
		return
	}
	g.Value(key, string(value), at)
}

// GGUF analyzes a GGUF file. Its tensors are numbers.
func (p *Part) GGUF() error {
	_, err := gguf.Read(p.File, p.Size, ggufJudge{p})
	var invalid *gguf.Error
	switch {
	case errors.Is(err, evidence.ErrBudget):
		p.OverWork(0)
	case errors.As(err, &invalid) && invalid.Short:
		p.Find(pickle.RuleTruncated, invalid.At, "%v", err)
	case errors.As(err, &invalid):
		p.Find(RuleBadHeader, invalid.At, "the header of the GGUF file is invalid: %v", err)
	case err != nil:
		return err
	}
	p.Is(string(filetype.GGUF))
	p.Lookalike(filetype.GGUF.Name())
	p.Swept()
	return nil
}
